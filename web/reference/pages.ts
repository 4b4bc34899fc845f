import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { codeBlock } from '../frame/code.ts'
import { counted, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { type IconName, icon } from '../frame/icon.ts'
import { type PageRow, page, type WebPage } from '../frame/page.ts'
import { inline, prose } from '../frame/prose.ts'
import type { Site } from '../frame/site.ts'
import { describeScheme } from './caller.ts'
import { contracts, type FacadeContract } from './contract.ts'
import { operationShown, type Placed } from './operation.ts'

/** More operations than this get a page per group. */
const MAX_OPERATIONS_PER_PAGE = 30

/** The reference of the REST facades, from their contracts. */
export function referencePages(): readonly PageRow[] {
  const facades = contracts().map((named) => ({ named, groups: groupsOf(named) }))
  return [
    page({
      on: '/reference',
      operations: [],
      answer: async ({ site }) => overview(facades, site),
    }),
    ...facades.map(({ named, groups }) =>
      page({ on: `/reference/${named.name}`, operations: [], answer: async ({ site }) => referenceOf(named, groups, site) }),
    ),
    page({
      on: '/reference/{name}/{group}',
      operations: [],
      async answer({ path, site }) {
        const found = facades.find(({ named }) => named.name === path.name)
        const group =
          found && isLong(found.groups)
            ? found.groups.find(({ name }) => name.toLowerCase() === path.group.toLowerCase())
            : undefined
        return found && group ? groupPage(found.named, found.groups, group, site) : null
      },
    }),
  ]
}

/** Operations that a contract puts together. */
type Group = { readonly name: string; readonly description: string; readonly operations: readonly Placed[] }

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

function groupsOf({ base, contract }: FacadeContract): readonly Group[] {
  const placed = Object.entries(contract.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      METHODS.includes(method) ? [{ method, path: `${base}${path}`, operation }] : [],
    ),
  )
  const names = [...new Set([...(contract.tags ?? []).map(({ name }) => name), ...placed.map(nameOf)])]
  return names
    .map((name) => ({
      name,
      description: contract.tags?.find((tag) => tag.name === name)?.description ?? '',
      operations: placed.filter((each) => nameOf(each) === name),
    }))
    .filter(({ operations }) => operations.length > 0)
}

const nameOf = ({ operation }: Placed): string => operation.tags?.[0] ?? 'Other'

const isLong = (groups: readonly Group[]): boolean =>
  groups.reduce((sum, { operations }) => sum + operations.length, 0) > MAX_OPERATIONS_PER_PAGE

const groupPath = (name: string, group: Group): string => `/reference/${name}/${encodeURIComponent(group.name)}`

/** The icon of a facade, by its name. */
const ICONS = lookupTable<IconName>({ directory: 'search', trust: 'shield-check', store: 'store' })

type Facade = { readonly named: FacadeContract; readonly groups: readonly Group[] }

const overview = (facades: readonly Facade[], site: Site): WebPage => ({
  title: 'REST reference',
  description: 'Every operation of the REST facades: paths, parameters, bodies, responses and examples.',
  canonical: '/reference',
  scripts: ['copy.js'],
  body: html`<h1>REST reference</h1>
<p class="lead">The graph over plain HTTP. Each part has an OpenAPI contract, and every operation a request to copy in three languages.</p>
${codeBlock({ id: 'first-request', text: `curl '${site.publicUrl}/api/search?q=postgres&limit=1'`, language: 'sh', label: 'A request without a key' })}
${facades.map((facade) => facadeSection(facade, site))}
<p>The same data in one query: <a href="${site.at('/schema')}">schema</a> and <a href="${site.at('/graphql')}">explorer</a> of the graph. Errors: <a href="${site.at('/docs/reference/errors')}">codes and what to do</a>.</p>`,
})

function facadeSection({ named, groups }: Facade, { at }: Site): Html {
  const { name, path, contract } = named
  const { info, components } = contract
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  const isOpen = Object.keys(components?.securitySchemes ?? {}).length === 0
  const here = at(`/reference/${name}`)
  return html`<section class="facade" aria-labelledby="facade-${name}"><div><span class="glyph">${icon(ICONS[name] ?? 'terminal')}</span>
<h2 id="facade-${name}"><a href="${here}">${info.title}</a></h2><p>${summaryOf(info)}</p>
<dl class="facts-list"><dt>Operations</dt><dd>${whole(count)}</dd><dt>Key</dt><dd>${isOpen ? 'none' : html`<a href="${here}#keys">required</a>`}</dd><dt>Contract</dt><dd><a href="${at(path)}">${path}</a></dd></dl></div>
<ul class="names">${entriesOf(groups, name, here, at)}</ul></section>`
}

/** What a facade offers: its operations, or of a long one its groups with how many each has. */
const entriesOf = (groups: readonly Group[], name: string, here: string, at: Site['at']): readonly Html[] =>
  isLong(groups)
    ? groups.map(
        (group) =>
          html`<li><a href="${at(groupPath(name, group))}">${group.name}</a> <span class="quiet">${whole(group.operations.length)}</span></li>`,
      )
    : groups.flatMap(({ operations }) =>
        operations.map(
          ({ operation: { operationId, summary } }) =>
            html`<li><a href="${here}#${operationId}">${summary ?? operationId}</a></li>`,
        ),
      )

function referenceOf(named: FacadeContract, groups: readonly Group[], site: Site): WebPage {
  const { name, path, contract } = named
  const { info, components } = contract
  const schemes = Object.values(components?.securitySchemes ?? {})
  const long = isLong(groups)
  return {
    title: `${info.title}: reference`,
    description: summaryOf(info),
    canonical: `/reference/${name}`,
    scripts: ['copy.js', 'code-tabs.js'],
    styles: ['docs.css'],
    body: html`<div class="docs reference">${sidebar(long ? [] : groups, '', long ? groupLinks(named, groups, null, site) : null)}
<div><nav class="trail" aria-label="Place"><a href="${site.at('/reference')}">REST reference</a></nav>
<h1>${info.title} <span class="quiet">${info.version}</span></h1>
${info.description && prose(info.description)}
<p>The contract: <a href="${site.at(path)}">${site.publicUrl}${path}</a></p>
${
  schemes.length > 0 &&
  html`<section aria-labelledby="keys"><h2 id="keys">Authentication</h2><ul>${schemes.map(
    (scheme) => html`<li>${describeScheme(scheme)}${scheme.description && html`: ${inline(scheme.description)}`}</li>`,
  )}</ul></section>`
}
${
  long
    ? groups.map(
        (group) =>
          html`<section aria-labelledby="${slugOf(group)}"><h2 id="${slugOf(group)}"><a href="${site.at(groupPath(name, group))}">${group.name}</a> <span class="quiet">${whole(group.operations.length)}</span></h2>${contents(group, site.at(groupPath(name, group)))}</section>`,
      )
    : html`${groups.map((group) => html`<section aria-labelledby="${slugOf(group)}"><h2 id="${slugOf(group)}">${group.description ? inline(group.description) : group.name}</h2>${shown(group, named, site)}</section>`)}`
}</div></div>`,
  }
}

const groupPage = (named: FacadeContract, groups: readonly Group[], group: Group, site: Site): WebPage => ({
  title: `${group.name}: ${named.contract.info.title} reference`,
  description: `${group.name}: paths, parameters, bodies, responses and examples.`,
  canonical: groupPath(named.name, group),
  scripts: ['copy.js', 'code-tabs.js'],
  styles: ['docs.css'],
  body: html`<div class="docs reference">${sidebar([group], '', groups.length > 1 ? groupLinks(named, groups, group, site) : null)}
<div><nav class="trail" aria-label="Place"><a href="${site.at('/reference')}">REST reference</a> <span aria-hidden="true">›</span> <a href="${site.at(`/reference/${named.name}`)}">${named.contract.info.title}</a></nav>
<h1>${group.name}</h1>
${group.description !== '' && prose(group.description)}
<section aria-labelledby="operations"><h2 id="operations" class="spoken">${counted(group.operations.length, 'operation')}</h2>
${shown(group, named, site)}</section></div></div>`,
})

/** What a contract is about, in one sentence. */
const summaryOf = ({ summary, description = '', title }: FacadeContract['contract']['info']): string =>
  summary ?? (/^[^.]+\./.exec(description)?.[0] || `Every operation of ${title}.`)

const slugOf = ({ name }: Group): string => `group-${name.replaceAll(/\W+/g, '-')}`

/** The groups of a contract beside its operations; `here`: the one that is shown. */
const groupLinks = ({ name }: FacadeContract, groups: readonly Group[], here: Group | null, { at }: Site): Html =>
  html`<ul>${groups.map((group) => html`<li><a href="${at(groupPath(name, group))}"${group === here && html` aria-current="page"`}>${group.name}</a></li>`)}</ul>`

/** What there is on a page, and beside it: a column, and on phones a list that opens. */
const sidebar = (groups: readonly Group[], path: string, others: Html | null): Html =>
  html`<details class="docs-contents"><summary>Operations</summary><nav aria-label="Operations">
${groups.map((group) => html`<p class="sidebar-heading">${group.name}</p><ul>${group.operations.map(({ method, operation }) => html`<li><a href="${path}#${operation.operationId}"><span class="method method-${method}">${method.toUpperCase()}</span> ${operation.summary ?? operation.operationId}</a></li>`)}</ul>`)}
${others && html`<p class="sidebar-heading">Groups</p>${others}`}</nav></details>`

const contents = ({ operations }: Group, path: string): Html =>
  html`<ul class="names">${operations.map(
    ({ method, path: place, operation }) =>
      html`<li><a href="${path}#${operation.operationId}">${method.toUpperCase()} ${place}</a></li>`,
  )}</ul>`

const shown = ({ operations }: Group, { contract }: FacadeContract, site: Site): readonly Html[] =>
  operations.map((each) => operationShown(each, contract, site))
