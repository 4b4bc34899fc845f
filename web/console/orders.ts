import {
  ConsoleOrdersDocument,
  type ConsoleOrdersQuery,
  type FulfillmentStatus,
  type OrderStatus,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ListLabels, type ListSelect, listForm, nextLinks, nothingFound, optionsOf, wordOf } from './list.ts'
import { consolePage } from './page.ts'

export const ORDERS = '/console/orders'

/** What each status is called in addresses and on the page. */
export const ORDER_STATUSES: ListLabels<OrderStatus> = lookupTable({
  paid: ['PAID', 'paid'],
  pending: ['PENDING_PAYMENT', 'payment pending'],
  canceled: ['CANCELED', 'canceled'],
  cart: ['ABANDONED', 'cart'],
})

export const FULFILLMENT: Readonly<Record<FulfillmentStatus, string>> = { FULFILLED: 'fulfilled', UNFULFILLED: 'unfulfilled' }

/** Words of addresses for how orders are delivered. */
const DELIVERIES = lookupTable<FulfillmentStatus>({ fulfilled: 'FULFILLED', unfulfilled: 'UNFULFILLED' })

const CHOICES: readonly ListSelect[] = [
  { name: 'status', label: 'Status', any: 'any', options: optionsOf(ORDER_STATUSES) },
  {
    name: 'delivery',
    label: 'Delivery',
    any: 'any',
    options: Object.entries(DELIVERIES).map(([word, value]) => [word, FULFILLMENT[value]]),
  },
]

type Order = ConsoleOrdersQuery['orders']['nodes'][number]

export const orders = consolePage({
  path: ORDERS,
  label: 'Orders',
  needs: ['read_orders'],
  operations: [ConsoleOrdersDocument],
  parameters: {
    q: { kind: 'text', max: 200 },
    status: { kind: 'enum', values: Object.keys(ORDER_STATUSES) },
    delivery: { kind: 'enum', values: Object.keys(DELIVERIES) },
    after: { kind: 'text', max: 1_000 },
  },
  async body({ query, run, site }) {
    const { q, status, delivery, after } = query
    const delivered = delivery === null ? undefined : DELIVERIES[delivery]
    const chosen = status === null ? undefined : ORDER_STATUSES[status]
    const { orders: found } = dataOf(
      await run(ConsoleOrdersDocument, {
        search: q,
        filter: { ...(chosen && { status: [chosen[0]] }), ...(delivered && { fulfillmentStatus: [delivered] }) },
        after,
      }),
    )
    return html`<h1>Orders</h1>
${listForm(ORDERS, query, CHOICES, { label: 'Number, customer, product…', site })}
${found.totalCount === 0 ? nothingFound(query, 'orders', html`Orders appear here as soon as somebody buys. <a href="${site.at('/docs/store')}#try-it">Create one over the API</a>.`) : html`<p role="status">${counted(found.totalCount, 'order')}, the newest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(ORDERS, query, found.pageInfo, site)}`
  },
})

const table = (
  nodes: readonly Order[],
  site: Site,
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Orders"><table class="stack">
<thead><tr><th scope="col">Number</th><th scope="col">Customer</th><th scope="col">Status</th><th scope="col">Delivery</th><th scope="col" class="number">Total</th><th scope="col">Created</th></tr></thead>
<tbody>${nodes.map(
  (
    order,
  ) => html`<tr><th scope="row"><a href="${site.at(`${ORDERS}/${order.number}`)}">${order.number}</a>${order.importedFrom !== null && html`<br><span class="quiet">${order.importedFrom.name}</span>`}</th><td>${customerOf(order)}</td><td>${orderChip(order.status)}</td><td>${FULFILLMENT[order.fulfillmentStatus]}</td>
<td class="number">${money(order.total, order.currency)}</td><td><time datetime="${order.createdAt}">${dayOf(order.createdAt)}</time></td></tr>`,
)}</tbody></table></div>`

const ORDER_TONES: Readonly<Record<OrderStatus, Tone>> = {
  PAID: 'good',
  PENDING_PAYMENT: 'doubt',
  CANCELED: 'bad',
  ABANDONED: 'none',
}

/** The status of an order, in its colour. */
export const orderChip = (status: OrderStatus): Html => chip(wordOf(status, ORDER_STATUSES), ORDER_TONES[status])

const customerOf = ({ customer }: Order): string => customer?.fullname ?? customer?.email ?? 'a guest'
