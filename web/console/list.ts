import { type LookupTable, ownValue } from '../../platform/collections/lookup-table.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

/** Words of addresses for values of the graph, and what people read. */
export type ListLabels<Value extends string> = LookupTable<readonly [value: Value, label: string]>

/** Whether a part of an address may be a REST id. */
export const isRestId = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text)

/** What people read for a value. */
export const wordOf = <Value extends string>(value: Value, words: ListLabels<Value>): string =>
  Object.values(words).find(([filters]) => filters === value)?.[1] ?? value

/** The word of an address for a value. */
export const wordFor = <Value extends string>(value: Value, labels: ListLabels<Value>): string =>
  Object.entries(labels).find(([, [each]]) => each === value)?.[0] ?? ''

/** Filters and position of a list, as its address has them. */
export type ListFilter = { readonly after: string | null } & Readonly<Record<string, string | null>>

/** A filter of a list: its name in addresses, what people read, and its values. */
export type ListSelect = {
  readonly name: string
  readonly label: string
  /** What people read for no value. */
  readonly any: string
  readonly options: readonly (readonly [value: string, label: string])[]
}

/** The values of a filter from their labels. */
export const optionsOf = (labels: ListLabels<string>): ListSelect['options'] =>
  Object.entries(labels).map(([word, [, label]]) => [word, label])

/** The form above a list: words to search for, and its filters. It works by its address alone. */
export const listForm = (
  path: string,
  filter: ListFilter,
  choices: readonly ListSelect[],
  { label, site }: { readonly label: string; readonly site: Site },
): Html => html`<search><form class="fields fields-list-filter" action="${site.at(path)}">
<div><label for="q">${label}</label><input type="search" id="q" name="q" value="${filter.q}" maxlength="200" autocomplete="off" spellcheck="false"></div>
${choices.map(
  ({ name, label: text, any, options }) =>
    html`<div><label for="${name}">${text}</label><select id="${name}" name="${name}"><option value="">${any}</option>${options.map(
      ([value, each]) => html`<option value="${value}"${value === ownValue(filter, name) && html` selected`}>${each}</option>`,
    )}</select></div>`,
)}
<div><button>Search</button></div>
</form></search>`

/** A list without a row: nothing fits the filters, or nothing is there yet and `first` says how it begins. */
export const nothingFound = (filter: ListFilter, many: string, first: Html): Html =>
  Object.entries(filter).every(([name, value]) => value === null || name === 'done')
    ? html`<div class="empty" role="status"><p><strong>No ${many} yet.</strong></p><p>${first}</p></div>`
    : html`<div class="empty" role="status"><p><strong>No ${many} found.</strong></p><p>Use other words, or other filters.</p></div>`

/** Where a list goes on, and back to where it begins. */
export const nextLinks = (
  path: string,
  filter: ListFilter,
  { hasNextPage, endCursor }: { readonly hasNextPage: boolean; readonly endCursor?: string | null },
  { at }: Site,
): Html =>
  html`<p class="pages">${filter.after !== null && html`<a href="${at(addressOf(path, { ...filter, after: null }))}">Back to the first page</a> `}${
    hasNextPage && html`<a href="${at(addressOf(path, { ...filter, after: endCursor ?? null }))}" rel="next">Next page</a>`
  }</p>`

function addressOf(path: string, filter: ListFilter): string {
  const selected = Object.entries(filter).filter((pair): pair is [string, string] => pair[1] != null && pair[0] !== 'done')
  return selected.length === 0 ? path : `${path}?${new URLSearchParams(selected)}`
}
