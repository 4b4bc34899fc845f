import {
  ConsoleDraftsDocument,
  type ConsoleDraftsQuery,
  type DraftOrderContentsInput,
  type DraftOrderStatus,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { nextLinks, nothingFound } from './list.ts'
import { ORDERS } from './orders.ts'
import { consolePage } from './page.ts'

export const DRAFTS = '/console/drafts'

const STATUSES: Readonly<Record<DraftOrderStatus, readonly [label: string, tone: Tone]>> = {
  OPEN: ['open', 'doubt'],
  COMPLETED: ['completed', 'good'],
  CANCELED: ['canceled', 'none'],
}

/** The status of a draft, in its colour. */
export const draftChip = (status: DraftOrderStatus): Html => chip(...STATUSES[status])

/** Statuses by the words of addresses; without a word, those that can be worked on. */
const FILTERS = lookupTable<DraftOrderStatus[]>({
  completed: ['COMPLETED'],
  canceled: ['CANCELED'],
  all: ['OPEN', 'COMPLETED', 'CANCELED'],
})

/** What a draft contains. */
export const contentsOf = ({ contents }: { readonly contents: unknown }): DraftOrderContentsInput =>
  // The graph returns the input as it was given.
  contents as DraftOrderContentsInput

type Draft = ConsoleDraftsQuery['draftOrders']['nodes'][number]

export const drafts = consolePage({
  path: DRAFTS,
  label: 'Drafts',
  needs: ['read_orders'],
  operations: [ConsoleDraftsDocument],
  parameters: {
    status: { kind: 'enum', values: Object.keys(FILTERS) },
    after: { kind: 'text', max: 1_000 },
  },
  async body({ query, run, site }) {
    const { status, after } = query
    const chosen = (status === null ? null : FILTERS[status]) ?? ['OPEN']
    const { draftOrders: found } = dataOf(await run(ConsoleDraftsDocument, { status: chosen, after }))
    return html`<h1>Drafts</h1>
<p class="lead">Orders that you prepare, by telephone for example. A draft reserves no stock; its customer pays once it is an order. <a href="${site.at(`${DRAFTS}/new`)}">New draft</a></p>
<nav class="filters" aria-label="Drafts">${[null, ...Object.keys(FILTERS)].map((word) => html`<a href="${site.at(DRAFTS)}${word && html`?status=${word}`}"${word === status && html` aria-current="true"`}>${word ?? 'open'}</a> `)}</nav>
${found.totalCount === 0 ? nothingFound(query, status === null ? 'open drafts' : 'drafts', html`Prepare one with “New draft”.`) : html`<p role="status">${counted(found.totalCount, 'draft')}, the oldest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(DRAFTS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly Draft[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Drafts"><table class="stack">
<thead><tr><th scope="col">Draft</th><th scope="col">Customer</th><th scope="col">Status</th><th scope="col">Order</th><th scope="col" class="number">Total</th><th scope="col">Created</th></tr></thead>
<tbody>${nodes.map(
    (draft) =>
      html`<tr><th scope="row"><a href="${at(`${DRAFTS}/${draft.number}`)}">${draft.number}</a></th><td>${customerOf(draft)}</td><td>${draftChip(draft.status)}</td><td>${draft.order ? html`<a href="${at(`${ORDERS}/${draft.order.number}`)}">order ${draft.order.number}</a>` : 'no order'}</td><td class="number">${money(draft.total, draft.currency)}</td><td><time datetime="${draft.createdAt}">${dayOf(draft.createdAt)}</time></td></tr>`,
  )}</tbody></table></div>`

function customerOf(draft: Draft): string {
  const { customer } = contentsOf(draft)
  return customer?.fullname ?? customer?.email ?? (customer?.id == null ? 'a guest' : `customer ${customer.id}`)
}
