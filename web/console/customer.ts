import {
  ConsoleCustomerDocument,
  type ConsoleCustomerQuery,
  ConsoleEraseCustomerDocument,
  ConsoleUpdateCustomerDocument,
  type CustomerStatus,
} from '#generated/operations.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { counted, dayOf, money } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf, foundIn } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { consoleChange } from './change.ts'
import { CUSTOMER_STATUSES, CUSTOMERS, customerChip } from './customers.ts'
import { checkbox, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { isRestId, optionsOf, wordFor } from './list.ts'
import { ORDERS, orderChip } from './orders.ts'
import { consolePage } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'

type Customer = NonNullable<ConsoleCustomerQuery['customer']>
type Address = Customer['shippingAddress']

/** Parts of an address, and what people read for them. */
const ADDRESS_PARTS = [
  ['name', 'First name'],
  ['surname', 'Last name'],
  ['address', 'Street and number'],
  ['postal', 'Postal code'],
  ['city', 'City'],
  ['region', 'Region'],
  ['country', 'Country'],
  ['taxid', 'Tax number'],
] as const

export const customer = consolePage({
  path: `${CUSTOMERS}/{number}`,
  label: 'Customer',
  operations: [ConsoleCustomerDocument],
  notices: { saved: 'The customer was saved.' },
  async body({ path: { number }, run, site, visit, form: formAt }) {
    if (!isRestId(number)) return null
    const answer = await run(ConsoleCustomerDocument, { number })
    const { customer: queried, orders } = dataOf(answer)
    const found = foundIn(queried, answer)
    if (found === null) return null
    const path = `${CUSTOMERS}/${number}`
    const form = formAt(path)
    return html`<p class="trail"><a href="${site.at(CUSTOMERS)}">Customers</a></p>
<div class="heading"><h1>${found.fullname}</h1>${customerChip(found.status)}</div>
<p class="facts"><span>since <time datetime="${found.createdAt}">${dayOf(found.createdAt)}</time></span> <span>${found.hasPassword ? 'has an account in the shop' : 'has no password'}</span> ${found.categories.length > 0 && html`<span>${found.categories.map(({ name }) => name).join(', ')}</span>`}</p>
<div class="with-aside"><section aria-labelledby="details"><h2 id="details">Details</h2>
<div class="edit">${changeForm(
      path,
      visit,
      site,
      html`${versionField(found.version)}${textInput(form, { name: 'email', label: 'E-mail address', stored: found.email, type: 'email', maxLength: 254, isRequired: true })}
${textInput(form, { name: 'phone', label: 'Phone number', stored: found.phone ?? '', type: 'tel', maxLength: 50 })}
${selectInput(form, { name: 'status', label: 'Status', stored: wordFor(found.status, CUSTOMER_STATUSES), options: optionsOf(CUSTOMER_STATUSES), hint: 'Only approved customers can buy.' })}
${checkbox(form, { name: 'acceptsMarketing', label: 'Accepts marketing messages', stored: found.acceptsMarketing })}
${addressFields(form, 'shipping', found.shippingAddress)}${addressFields(form, 'billing', found.billingAddress)}
<p><button>Save</button></p>`,
    )}</div></section>
<div class="aside"><section aria-labelledby="orders"><h2 id="orders">Orders</h2>${ordersOf(orders, site)}</section>
<details class="confirm"><summary>Erase personal data…</summary>${changeForm(
      `${path}/erase`,
      visit,
      site,
      html`<p>The customer is deleted, and the personal data is erased from orders, reviews and stored webhooks. Orders keep their lines and amounts. This cannot be undone.</p><p><button class="danger">Erase the data of this customer</button></p>`,
    )}</details></div></div>`
  },
})

const addressFields = (form: FormState, kind: 'shipping' | 'billing', stored: Address): Html =>
  html`<fieldset><legend>${kind === 'shipping' ? 'Shipping address' : 'Billing address'}</legend><div class="fields">${ADDRESS_PARTS.map(([part, label]) => textInput(form, { name: `${kind}-${part}`, label, stored: stored?.[part] ?? '', maxLength: 200 }))}</div></fieldset>`

function ordersOf({ nodes, totalCount }: ConsoleCustomerQuery['orders'], { at }: Site): Html {
  if (totalCount === 0) return html`<p>No orders yet.</p>`
  return html`<p>${counted(totalCount, 'order')}${totalCount > nodes.length && `, the newest ${nodes.length}:`}</p>
<div class="wide" tabindex="0" role="region" aria-labelledby="orders"><table class="compact"><thead><tr><th scope="col">Number</th><th scope="col">Status</th><th scope="col" class="number">Total</th><th scope="col">Created</th></tr></thead>
<tbody>${nodes.map(({ number, status, total, currency, createdAt }) => html`<tr><th scope="row"><a href="${at(`${ORDERS}/${number}`)}">${number}</a></th><td>${orderChip(status)}</td><td class="number">${money(total, currency)}</td><td><time datetime="${createdAt}">${dayOf(createdAt)}</time></td></tr>`)}</tbody></table></div>`
}

/** An address of a form. The municipality, which it does not show, stays as it is. */
const addressOf = (form: FormReader, kind: 'shipping' | 'billing') =>
  Object.fromEntries(ADDRESS_PARTS.map(([part]) => [part, form.optional(`${kind}-${part}`)]))

export const customerChanges = [
  consoleChange({
    path: `${CUSTOMERS}/{number}`,
    on: customer,
    operations: [ConsoleUpdateCustomerDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        email: form.text('email'),
        phone: form.optional('phone'),
        status: form.choice<readonly [CustomerStatus, string]>('status', CUSTOMER_STATUSES, ['APPROVED', ''])[0],
        acceptsMarketing: form.isChecked('acceptsMarketing'),
        shippingAddress: addressOf(form, 'shipping'),
        billingAddress: addressOf(form, 'billing'),
        expectedVersion: form.version(),
      }
      if (form.hasProblems()) return refusedFields(form.problems())
      const { result } = dataOf(await run(ConsoleUpdateCustomerDocument, { number, input }))
      return toChanged(result, { at: `${CUSTOMERS}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${CUSTOMERS}/{number}/erase`,
    on: customer,
    operations: [ConsoleEraseCustomerDocument],
    async make({ path: { number }, run }) {
      const { result } = dataOf(await run(ConsoleEraseCustomerDocument, { number }))
      return toChanged(result, { at: CUSTOMERS, notice: 'erased' })
    },
  }),
]
