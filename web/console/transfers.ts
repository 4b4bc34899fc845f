import { ConsoleTransfersDocument, type ConsoleTransfersQuery, type InventoryTransferStatus } from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf, whole } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { nextLinks, nothingFound } from './list.ts'
import { consolePage } from './page.ts'

export const TRANSFERS = '/console/transfers'

const STATUSES: Readonly<Record<InventoryTransferStatus, readonly [label: string, tone: Tone]>> = {
  DRAFT: ['draft', 'none'],
  IN_TRANSIT: ['under way', 'doubt'],
  RECEIVED: ['received', 'good'],
  CANCELED: ['canceled', 'none'],
}

/** The status of a transfer, in its colour. */
export const transferChip = (status: InventoryTransferStatus): Html => chip(...STATUSES[status])

const FILTERS: LookupTable<readonly [statuses: InventoryTransferStatus[], label: string]> = lookupTable({
  open: [['DRAFT', 'IN_TRANSIT'], 'open'],
  over: [['RECEIVED', 'CANCELED'], 'over'],
})

type Transfer = ConsoleTransfersQuery['inventoryTransfers']['nodes'][number]

export const transfers = consolePage({
  path: TRANSFERS,
  label: 'Transfers',
  needs: ['read_products', 'read_locations'],
  operations: [ConsoleTransfersDocument],
  parameters: {
    status: { kind: 'enum', values: Object.keys(FILTERS) },
    after: { kind: 'text', max: 1_000 },
  },
  async body({ query, run, site }) {
    const { status, after } = query
    const chosen = status === null ? null : (FILTERS[status]?.[0] ?? null)
    const { inventoryTransfers: found } = dataOf(await run(ConsoleTransfersDocument, { status: chosen, after }))
    return html`<h1>Transfers</h1>
<p class="lead">Stock that moves between locations. It leaves the source when it is sent, and counts at the destination when it is received. <a href="${site.at(`${TRANSFERS}/new`)}">New transfer</a></p>
<nav class="filters" aria-label="Transfers">${[null, ...Object.keys(FILTERS)].map((word) => html`<a href="${site.at(TRANSFERS)}${word && html`?status=${word}`}"${word === status && html` aria-current="true"`}>${word === null ? 'all' : FILTERS[word]?.[1]}</a> `)}</nav>
${found.totalCount === 0 ? nothingFound(query, 'transfers', html`Write down the first one with “New transfer”. It needs two locations.`) : html`<p role="status">${counted(found.totalCount, 'transfer')}, the newest first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(TRANSFERS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly Transfer[], { at }: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Transfers"><table class="stack">
<thead><tr><th scope="col">Transfer</th><th scope="col">Status</th><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Units</th><th scope="col" class="number">Arrived</th><th scope="col" class="number">Missing</th><th scope="col">Created</th></tr></thead>
<tbody>${nodes.map(({ number, status, source, destination, lines, createdAt }) => {
    const sum = (part: 'quantity' | 'received' | 'missing') => whole(lines.reduce((all, line) => all + line[part], 0))
    return html`<tr><th scope="row"><a href="${at(`${TRANSFERS}/${number}`)}">${number}</a></th><td>${transferChip(status)}</td><td data-label="From">${source?.name ?? 'deleted'}</td><td data-label="To">${destination?.name ?? 'deleted'}</td><td class="number" data-label="Units">${sum('quantity')}</td><td class="number" data-label="Arrived">${sum('received')}</td><td class="number" data-label="Missing">${sum('missing')}</td><td><time datetime="${createdAt}">${dayOf(createdAt)}</time></td></tr>`
  })}</tbody></table></div>`
