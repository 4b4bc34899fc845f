import type { LookupTable } from '../../platform/collections/lookup-table.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'

/** Words of addresses for values of the graph, and what people read. */
export type ListLabels<Value extends string> = LookupTable<readonly [value: Value, label: string]>

/** What people read for a value. */
export const wordOf = <Value extends string>(value: Value, words: ListLabels<Value>): string =>
  Object.values(words).find(([filters]) => filters === value)?.[1] ?? value

/** Filter and position of a list. */
export type ListFilter = {
  readonly q?: string | null
  readonly status: string | null
  readonly delivery?: string | null
  readonly after: string | null
}

/** The form above a list: words to look for, and a status. It works by its address alone. */
export const listForm = (
  path: string,
  { q, status }: ListFilter,
  statuses: ListLabels<string>,
  { label, site }: { readonly label: string; readonly site: Site },
): Html => html`<search><form class="fields" action="${site.at(path)}">
<div><label for="q">${label}</label><input type="search" id="q" name="q" value="${q}" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div><label for="status">Status</label><select id="status" name="status"><option value="">any</option>${Object.entries(
  statuses,
).map(([word, [, text]]) => html`<option value="${word}"${word === status && html` selected`}>${text}</option>`)}</select></div>
<div><button>Search</button></div>
</form></search>`

/** A list without a row: nothing fits the filters, or nothing is there yet and `first` says how it begins. */
export const nothingFound = ({ q, status, delivery, after }: ListFilter, many: string, first: Html): Html =>
  (q ?? status ?? delivery ?? after ?? null) === null
    ? html`<div class="empty" role="status"><p><strong>No ${many} yet.</strong></p><p>${first}</p></div>`
    : html`<div class="empty" role="status"><p><strong>No ${many} found.</strong></p><p>Use other words, or another status.</p></div>`

/** Where a list goes on, and back to where it begins. */
export const nextLinks = (
  path: string,
  wanted: ListFilter,
  { hasNextPage, endCursor }: { readonly hasNextPage: boolean; readonly endCursor?: string | null },
  { at }: Site,
): Html =>
  html`<p class="pages">${wanted.after !== null && html`<a href="${at(addressOf(path, { ...wanted, after: null }))}">Back to the first page</a> `}${
    hasNextPage && html`<a href="${at(addressOf(path, { ...wanted, after: endCursor ?? null }))}" rel="next">Next page</a>`
  }</p>`

function addressOf(path: string, wanted: ListFilter): string {
  const selected = Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] != null)
  return selected.length === 0 ? path : `${path}?${new URLSearchParams(selected)}`
}
