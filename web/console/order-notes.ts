import {
  ConsoleAddOrderHistoryEntryDocument,
  ConsoleCancelOrderDocument,
  ConsoleUpdateOrderDocument,
} from '#generated/operations.ts'
import { toChanged } from '../frame/change.ts'
import { momentOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { checkbox, onceField, textArea, textInput, versionField } from './fields.ts'
import type { OrderPage } from './order-page.ts'
import { ORDERS } from './orders.ts'
import type { ConsoleRow } from './page.ts'
import { readForm } from './read-form.ts'

/** What happened to an order, the newest first, and what its owner adds. */
export function historySection({ order: { history }, path, form: formAt, visit, site }: OrderPage): Html {
  const at = `${path}/history`
  const form = formAt(at)
  const entries = history.nodes
  return html`<section aria-labelledby="history"><h2 id="history">History</h2>
${history.totalCount > entries.length && html`<p class="quiet">The newest ${entries.length} of ${history.totalCount} entries.</p>`}
<ol class="timeline">${entries.map(({ message, createdAt }) => html`<li><time datetime="${createdAt}">${momentOf(createdAt)}</time> ${message}</li>`)}</ol>
<div class="edit">${changeForm(
    at,
    visit,
    site,
    html`${onceField()}${textInput(form, { name: 'message', label: 'Add to the history', stored: '', maxLength: 2_000, isRequired: true, hint: 'Shoppers do not see it.' })}<p><button class="secondary">Add</button></p>`,
  )}</div></section>`
}

/** The note of an order. */
export function noteSection({ order: { additionalInformation, version }, path, form: formAt, visit, site }: OrderPage): Html {
  const at = `${path}/note`
  return html`<section aria-labelledby="note"><h2 id="note">Note</h2>
${changeForm(
  at,
  visit,
  site,
  html`${versionField(version)}${textArea(formAt(at), { name: 'additionalInformation', label: 'Note of the customer or of you', stored: additionalInformation ?? '', rows: 3, maxLength: 5_000 })}<p><button class="secondary">Save the note</button></p>`,
)}</section>`
}

/** The form that cancels an order; nothing for one that is canceled. */
export function cancellation({ order: { status, number, version }, path, form: formAt, visit, site }: OrderPage): Html | false {
  const at = `${path}/cancel`
  const form = formAt(at)
  return (
    status !== 'CANCELED' &&
    html`<details class="confirm"${form.wasRefused && html` open`}><summary>Cancel the order…</summary>${changeForm(
      at,
      visit,
      site,
      html`${versionField(version)}${onceField()}<p>This is final, and pays nothing back: refund a paid order first.</p>
${textArea(form, { name: 'reason', label: 'Reason', stored: '', rows: 2, maxLength: 2_000 })}
${checkbox(form, { name: 'restock', label: 'Put its units back into stock', stored: true })}
<p><button class="danger">Cancel order ${number}</button></p>`,
    )}</details>`
  )
}

export const noteChanges = (order: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${ORDERS}/{number}/history`,
    on: order,
    operations: [ConsoleAddOrderHistoryEntryDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { message: form.text('message'), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleAddOrderHistoryEntryDocument, { number, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'entered' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/note`,
    on: order,
    operations: [ConsoleUpdateOrderDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { additionalInformation: form.lines('additionalInformation'), expectedVersion: form.version() }
      const { result } = dataOf(await run(ConsoleUpdateOrderDocument, { number, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'saved' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/cancel`,
    on: order,
    operations: [ConsoleCancelOrderDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        reason: form.lines('reason'),
        restock: form.isChecked('restock'),
        expectedVersion: form.version(),
        idempotencyKey: form.idempotencyKey(),
      }
      const { result } = dataOf(await run(ConsoleCancelOrderDocument, { number, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'canceled' })
    },
  }),
]
