import { ConsolePriceListsDocument, type ConsolePriceListsQuery, type RoundingDirection } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip } from '../frame/chip.ts'
import { counted, dayOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ListLabels, nextLinks, nothingFound } from './list.ts'
import { consolePage } from './page.ts'

export const PRICE_LISTS = '/console/price-lists'

/** How prices are rounded, by the words of forms. */
export const ROUNDING_DIRECTIONS: ListLabels<RoundingDirection> = lookupTable({
  nearest: ['NEAREST', 'the nearer price'],
  up: ['UP', 'the higher price'],
  down: ['DOWN', 'the lower price'],
})

type PriceList = ConsolePriceListsQuery['priceLists']['nodes'][number]

/** How much a list adds to prices. */
export const adjustmentOf = ({ adjustmentPercent }: Pick<PriceList, 'adjustmentPercent'>): string => {
  if (adjustmentPercent === null) return 'fixed prices alone'
  const percent = Number(adjustmentPercent)
  return percent === 0 ? 'rounded' : `${Math.abs(percent)} % ${percent < 0 ? 'less' : 'more'}`
}

/** Whether a list applies, in its colour. */
export const priceListChip = ({ active, startsAt, endsAt }: Pick<PriceList, 'active' | 'startsAt' | 'endsAt'>): Html => {
  if (endsAt !== null && new Date(endsAt) <= new Date()) return chip('ended', 'none')
  if (!active) return chip('off', 'none')
  return startsAt !== null && new Date(startsAt) > new Date() ? chip('planned', 'fair') : chip('on', 'good')
}

export const priceLists = consolePage({
  path: PRICE_LISTS,
  label: 'Price lists',
  needs: ['read_products', 'read_customers'],
  operations: [ConsolePriceListsDocument],
  parameters: { after: { kind: 'text', max: 1_000 } },
  notices: { deleted: 'The price list was deleted. Orders keep their prices.' },
  async body({ query, run, site }) {
    const { priceLists: found } = dataOf(await run(ConsolePriceListsDocument, { after: query.after }))
    return html`<div class="heading"><h1>Price lists</h1><a class="button" href="${site.at(`${PRICE_LISTS}/new`)}">Add a price list</a></div>
<p class="quiet">The first list with a price for an item sets it: those of the customer’s category before those for everybody, then those in the shopper’s currency, then the highest priority, then the oldest.</p>
${found.totalCount === 0 ? nothingFound(query, 'price lists', html`<a href="${site.at(`${PRICE_LISTS}/new`)}">Add the first one</a>: prices for a category of customers, or for everybody.`) : html`<p role="status">${counted(found.totalCount, 'price list')}, the oldest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(PRICE_LISTS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly PriceList[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Price lists"><table class="stack">
<thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">For</th><th scope="col">Prices</th><th scope="col">Currency</th><th scope="col" class="number">Fixed prices</th><th scope="col" class="number">Priority</th><th scope="col">Until</th></tr></thead>
<tbody>${nodes.map(
    (list) =>
      html`<tr><th scope="row"><a href="${at(`${PRICE_LISTS}/${list.number}`)}">${list.name}</a></th><td>${priceListChip(list)}</td><td data-label="For">${list.customerCategoryNumber === null ? 'everybody' : (list.customerCategory?.name ?? `category ${list.customerCategoryNumber}`)}</td><td>${adjustmentOf(list)}</td><td>${list.currency}</td><td class="number" data-label="Fixed prices">${whole(list.prices.totalCount)}</td><td class="number" data-label="Priority">${whole(list.priority)}</td><td data-label="Until">${list.endsAt === null ? 'no end' : html`<time datetime="${list.endsAt}">${dayOf(list.endsAt)}</time>`}</td></tr>`,
  )}</tbody></table></div>`
