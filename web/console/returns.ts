import { ConsoleReturnsDocument, type ConsoleReturnsQuery, type OrderReturnStatus } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { nextLinks, nothingFound } from './list.ts'
import { ORDERS } from './orders.ts'
import { consolePage } from './page.ts'

export const RETURNS = '/console/returns'

const STATUSES: Readonly<Record<OrderReturnStatus, readonly [label: string, tone: Tone]>> = {
  REQUESTED: ['requested', 'doubt'],
  APPROVED: ['approved', 'fair'],
  DECLINED: ['declined', 'bad'],
  RECEIVED: ['received', 'doubt'],
  CLOSED: ['closed', 'good'],
  CANCELED: ['canceled', 'none'],
}

/** The status of a return, in its colour. */
export const returnChip = (status: OrderReturnStatus): Html => chip(...STATUSES[status])

/** Filters of the list: what the merchant decides or refunds next, what is awaited, what is over. */
const FILTERS: LookupTable<readonly [statuses: OrderReturnStatus[], label: string]> = lookupTable({
  open: [['REQUESTED', 'RECEIVED'], 'to decide or refund'],
  approved: [['APPROVED'], 'on their way'],
  over: [['CLOSED', 'DECLINED', 'CANCELED'], 'over'],
})

type Return = ConsoleReturnsQuery['orderReturns']['nodes'][number]

export const returns = consolePage({
  path: RETURNS,
  label: 'Returns',
  needs: ['read_orders'],
  operations: [ConsoleReturnsDocument],
  parameters: {
    status: { kind: 'enum', values: Object.keys(FILTERS) },
    after: { kind: 'text', max: 1_000 },
  },
  async body({ query, run, site }) {
    const { status, after } = query
    const chosen = status === null ? null : (FILTERS[status]?.[0] ?? null)
    const { orderReturns: found } = dataOf(await run(ConsoleReturnsDocument, { status: chosen, after }))
    return html`<h1>Returns</h1>
<nav class="filters" aria-label="Returns">${[null, ...Object.keys(FILTERS)].map((word) => html`<a href="${site.at(RETURNS)}${word && html`?status=${word}`}"${word === status && html` aria-current="true"`}>${word === null ? 'all' : FILTERS[word]?.[1]}</a> `)}</nav>
${found.totalCount === 0 ? nothingFound(query, 'returns', html`Shoppers request them from their account in the shop; you add one on the page of its order.`) : html`<p role="status">${counted(found.totalCount, 'return')}, the oldest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(RETURNS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly Return[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Returns"><table class="stack">
<thead><tr><th scope="col">Return</th><th scope="col">Status</th><th scope="col" class="number">Units</th><th scope="col">Customer</th><th scope="col">Created by</th><th scope="col">Created</th></tr></thead>
<tbody>${nodes.map(
    ({ number, status, requestedBy, createdAt, order: { number: order, customer }, lines }) =>
      html`<tr><th scope="row"><a href="${at(`${ORDERS}/${order}`)}#returns">${number}, of order ${order}</a></th><td>${returnChip(status)}</td><td class="number" data-label="Units">${whole(lines.reduce((sum, { quantity }) => sum + quantity, 0))}</td><td>${customer?.fullname ?? customer?.email ?? 'a guest'}</td><td data-label="Created by">${requestedBy === 'CUSTOMER' ? 'customer' : 'store'}</td><td><time datetime="${createdAt}">${dayOf(createdAt)}</time></td></tr>`,
  )}</tbody></table></div>`
