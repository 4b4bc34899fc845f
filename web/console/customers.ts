import { ConsoleCustomersDocument, type ConsoleCustomersQuery, type CustomerStatus } from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { counted, dayOf } from '../frame/figures.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ListLabels, type ListSelect, listForm, nextLinks, nothingFound, optionsOf, wordOf } from './list.ts'
import { consolePage } from './page.ts'

export const CUSTOMERS = '/console/customers'

/** What each status is called in addresses and on the page. */
export const CUSTOMER_STATUSES: ListLabels<CustomerStatus> = lookupTable({
  approved: ['APPROVED', 'approved'],
  pending: ['PENDING', 'waits for approval'],
  disabled: ['DISABLED', 'disabled'],
})

const TONES: Readonly<Record<CustomerStatus, Tone>> = { APPROVED: 'good', PENDING: 'doubt', DISABLED: 'bad' }

/** The status of a customer, in its colour. */
export const customerChip = (status: CustomerStatus): Html => chip(wordOf(status, CUSTOMER_STATUSES), TONES[status])

const SELECTS: readonly ListSelect[] = [
  { name: 'status', label: 'Status', any: 'any', options: optionsOf(CUSTOMER_STATUSES) },
  { name: 'sort', label: 'Sort', any: 'newest first', options: [['oldest', 'oldest first']] },
]

type Customer = ConsoleCustomersQuery['customers']['nodes'][number]

export const customers = consolePage({
  path: CUSTOMERS,
  label: 'Customers',
  needs: ['read_customers'],
  operations: [ConsoleCustomersDocument],
  parameters: {
    q: { kind: 'text', max: 200 },
    status: { kind: 'enum', values: Object.keys(CUSTOMER_STATUSES) },
    sort: { kind: 'enum', values: ['oldest'] },
    after: { kind: 'text', max: 1_000 },
  },
  notices: { erased: 'The personal data of the customer was erased. Orders keep their lines and amounts.' },
  async body({ query, run, site }) {
    const { q, status, sort, after } = query
    const chosen = status === null ? undefined : CUSTOMER_STATUSES[status]
    const { customers: found } = dataOf(
      await run(ConsoleCustomersDocument, {
        search: q,
        filter: chosen ? { status: [chosen[0]] } : null,
        orderBy: sort === 'oldest' ? 'CREATED_ASC' : 'CREATED_DESC',
        after,
      }),
    )
    return html`<h1>Customers</h1>
${listForm(CUSTOMERS, query, SELECTS, { label: 'Name, e-mail, phone…', site })}
${found.totalCount === 0 ? nothingFound(query, 'customers', html`Customers appear here when they order, or sign up in the shop.`) : html`<p role="status">${counted(found.totalCount, 'customer')}, the ${sort === 'oldest' ? 'oldest' : 'newest'} first.</p>`}
${found.nodes.length > 0 && table(found.nodes, site)}
${nextLinks(CUSTOMERS, query, found.pageInfo, site)}`
  },
})

const table = (nodes: readonly Customer[], site: Site): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Customers"><table class="stack">
<thead><tr><th scope="col">Name</th><th scope="col">E-mail</th><th scope="col">Status</th><th scope="col">Marketing</th><th scope="col">Since</th></tr></thead>
<tbody>${nodes.map(
    ({ number, fullname, email, status, acceptsMarketing, createdAt }) =>
      html`<tr><th scope="row"><a href="${site.at(`${CUSTOMERS}/${number}`)}">${fullname}</a></th><td>${email}</td><td>${customerChip(status)}</td><td data-label="Marketing">${acceptsMarketing ? 'accepted' : 'no'}</td><td><time datetime="${createdAt}">${dayOf(createdAt)}</time></td></tr>`,
  )}</tbody></table></div>`
