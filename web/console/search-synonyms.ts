import {
  ConsoleCreateSearchSynonymDocument,
  ConsoleDeleteSearchSynonymDocument,
  ConsoleSearchSynonymDocument,
  ConsoleSearchSynonymsDocument,
  type ConsoleSearchSynonymsQuery,
  ConsoleUpdateSearchSynonymDocument,
} from '#generated/operations.ts'
import { type MutationPayload, toChanged } from '../frame/change.ts'
import { counted } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { onceField, textArea, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { isRestId, nextLinks, nothingFound } from './list.ts'
import { consolePage } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'

const SEARCH = '/console/search'
const ADD = `${SEARCH}/add`
/** Characters of ten words or phrases, a line each. */
const MAX_LENGTH = 600

type Synonym = ConsoleSearchSynonymsQuery['searchSynonyms']['nodes'][number]

export const searchSynonyms = consolePage({
  path: SEARCH,
  label: 'Search',
  needs: ['read_settings'],
  operations: [ConsoleSearchSynonymsDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: {
    added: 'The synonyms were added. The shop finds by them within half a minute.',
    deleted: 'The synonyms were deleted.',
  },
  async body({ query, run, site, visit, form }) {
    const { searchSynonyms: found } = dataOf(await run(ConsoleSearchSynonymsDocument, { after: query.after }))
    return html`<h1>Search synonyms</h1>
<p class="lead">Words that shoppers use for the same thing. Case, accents and typing errors do not matter.</p>
${found.totalCount === 0 ? nothingFound(query, 'synonyms', html`Add words below that shoppers use for what you call something else.`) : html`<p role="status">${counted(found.totalCount, 'entry', 'entries')}, the oldest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(SEARCH, query, found.pageInfo, site)}
<section aria-labelledby="add"><h2 id="add">Add synonyms</h2><div class="edit">${changeForm(
      ADD,
      visit,
      site,
      html`${onceField()}${synonymFields(form(ADD), { terms: [], targets: [] })}<p><button>Add</button></p>`,
    )}</div></section>`
  },
})

const table = (nodes: readonly Synonym[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Synonyms"><table>
<thead><tr><th scope="col">Words</th><th scope="col">Find</th></tr></thead>
<tbody>${nodes.map(
    ({ number, terms, targets }) =>
      html`<tr><th scope="row"><a href="${at(`${SEARCH}/${number}`)}">${terms.join(', ')}</a></th><td>${targets.length === 0 ? 'each other' : html`also ${targets.join(', ')}`}</td></tr>`,
  )}</tbody></table></div>`

export const searchSynonym = consolePage({
  path: `${SEARCH}/{number}`,
  label: 'Synonyms',
  needs: ['read_settings'],
  operations: [ConsoleSearchSynonymDocument],
  notices: { saved: 'The synonyms were saved. The shop finds by them within half a minute.' },
  async body({ path: { number }, run, site, visit, form: formAt }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsoleSearchSynonymDocument, { number })
    const found = foundIn(dataOf(answer).searchSynonym, answer)
    if (found === null) return null
    const path = `${SEARCH}/${number}`
    return html`<p class="trail"><a href="${site.at(SEARCH)}">Search synonyms</a></p>
<h1>${found.terms.join(', ')}</h1>
<div class="edit">${changeForm(path, visit, site, html`${versionField(found.version)}${synonymFields(formAt(path), found)}<p><button>Save</button></p>`)}</div>
<details class="confirm"><summary>Delete the synonyms…</summary>${changeForm(`${path}/delete`, visit, site, html`${versionField(found.version)}<p>Shoppers find only what has the words themselves.</p><p><button class="danger">Delete these synonyms</button></p>`)}</details>`
  },
})

const synonymFields = (form: FormState, { terms, targets }: Pick<Synonym, 'terms' | 'targets'>): Html =>
  html`${textArea(form, { name: 'terms', label: 'Words or phrases', stored: terms.join('\n'), rows: 4, maxLength: MAX_LENGTH, isRequired: true, hint: 'One on each line, at most 10. Each finds all others.' })}
${textArea(form, { name: 'targets', label: 'Only in one direction: what these find as well', stored: targets.join('\n'), rows: 3, maxLength: MAX_LENGTH, hint: 'One on each line. With these, the words above do not find each other, and are not found by these.' })}`

const linesOf = (form: FormReader, name: string): string[] =>
  (form.lines(name) ?? '').split('\n').filter((line) => line.trim() !== '')

const inputOf = (form: FormReader) => ({ terms: linesOf(form, 'terms'), targets: linesOf(form, 'targets') })

/** Problems of a line are shown at its field. */
const atFields = (payload: MutationPayload): MutationPayload =>
  payload.errors
    ? { ...payload, errors: payload.errors.map((error) => ({ ...error, field: error.field?.split('.')[0] ?? '' })) }
    : payload

export const searchSynonymChanges = [
  consoleChange({
    path: ADD,
    on: searchSynonyms,
    operations: [ConsoleCreateSearchSynonymDocument],
    async make({ field, run }) {
      const form = readForm(field)
      const input = { ...inputOf(form), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleCreateSearchSynonymDocument, { input }))
      return toChanged(atFields(result), { at: SEARCH, notice: 'added' })
    },
  }),
  consoleChange({
    path: `${SEARCH}/{number}`,
    on: searchSynonym,
    operations: [ConsoleUpdateSearchSynonymDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { ...inputOf(form), expectedVersion: form.version() }
      const { result } = dataOf(await run(ConsoleUpdateSearchSynonymDocument, { number, input }))
      return toChanged(atFields(result), { at: `${SEARCH}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${SEARCH}/{number}/delete`,
    on: searchSynonym,
    operations: [ConsoleDeleteSearchSynonymDocument],
    async make({ path: { number }, field, run }) {
      const { result } = dataOf(await run(ConsoleDeleteSearchSynonymDocument, { number, version: readForm(field).version() }))
      return toChanged(result, { at: SEARCH, notice: 'deleted' })
    },
  }),
]
