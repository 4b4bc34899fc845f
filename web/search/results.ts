import type { DirectorySort, ItemCardFragment } from '#generated/operations.ts'
import { keysOf } from '../../platform/collections/keys-of.ts'
import { MAX_COMPARED } from '../compare/path.ts'
import { whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import type { Site } from '../frame/site.ts'
import { cards } from '../item/card.ts'
import { KIND_LABELS } from '../item/kind.ts'

/** What a search page shows, in its address: null for what was not chosen. */
export type SearchFilter = {
  readonly q: string | null
  readonly kind: string | null
  readonly category: string | null
  readonly after: string | null
  readonly sort: string | null
  readonly official: boolean | null
  readonly keyless: boolean | null
  readonly verified: boolean | null
  readonly location: string | null
  readonly transport: string | null
  readonly tag: string | null
  readonly owner: string | null
  readonly license: string | null
}

/** Names of the filter in an address; the cursor belongs to all of them. */
const NAMES = [
  'q',
  'kind',
  'category',
  'sort',
  'official',
  'keyless',
  'verified',
  'location',
  'transport',
  'tag',
  'owner',
  'license',
  'after',
] as const

/** How pages spell orders. */
export const SORTS = {
  relevance: 'RELEVANCE',
  popularity: 'POPULARITY',
  newest: 'NEWEST',
  updated: 'UPDATED',
  name: 'NAME',
} as const satisfies Readonly<Record<string, DirectorySort>>

/** What people choose servers by: name of the parameter, its value, and a label. */
const SWITCHES = [
  { name: 'official', value: true, label: 'Official' },
  { name: 'verified', value: true, label: 'Verified publisher' },
  { name: 'keyless', value: true, label: 'No key needed' },
  { name: 'location', value: 'remote', label: 'Remote' },
  { name: 'location', value: 'local', label: 'Runs locally' },
  { name: 'transport', value: 'stdio', label: 'stdio' },
  { name: 'transport', value: 'streamable-http', label: 'Streamable HTTP' },
  { name: 'transport', value: 'sse', label: 'SSE' },
] as const

/** What people choose items by their licence: value and label. */
const LICENSES = [
  { value: 'permissive', label: 'Permissive' },
  { value: 'copyleft', label: 'Copyleft' },
  { value: 'unknown', label: 'None known' },
] as const

/** A value that can be chosen, and how many items that would lead to; null where nobody counts. */
export type Choice = { readonly value: string; readonly label: string; readonly count: number | null }

/** A part of the results: one list with its heading, and where it goes on. */
export type Part = {
  readonly heading: string
  readonly items: readonly ItemCardFragment[]
  /** How many items each stands for besides itself; absent: none. */
  readonly similarCounts?: readonly number[]
  readonly total: number
  /** Path of what follows; null at the end. */
  readonly more: { readonly path: string; readonly label: string } | null
}

/** Path of a search page. */
export function searchPath(wanted: Partial<SearchFilter>): string {
  const parameters = new URLSearchParams()
  for (const name of NAMES) {
    const value = wanted[name]
    // False is a condition as well.
    if (value != null && value !== '') parameters.set(name, String(value))
  }
  return parameters.size === 0 ? '/search' : `/search?${parameters}`
}

/** Facets beside results. The region is what script replaces while one types. */
export const results = (
  wanted: SearchFilter,
  {
    kinds,
    categories,
    parts,
  }: { readonly kinds: readonly Choice[]; readonly categories: readonly Choice[]; readonly parts: readonly Part[] },
  site: Site,
): Html => html`<div class="search-layout" id="results">
<aside class="facets" aria-label="Filters"><details class="folded"><summary>Order and filters</summary>
${sorting(wanted, site)}
${facet('Kind', 'kind', kinds, wanted, site)}
${switches(wanted, site)}
${licenses(wanted, site)}
${facet('Owner', 'owner', only(wanted.owner), wanted, site)}
${facet('Tag', 'tag', only(wanted.tag), wanted, site)}
${facet('Category', 'category', categories, wanted, site)}
</details></aside>
<div>
${parts.map((part) => partOf(part, canPick(parts) ? COMPARE : null, site))}
${parts.every(({ total }) => total === 0) && browseLinks(wanted, site)}
${canPick(parts) && html`<form class="picked" id="${COMPARE}" action="${site.at('/compare')}"><button class="secondary">Compare what is chosen</button> <span class="quiet">up to ${MAX_COMPARED}</span></form>`}
${wanted.after !== null && html`<p><a href="${site.at(searchPath({ ...wanted, after: null }))}">Back to the first page</a></p>`}
</div>
</div>`

/** The value that an address names, of which there are too many to list. */
const only = (value: string | null): readonly Choice[] => (value === null ? [] : [{ value, label: value, count: null }])

const sorting = (wanted: SearchFilter, { at }: Site): Html => {
  const chosen = wanted.sort ?? (wanted.q === null ? null : 'relevance')
  const links = keysOf(SORTS).flatMap((sort) => {
    // Without words, the order of a list is its own.
    if (sort === 'relevance' && wanted.q === null) return []
    const path = searchPath({ ...wanted, after: null, sort: sort === 'relevance' ? null : sort })
    return html`<li><a href="${at(path)}"${chosen === sort && html` aria-current="true"`}><span>${sort[0]?.toUpperCase()}${sort.slice(1)}</span></a></li>`
  })
  return html`<h2>Order</h2><ul>${links}</ul>`
}

/** Conditions of servers, each of which is switched on and off by a link. */
const switches = (wanted: SearchFilter, { at }: Site): Html | null => {
  if (wanted.kind !== null && wanted.kind !== 'mcp') return null
  const links = SWITCHES.map(({ name, value, label }) => {
    const isOn = wanted[name] === value
    const path = searchPath({ ...wanted, after: null, [name]: isOn ? null : value })
    return html`<li><a href="${at(path)}"${isOn && html` aria-current="true"`}><span>${isOn && '× '}${label}</span></a></li>`
  })
  return html`<h2>Servers</h2><ul>${links}</ul>`
}

/** Families of licences, and the one that an address names beside them. */
const licenses = (wanted: SearchFilter, { at }: Site): Html => {
  const chosen = wanted.license
  const named = chosen === null || LICENSES.some(({ value }) => value === chosen) ? [] : [{ value: chosen, label: chosen }]
  const links = [...LICENSES, ...named].map(({ value, label }) => {
    const isOn = chosen === value
    const path = searchPath({ ...wanted, after: null, license: isOn ? null : value })
    return html`<li><a href="${at(path)}"${isOn && html` aria-current="true"`}><span>${isOn && '× '}${label}</span></a></li>`
  })
  return html`<h2>Licence</h2><ul>${links}</ul>`
}

/** The form that takes what is chosen in the results. */
const COMPARE = 'compare'

/** Whether there is more than one item to choose. */
const canPick = (parts: readonly Part[]): boolean => parts.flatMap(({ items }) => items).length > 1

/** Choices that are shown at once; the rest is one click away. */
const MAX_SHOWN = 12

function facet(
  heading: string,
  name: 'kind' | 'category' | 'tag' | 'owner',
  choices: readonly Choice[],
  wanted: SearchFilter,
  site: Site,
): Html | null {
  if (choices.length === 0 && wanted[name] === null) return null
  const links = choices.map(({ value, label, count }) => {
    const isChosen = wanted[name] === value
    return html`<li><a href="${site.at(searchPath({ ...wanted, after: null, [name]: value }))}"${isChosen && html` aria-current="true"`}><span>${label}</span>${count !== null && html` <span class="count">${whole(count)}</span>`}</a></li>`
  })
  const [shown, hidden] = [links.slice(0, MAX_SHOWN), links.slice(MAX_SHOWN)]
  return html`<h2>${heading}</h2>
<ul>
${wanted[name] !== null && html`<li><a href="${site.at(searchPath({ ...wanted, after: null, [name]: null }))}"><span>× all</span></a></li>`}
${shown}
</ul>
${hidden.length > 0 && html`<details><summary>${hidden.length} more</summary><ul>${hidden}</ul></details>`}`
}

/** Links of a search without results. */
const browseLinks = ({ q }: SearchFilter, { at }: Site): Html =>
  html`<div class="empty"><p>Browse ${Object.values(KIND_LABELS).map(({ parameter, many }, index) => html`${index > 0 && ', '}<a href="${at(searchPath({ kind: parameter }))}">${many}</a>`)}${q !== null && html`, or search the <a href="${at(`/docs/search?${new URLSearchParams({ q })}`)}">documentation</a>`}.</p></div>`

function partOf({ heading, items, similarCounts, total, more }: Part, picker: string | null, site: Site): Html | null {
  if (total === 0) return null
  return html`<section aria-label="${heading}">
<h2>${heading} <span class="quiet">${whole(total)}</span></h2>
${items.length > 0 && cards(items, similarCounts, picker)}
${more !== null && html`<p class="pages"><a href="${site.at(more.path)}">${more.label}</a></p>`}
</section>`
}

/** The kinds, with how many items each has. */
export const kindChoices = (counts: Readonly<Record<string, number>>): readonly Choice[] =>
  Object.entries(KIND_LABELS).flatMap(([kind, { parameter, many }]) => {
    const count = counts[kind] ?? 0
    return count === 0 ? [] : [{ value: parameter, label: many, count }]
  })
