import {
  ShopAccountListPageDocument,
  type ShopListContentsFragment,
  ShopListPageDocument,
  type StorefrontProductSort,
} from '#generated/operations.ts'
import { counted } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { type PageSession, page, type RunPageOperation, type WebPage } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { shopSessionOf } from './cart-cookie.ts'
import { type ChosenFacets, chosenQuery, facetLists, filterOf, isAnyChosen } from './facets.ts'
import { breadcrumbs, frameOf, languageField, linksOf, type ShopLinks, trail } from './frame.ts'
import { LANGUAGE } from './front-pages.ts'
import { productGrid } from './product-card.ts'
import { feedLink } from './product-feed.ts'
import { shopFor } from './shop-for.ts'

type Shop = ShopListContentsFragment

const LIST_DOCUMENTS = [ShopListPageDocument, ShopAccountListPageDocument] as const

/** Sort orders by their names in addresses. */
const SORTS = {
  newest: { sort: 'NEWEST', label: 'Newest first' },
  'price-up': { sort: 'PRICE_ASC', label: 'Lowest price first' },
  'price-down': { sort: 'PRICE_DESC', label: 'Highest price first' },
  name: { sort: 'NAME', label: 'By name' },
} as const satisfies Record<string, { readonly sort: StorefrontProductSort; readonly label: string }>

const PARAMETERS = {
  language: LANGUAGE,
  q: { kind: 'text', max: 200, collapsesSpace: true },
  brand: { kind: 'texts', max: 255, count: 20 },
  option: { kind: 'texts', max: 511, count: 20 },
  rating: { kind: 'integer', min: 0, max: 5, default: 0 },
  available: { kind: 'boolean' },
  sort: { kind: 'enum', values: ['newest', 'price-up', 'price-down', 'name'] },
  after: { kind: 'text', max: 1_000 },
} as const

/** What a list shows, as its address has it. */
type Wanted = ChosenFacets & {
  readonly code: string
  /** Permalink; null: all products. */
  readonly collection: string | null
  readonly language: string | null
  readonly q: string | null
  readonly sort: keyof typeof SORTS | null
  readonly after: string | null
}

/** Lists of products: of a collection, and of a search. */
export const shopListPages = [
  page({
    on: '/shops/{code}/search',
    operations: LIST_DOCUMENTS,
    parameters: PARAMETERS,
    sessionOf: shopSessionOf,
    answer: ({ path, query, ...request }) => answer({ ...query, code: path.code, collection: null }, request),
  }),
  page({
    on: '/shops/{code}/collections/{permalink}',
    operations: LIST_DOCUMENTS,
    parameters: PARAMETERS,
    sessionOf: shopSessionOf,
    answer: ({ path, query, ...request }) => answer({ ...query, code: path.code, collection: path.permalink }, request),
  }),
]

async function answer(
  wanted: Wanted,
  { run, site, session }: { readonly run: RunPageOperation; readonly site: Site; readonly session: PageSession | null },
): Promise<WebPage | null> {
  const { code, collection, language, q, sort, after } = wanted
  const shop = await shopFor(run, session, LIST_DOCUMENTS, {
    code,
    language,
    permalink: collection ?? '',
    isCollection: collection !== null,
    query: q,
    filter: filterOf(wanted, collection),
    sort: sort === null ? null : SORTS[sort].sort,
    after,
  })
  if (shop === null || (collection !== null && !shop.collection)) return null
  const links = linksOf(shop, language, site)
  const here = collection === null ? '/search' : `/collections/${encodeURIComponent(collection)}`
  const title = shop.collection?.name ?? (q === null ? 'All products' : `“${q}”`)
  const isFirst = q === null && after === null && sort === null && !isAnyChosen(wanted)
  const above = stepsAbove(shop)
  return {
    title,
    description: `${title} at ${shop.name}: ${counted(shop.products.totalCount, 'product')}.`,
    ...(isFirst && { canonical: links.path(here), alternates: [feedLink(links, collection === null ? '' : here)] }),
    frame: frameOf(shop, links, q ?? ''),
    structured: [
      breadcrumbs(
        [...above, { name: title, path: here }].map(({ name, path }) => ({ name, path: links.path(path) })),
        site,
      ),
    ],
    body: html`${trail(
      above.map(({ name, path }) => ({ name, href: links.to(path) })),
      title,
    )}
<h1>${q !== null && shop.collection == null ? 'Results for ' : ''}${title}</h1>
${shop.collection && shop.collection.children.length > 0 && html`<ul class="tiles">${shop.collection.children.map(({ name, permalink }) => html`<li><a href="${links.to(`/collections/${encodeURIComponent(permalink)}`)}">${name}</a></li>`)}</ul>`}
${listBody(shop, wanted, here, links)}`,
  }
}

function stepsAbove(shop: Shop) {
  const parents = [shop.collection?.parent?.parent, shop.collection?.parent].filter((each) => each != null)
  return [
    { name: shop.name, path: '' },
    ...parents.map(({ name, permalink }) => ({ name, path: `/collections/${encodeURIComponent(permalink)}` })),
  ]
}

function listBody(shop: Shop, wanted: Wanted, here: string, links: ShopLinks): Html {
  const { nodes, totalCount, pageInfo, searchedFor, facets } = shop.products
  const { q, sort, after } = wanted
  const base = { q, sort }
  const addressOf = (next: ChosenFacets) => links.to(here, { ...base, ...chosenQuery(next) })
  const filters = facetLists(facets, wanted, addressOf)
  return html`<div class="search-layout">
<aside aria-label="Filters"><details class="facets shop-facets"${isAnyChosen(wanted) && html` open`}><summary>Filter</summary>
${isAnyChosen(wanted) && html`<p><a href="${links.to(here, base)}">Clear all filters</a></p>`}
${filters}</details></aside>
<div>
${searchedFor !== null && html`<p role="status">Nothing is called “${q}”. These are results for <strong>${searchedFor}</strong>.</p>`}
<div class="list-head"><p class="quiet">${totalCount === 0 ? 'Nothing found' : counted(totalCount, 'product')}</p>${totalCount > 1 && sortForm(wanted, here, links)}</div>
${
  nodes.length === 0
    ? html`<p>Nothing here matches. ${isAnyChosen(wanted) ? html`<a href="${links.to(here, base)}">Clear all filters</a>` : html`<a href="${links.to('/search')}">See everything</a>`}</p>`
    : productGrid(nodes, shop.currency, links)
}
<p class="pages">${after !== null && html`<a href="${links.to(here, { ...base, ...chosenQuery(wanted) })}">Back to the first page</a> `}${
    pageInfo.hasNextPage &&
    html`<a class="button" href="${links.to(here, { ...base, ...chosenQuery(wanted), after: pageInfo.endCursor })}" rel="next">More products</a>`
  }</p>
</div>
</div>`
}

const sortForm = (wanted: Wanted, here: string, links: ShopLinks): Html =>
  html`<form class="sort" action="${links.to(here).split('?', 1)[0]}">${languageField(links)}${Object.entries({ q: wanted.q, ...chosenQuery(wanted) }).flatMap(([name, value]) => [value || []].flat().map((each) => html`<input type="hidden" name="${name}" value="${each}">`))}
<label for="sort">Order</label><select id="sort" name="sort">${wanted.q !== null && html`<option value="">Best match first</option>`}${Object.entries(SORTS).map(([name, { label }]) => html`<option value="${name}"${wanted.sort === name && html` selected`}>${label}</option>`)}</select><button class="secondary">Sort</button></form>`
