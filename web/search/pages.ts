import {
  BrowsePageDocument,
  type BrowsePageQuery,
  type DirectoryKind,
  type DirectorySort,
  SearchPageDocument,
} from '#generated/operations.ts'
import { keysOf } from '../../platform/collections/keys-of.ts'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { KIND_LABELS, KIND_PARAMETERS, kindOf } from '../item/kind.ts'
import { searchForm } from './form.ts'
import { type Choice, kindChoices, type Part, results, type SearchFilter, SORTS, searchPath } from './results.ts'

/** How many of each kind are shown where none was chosen, and of one that was. */
const MAX_PER_KIND = 5
const SINGLE_KIND_PAGE_SIZE = 20

export const searchPages = [
  page({
    on: '/search',
    operations: [SearchPageDocument, BrowsePageDocument],
    parameters: {
      q: { kind: 'text', max: 200 },
      kind: { kind: 'enum', values: KIND_PARAMETERS },
      category: { kind: 'text', max: 100 },
      sort: { kind: 'enum', values: ['relevance', 'popularity', 'newest', 'updated', 'name'] },
      official: { kind: 'boolean' },
      keyless: { kind: 'boolean' },
      verified: { kind: 'boolean' },
      location: { kind: 'enum', values: ['local', 'remote'] },
      transport: { kind: 'enum', values: ['stdio', 'streamable-http', 'sse', 'unknown'] },
      tag: { kind: 'text', max: 100 },
      owner: { kind: 'text', max: 200 },
      license: { kind: 'text', max: 120 },
      after: { kind: 'text', max: 1_000 },
    },
    async answer({ query, run, site }) {
      const found = query.q === null ? await browsed(query, run) : await searched({ ...query, q: query.q }, run)
      return pageOf(query, found, site)
    },
  }),
]

type Found = { readonly kinds: readonly Choice[]; readonly categories: readonly Choice[]; readonly parts: readonly Part[] }

async function searched(wanted: SearchFilter & { readonly q: string }, run: RunPageOperation): Promise<Found> {
  const { q, kind, category, after } = wanted
  const filter = { ...conditionsOf(wanted), tag: wanted.tag, owner: wanted.owner, license: wanted.license }
  const { search, ofKinds, ofCategories } = dataOf(
    await run(SearchPageDocument, {
      query: q,
      kinds: kind === null ? null : [kindOf(kind)],
      category,
      after,
      filter,
      sort: sortOf(wanted),
    }),
  )
  const { hasNextPage, endCursor } = search.pageInfo
  return {
    kinds: kindChoices(Object.fromEntries(ofKinds.facets.kinds.map(({ value, count }) => [value, count]))),
    categories: ofCategories.facets.categories.map(({ value, count }) => ({ value, label: value, count })),
    parts: [
      {
        heading: after === null ? 'Results' : 'More results',
        items: search.edges.map(({ node }) => node),
        similarCounts: search.edges.map(({ similarCount }) => similarCount),
        total: search.totalCount,
        more: hasNextPage ? { path: searchPath({ ...wanted, after: endCursor ?? null }), label: 'Next results' } : null,
      },
    ],
  }
}

const sortOf = ({ sort }: SearchFilter): DirectorySort | null => (sort === null ? null : (ownValue(SORTS, sort) ?? null))

const conditionsOf = ({ official, keyless, verified, location, transport }: SearchFilter) => ({
  official,
  keyless,
  verified,
  transport,
  location: location === null ? null : location === 'remote' ? ('REMOTE' as const) : ('LOCAL' as const),
})

const hasConditions = (wanted: SearchFilter): boolean => Object.values(conditionsOf(wanted)).some((value) => value !== null)

/** What there is, where nothing was typed. */
async function browsed(wanted: SearchFilter, run: RunPageOperation): Promise<Found> {
  // Only servers meet conditions of servers.
  const chosen = wanted.kind !== null ? kindOf(wanted.kind) : hasConditions(wanted) ? 'MCP_SERVER' : null
  const isWanted = (kind: DirectoryKind) => chosen === null || chosen === kind
  const data = dataOf(
    await run(BrowsePageDocument, {
      servers: isWanted('MCP_SERVER'),
      plugins: isWanted('PLUGIN'),
      skills: isWanted('SKILL'),
      category: wanted.category,
      ...conditionsOf(wanted),
      tag: wanted.tag,
      owner: wanted.owner,
      license: wanted.license,
      sort: sortOf(wanted),
      first: chosen === null ? MAX_PER_KIND : SINGLE_KIND_PAGE_SIZE,
      // A cursor belongs to one list.
      after: chosen === null ? null : wanted.after,
    }),
  )
  const parts = keysOf(KIND_LABELS).flatMap((kind): Part[] => {
    const list = data[kind]
    if (!list || list.totalCount === 0) return []
    const { parameter, many } = KIND_LABELS[kind]
    const { hasNextPage, endCursor } = list.pageInfo
    const more =
      chosen === null
        ? {
            path: searchPath({
              kind: parameter,
              category: wanted.category,
              sort: wanted.sort,
              tag: wanted.tag,
              owner: wanted.owner,
              license: wanted.license,
            }),
            label: `All ${whole(list.totalCount)}`,
          }
        : { path: searchPath({ ...wanted, after: endCursor ?? null }), label: `More ${many}` }
    return [{ heading: many, items: list.edges.map(({ node }) => node), total: list.totalCount, more: hasNextPage ? more : null }]
  })
  return { ...choices(data.categories, chosen, wanted), parts }
}

function choices(
  { mcp, plugins, skills }: BrowsePageQuery['categories'],
  chosen: DirectoryKind | null,
  { category }: SearchFilter,
): Pick<Found, 'kinds' | 'categories'> {
  const lists: Readonly<Record<DirectoryKind, typeof mcp>> = { MCP_SERVER: mcp, PLUGIN: plugins, SKILL: skills }
  const within = Object.entries(lists).map(([kind, list]) => {
    const counted = category === null ? list : list.filter(({ name }) => name === category)
    return [kind, counted.reduce((sum, { count }) => sum + count, 0)] as const
  })
  const counts = new Map<string, number>()
  for (const { name, count } of chosen === null ? Object.values(lists).flat() : lists[chosen]) {
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return {
    kinds: kindChoices(Object.fromEntries(within)),
    categories: [...counts]
      .map(([value, count]) => ({ value, label: value, count }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1)),
  }
}

function pageOf(wanted: SearchFilter, found: Found, site: Site): WebPage {
  const { q, kind, category } = wanted
  const place = [kind === null ? null : KIND_LABELS[kindOf(kind)].many, category].filter((each) => each !== null).join(', ')
  const title = q === null ? place || 'Search' : `${q} in ${place || 'everything'}`
  return {
    title,
    description: `MCP servers, plugins and agent skills${q === null ? '' : ` for “${q}”`}${place === '' ? '' : ` (${place})`}: description, installation and trust assessment.`,
    // What somebody typed is no page of the site; what there is of a kind and a category is.
    ...(q === null &&
      wanted.after === null &&
      wanted.sort === null &&
      !hasConditions(wanted) &&
      wanted.license === null && { canonical: searchPath({ kind, category }) }),
    scripts: ['search.js'],
    body: html`<h1>${q === null ? title : html`Search`}</h1>
${searchForm(q ?? '', wanted, site)}
${found.parts.length === 0 || found.parts.every(({ total }) => total === 0) ? nothing(wanted, site) : null}
${results(wanted, found, site)}`,
  }
}

const nothing = ({ q, kind, category, license }: SearchFilter, { at }: Site): Html =>
  html`<p role="status">Nothing${q !== null && html` for <strong>${q}</strong>`}${
    (kind !== null || category !== null || license !== null) &&
    html` with these filters. <a href="${at(searchPath({ q }))}">Remove the filters</a>`
  }. Use fewer words; typing errors are tolerated.</p>`
