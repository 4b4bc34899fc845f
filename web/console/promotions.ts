import { ConsolePromotionsDocument, type ConsolePromotionsQuery, type DiscountTarget } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip } from '../frame/chip.ts'
import { counted, dayOf, money, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { nextLinks, nothingFound } from './list.ts'
import { consolePage } from './page.ts'

export const PROMOTIONS = '/console/promotions'

/** What a discount is taken off. */
export const TARGETS: Readonly<Record<DiscountTarget, string>> = {
  ORDER: 'the order',
  SHIPPING: 'shipping',
  CATEGORIES: 'some products',
  BUY_X_GET_Y: 'every so many units',
}

const STATES = lookupTable<readonly [isEnabled: boolean, label: string]>({ on: [true, 'on'], off: [false, 'off'] })

type Promotion = ConsolePromotionsQuery['promotions']['nodes'][number]

/** How much a promotion takes off, and of what. */
export const discountOf = (
  {
    type,
    discountAmountFix,
    discountAmountPercent,
    discountTarget,
  }: Pick<Promotion, 'type' | 'discountAmountFix' | 'discountAmountPercent' | 'discountTarget'>,
  currency: string,
): string =>
  `${type === 'FIX' ? money(discountAmountFix ?? '0', currency) : `${Number(discountAmountPercent ?? 0)} %`} off ${TARGETS[discountTarget]}`

/** Whether a promotion applies, in its colour. */
export const promotionChip = ({ enabled, status, beginsAt }: Pick<Promotion, 'enabled' | 'status' | 'beginsAt'>): Html => {
  if (status === 'EXPIRED') return chip('ended', 'none')
  if (!enabled) return chip('off', 'none')
  return beginsAt !== null && new Date(beginsAt) > new Date() ? chip('planned', 'fair') : chip('on', 'good')
}

export const promotions = consolePage({
  path: PROMOTIONS,
  label: 'Promotions',
  needs: ['read_promotions'],
  operations: [ConsolePromotionsDocument],
  parameters: {
    state: { kind: 'enum', values: Object.keys(STATES) },
    after: { kind: 'text', max: 1_000 },
  },
  notices: { deleted: 'The promotion was deleted. Orders keep their discounts.' },
  async body({ query, run, site }) {
    const { state, after } = query
    const enabled = state === null ? null : (STATES[state]?.[0] ?? null)
    const { store, promotions: found } = dataOf(await run(ConsolePromotionsDocument, { enabled, after }))
    return html`<div class="heading"><h1>Promotions</h1><a class="button" href="${site.at(`${PROMOTIONS}/new`)}">Add a promotion</a></div>
<nav class="filters" aria-label="Promotions">${[null, ...Object.keys(STATES)].map((word) => html`<a href="${site.at(PROMOTIONS)}${word && html`?state=${word}`}"${word === state && html` aria-current="true"`}>${word === null ? 'all' : STATES[word]?.[1]}</a> `)}</nav>
${found.totalCount === 0 ? nothingFound(query, 'promotions', html`<a href="${site.at(`${PROMOTIONS}/new`)}">Add the first one</a>: a discount for everybody, or for those with a coupon.`) : html`<p role="status">${counted(found.totalCount, 'promotion')}, the oldest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, store.currency, site)}
${nextLinks(PROMOTIONS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly Promotion[], currency: string, { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Promotions"><table class="stack">
<thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Discount</th><th scope="col">Coupons</th><th scope="col">Until</th><th scope="col" class="number">Orders</th></tr></thead>
<tbody>${nodes.map(
    (promotion) =>
      html`<tr><th scope="row"><a href="${at(`${PROMOTIONS}/${promotion.number}`)}">${promotion.name}</a></th><td>${promotionChip(promotion)}</td><td>${discountOf(promotion, currency)}</td><td data-label="Coupons">${couponsOf(promotion)}</td><td data-label="Until">${promotion.expiresAt === null ? 'no end' : html`<time datetime="${promotion.expiresAt}">${dayOf(promotion.expiresAt)}</time>`}</td><td class="number" data-label="Orders">${whole(promotion.timesUsed)}</td></tr>`,
  )}</tbody></table></div>`

const couponsOf = ({ coupons: [first, ...others] }: Promotion): Html | string =>
  first === undefined
    ? 'none needed'
    : html`<code>${first.code}</code>${others.length > 0 && ` and ${whole(others.length)} more`}`
