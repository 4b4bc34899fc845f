import { type __TypeKind, SchemaPageDocument, type SchemaPageQuery, type SchemaTypeFragment } from '#generated/operations.ts'
import { codeBlock } from '../frame/code.ts'
import { whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, type PageRow, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import { inline, prose } from '../frame/prose.ts'
import type { Site } from '../frame/site.ts'
import { shortened } from '../item/card.ts'
import { exampleQuery } from './example-query.ts'
import { deprecated, fieldRow, inputs, nameOf, typePath } from './signature.ts'

type Schema = SchemaPageQuery['__schema']

const ROOTS = [
  { key: 'queryType', heading: 'Queries' },
  { key: 'mutationType', heading: 'Mutations' },
  { key: 'subscriptionType', heading: 'Subscriptions' },
] as const

/** In the order in which types are listed. */
const KINDS: readonly { readonly kind: __TypeKind; readonly heading: string; readonly one: string }[] = [
  { kind: 'OBJECT', heading: 'Objects', one: 'Object' },
  { kind: 'INTERFACE', heading: 'Interfaces', one: 'Interface' },
  { kind: 'UNION', heading: 'Unions', one: 'Union' },
  { kind: 'INPUT_OBJECT', heading: 'Inputs', one: 'Input' },
  { kind: 'ENUM', heading: 'Enums', one: 'Enum' },
  { kind: 'SCALAR', heading: 'Scalars', one: 'Scalar' },
]

/**
 * The documentation of the graph: root fields, and a page per type. The schema stays the same
 * while the process runs.
 */
export function schemaPages(): readonly PageRow[] {
  let cached: Schema | null = null
  const schemaOf = async (run: RunPageOperation) => (cached ??= dataOf(await run(SchemaPageDocument, {})).__schema)
  return [
    page({
      on: '/schema',
      operations: [SchemaPageDocument],
      answer: async ({ run, site }) => overview(await schemaOf(run), site),
    }),
    page({
      on: '/schema/{type}',
      operations: [],
      async answer({ path, run, site }) {
        const schema = await schemaOf(run)
        const type = schema.types.find(({ name }) => name === path.type)
        return type ? typePage(type, schema, site) : null
      },
    }),
  ]
}

function overview(schema: Schema, site: Site): WebPage {
  const roots = ROOTS.flatMap(({ key, heading }) => {
    const type = schema.types.find(({ name }) => name === schema[key]?.name)
    return type?.fields ? [{ heading, key, fields: type.fields, name: type.name ?? '' }] : []
  })
  const rootNames = roots.map(({ name }) => name)
  return {
    title: 'Schema',
    description:
      'Queries, mutations, subscriptions and types of the graph, each with its meaning, its unit and the meaning of null.',
    canonical: '/schema',
    scripts: ['filter.js'],
    styles: ['docs.css'],
    body: html`<div class="docs reference"><details class="docs-contents"><summary>Contents</summary><nav aria-label="Contents"><ul>
${[...roots.map(({ key, heading }) => ({ id: key, heading })), ...KINDS.map(({ kind, heading }) => ({ id: kind, heading }))].map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}</ul></nav></details>
<div><h1>Schema</h1>
<p class="lead">Queries, mutations, subscriptions and types of the graph. Its endpoint is <code>${site.publicUrl}/graphql</code>${
      site.navigation.some(({ path }) => path === '/graphql') && html`, or in the <a href="${site.at('/graphql')}">explorer</a>`
    }.</p>
<div class="ask" data-filter hidden><input type="search" aria-label="Show names and descriptions with" placeholder="Filter by name or description" autocomplete="off" spellcheck="false" maxlength="100"></div>
<p role="status" data-filter-count></p>
${roots.map(({ heading, key, name, fields }) =>
  foldedSection(
    { id: key, heading, count: fields.length, isShownWide: key === 'queryType' },
    html`<ul class="listing">${fields.map(
      (field) =>
        html`<li data-filtered><a href="${site.at(typePath(name))}#${field.name}"><code>${field.name}</code></a>${deprecated(field.deprecationReason)} <span>${field.description && inline(shortened(field.description, 160))}</span></li>`,
    )}</ul>`,
  ),
)}
${KINDS.map(({ kind, heading }) => {
  const types = schema.types.filter(
    (type) => type.kind === kind && !type.name?.startsWith('__') && !rootNames.includes(type.name ?? ''),
  )
  return (
    types.length > 0 &&
    foldedSection(
      { id: kind, heading, count: types.length, isShownWide: false },
      html`<ul class="names">${[...types]
        .sort((one, other) => ((one.name ?? '') < (other.name ?? '') ? -1 : 1))
        .map(({ name }) => html`<li data-filtered><a href="${site.at(typePath(name ?? ''))}">${name}</a></li>`)}</ul>`,
    )
  )
})}</div></div>`,
  }
}

type FoldedHeading = { readonly id: string; readonly heading: string; readonly count: number; readonly isShownWide: boolean }

/** A section that opens on demand: the whole graph has some 1,500 names. Find in the page opens it, and so does its link. */
const foldedSection = ({ id, heading, count, isShownWide }: FoldedHeading, list: Html): Html =>
  html`<section aria-labelledby="${id}"><details class="fold${isShownWide && ' fold-narrow'}"><summary><h2 id="${id}">${heading} <span class="quiet">${whole(count)}</span></h2></summary>${list}</details></section>`

function typePage(type: SchemaTypeFragment, schema: Schema, site: Site): WebPage {
  const name = type.name ?? ''
  const kind = KINDS.find((each) => each.kind === type.kind)?.one ?? ''
  return {
    title: `${name}: ${kind.toLowerCase()} of the graph`,
    description: shortened(type.description || `${kind} ${name} of the graph.`, 300),
    canonical: typePath(name),
    scripts: ['copy.js'],
    body: html`<nav class="trail" aria-label="Place"><a href="${site.at('/schema')}">Schema</a></nav>
<h1>${name} <span class="quiet">${kind.toLowerCase()}</span></h1>
<div class="with-facts type-page"><div>
${type.description && prose(type.description)}
${type.specifiedByURL && html`<p>Specified at <a href="${type.specifiedByURL}">${type.specifiedByURL}</a>.</p>`}
${related('Implements', type.interfaces, site)}
${related(type.kind === 'UNION' ? 'One of' : 'Implemented by', type.possibleTypes, site)}
${type.fields && html`<section aria-labelledby="fields"><h2 id="fields">Fields</h2><dl class="fields-list">${type.fields.map((field) => fieldRow(field, site))}</dl></section>`}
${type.inputFields && html`<section aria-labelledby="fields"><h2 id="fields">Fields</h2>${inputs(type.inputFields, site)}</section>`}
${
  type.enumValues &&
  html`<section aria-labelledby="values"><h2 id="values">Values</h2><dl class="inputs">${type.enumValues.map(
    (value) =>
      html`<dt><code>${value.name}</code>${deprecated(value.deprecationReason)}</dt><dd>${value.description && inline(value.description)}</dd>`,
  )}</dl></section>`
}
</div>
${beside(type, schema, site)}
</div>`,
  }
}

/** What stands beside the fields on a wide screen, and below them on a phone. */
function beside(type: SchemaTypeFragment, schema: Schema, site: Site): Html | null {
  const query = exampleQuery(type, schema)
  const uses = usedBy(type.name ?? '', schema, site)
  if (query === null && uses === null) return null
  const hasExplorer = site.navigation.some(({ path }) => path === '/graphql')
  return html`<aside class="facts-column" aria-label="About ${type.name}">
${query && html`<h2>Read it</h2>${codeBlock({ id: 'example', language: 'graphql', label: `A query of ${type.name}`, text: query })}${hasExplorer && html`<p><a href="${site.at('/graphql')}#operation=${shared(query)}">Open in the explorer</a></p>`}`}
${uses}
</aside>`
}

/** As links of the explorer hold an operation. */
const shared = (query: string): string => Buffer.from(JSON.stringify({ query, variables: '' })).toString('base64url')

const related = (label: string, types: readonly { readonly name: string | null }[] | null, site: Site): Html | null =>
  !types || types.length === 0
    ? null
    : html`<p>${label}: ${types.map(({ name }, index) => html`${index > 0 && ', '}<a href="${site.at(typePath(name ?? ''))}">${name}</a>`)}</p>`

/** Uses that are shown at once; the others open on demand. */
const MAX_SHOWN_USES = 12

/** Where a type is met: fields that give it, and arguments that take it. */
function usedBy(name: string, { types }: Schema, site: Site): Html | null {
  const uses = types.flatMap((type) =>
    type.name?.startsWith('__')
      ? []
      : [
          ...(type.fields ?? []).filter(
            (field) => nameOf(field.type) === name || field.args.some((value) => nameOf(value.type) === name),
          ),
          ...(type.inputFields ?? []).filter((value) => nameOf(value.type) === name),
        ].map((field) => ({ type: type.name ?? '', field: field.name })),
  )
  if (uses.length === 0) return null
  const rows = (some: typeof uses): Html =>
    html`<ul class="uses">${some.map(({ type, field }) => html`<li><a href="${site.at(typePath(type))}#${field}">${type}.${field}</a></li>`)}</ul>`
  const further = uses.slice(MAX_SHOWN_USES)
  return html`<section aria-labelledby="used"><h2 id="used">Used in</h2>${rows(uses.slice(0, MAX_SHOWN_USES))}${
    further.length > 0 && html`<details><summary>${further.length} more</summary>${rows(further)}</details>`
  }</section>`
}
