import {
  ConsoleCapturePaymentDocument,
  ConsoleMarkOrderPaidDocument,
  ConsoleRefundOrderDocument,
  ConsoleRefundPaymentDocument,
  ConsoleVoidPaymentDocument,
  type PaymentStatus,
} from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { momentOf, money } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { checkbox, onceField, selectInput, textArea, textInput, versionField } from './fields.ts'
import type { ConsoleOrder, OrderPage } from './order-page.ts'
import { ORDERS } from './orders.ts'
import type { ConsoleRow } from './page.ts'
import { readForm } from './read-form.ts'

type Payment = ConsoleOrder['payments'][number]

const STATUSES: Readonly<Record<PaymentStatus, readonly [label: string, tone: Tone]>> = {
  PENDING: ['with the gateway', 'doubt'],
  REQUIRES_ACTION: ['waits for the shopper', 'doubt'],
  AUTHORIZED: ['authorized', 'good'],
  FAILED: ['failed', 'bad'],
}

/** What the gateway can be asked to do, by the words of the form. */
const REQUESTS: LookupTable<typeof ConsoleCapturePaymentDocument> = lookupTable({
  capture: ConsoleCapturePaymentDocument,
  void: ConsoleVoidPaymentDocument,
  refund: ConsoleRefundPaymentDocument,
})

/** Whether an amount of the API is more than nothing. */
export const isPositive = (amount: string): boolean => Number(amount) > 0

/** How an order is paid, and what its owner can do about it. */
export function paymentsSection(page: OrderPage): Html {
  const { order, path, form, visit, site } = page
  return html`<section aria-labelledby="payments"><h2 id="payments">Payment</h2>
<p>${order.paymentMethodName ?? 'No payment method was chosen.'}${order.paymentNotificationId !== null && html` <code>${order.paymentNotificationId}</code>`}</p>
${order.payments.map((payment) => paymentOf(page, payment))}
${
  ['PENDING_PAYMENT', 'ABANDONED'].includes(order.status) &&
  html`<details class="confirm"${form(`${path}/paid`).wasRefused && html` open`}><summary>Mark as paid…</summary>${changeForm(
    `${path}/paid`,
    visit,
    site,
    html`${versionField(order.version)}${onceField()}<p>For money that arrived outside of a gateway, such as by bank transfer. It is entered into the ledger.</p>
${textInput(form(`${path}/paid`), { name: 'paymentNotificationId', label: 'Reference of the payment', stored: '', maxLength: 200 })}
<p><button>Mark order ${order.number} as paid</button></p>`,
  )}</details>`
}
${order.status === 'PAID' && refunding(page)}</section>`
}

function paymentOf({ order: { currency }, path, form: formAt, visit, site }: OrderPage, payment: Payment): Html {
  const { id, status, amount, captured, voided, refunded, refundsFailed, open, reference, createdAt } = payment
  const [label, tone] = STATUSES[status]
  const requests = [
    ...(isPositive(open)
      ? ([
          ['capture', 'capture'],
          ['void', 'void'],
        ] as const)
      : []),
    ...(Number(captured) > Number(refunded) ? ([['refund', 'pay back']] as const) : []),
  ]
  const at = `${path}/payments/${id}`
  const form = formAt(at)
  const sums = [
    ['captured', captured],
    ['voided', voided],
    ['paid back', refunded],
    ['open', open],
  ] as const
  return html`<div class="part"><h3>${money(amount, currency)} ${chip(label, tone)}</h3>
<p class="facts"><span><time datetime="${createdAt}">${momentOf(createdAt)}</time></span> ${sums.filter(([, sum]) => isPositive(sum)).map(([name, sum]) => html`<span>${name} ${money(sum, currency)}</span> `)}${reference !== null && html`<code>${reference}</code>`}</p>
${isPositive(refundsFailed) && Number(captured) > Number(refunded) && html`<p class="alert tone-bad">Refunds of ${money(refundsFailed, currency)} failed after the gateway had accepted them. Unless you paid it back again since, you have this money: try again here, or pay it back otherwise.</p>`}
${
  requests.length > 0 &&
  html`<details class="confirm"${form.wasRefused && html` open`}><summary>Ask the gateway…</summary>${changeForm(
    at,
    visit,
    site,
    html`${onceField()}<div class="fields">
${selectInput(form, { name: 'request', label: 'Request', stored: '', options: requests })}
${textInput(form, { name: 'amount', label: 'Amount', stored: '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: all that is left.' })}</div>
<p><button>Send to the gateway</button></p>`,
  )}</details>`
}</div>`
}

/** A refund by units of lines, or by an amount. */
function refunding({ order, path, form: formAt, visit, site }: OrderPage): Html {
  const at = `${path}/refund`
  const form = formAt(at)
  return html`<details class="confirm"${form.wasRefused && html` open`}><summary>Refund…</summary>${changeForm(
    at,
    visit,
    site,
    html`${versionField(order.version)}${onceField()}<p>It is entered into the ledger. Money that came through a gateway is paid back there as well.</p>
<fieldset><legend>Units to refund</legend><div class="fields">${order.lines.map((line) => {
      const left = unitsLeft(order, line)
      return (
        left > 0 &&
        textInput(form, {
          name: `units-${line.number}`,
          label: line.name,
          stored: '',
          inputmode: 'numeric',
          maxLength: 7,
          hint: `At most ${left}.`,
        })
      )
    })}</div></fieldset>
<div class="fields">${textInput(form, { name: 'amount', label: `Amount in ${order.currency}`, stored: '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: the price of the units; without units, all that is left.' })}</div>
${textArea(form, { name: 'reason', label: 'Reason', stored: '', rows: 2, maxLength: 2_000 })}
${checkbox(form, { name: 'restock', label: 'Put the units back into stock', stored: false })}
<p><button class="danger">Refund</button></p>`,
  )}</details>`
}

const unitsLeft = ({ refunds }: ConsoleOrder, { number, quantity }: ConsoleOrder['lines'][number]): number =>
  refunds
    .flatMap(({ lines }) => lines)
    .filter(({ lineNumber }) => lineNumber === number)
    .reduce((left, refunded) => left - refunded.quantity, quantity)

/** Units of lines have this name in forms, with the number of the line. */
const UNITS = /^units-(\d{1,10})$/

export const paymentChanges = (order: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${ORDERS}/{number}/paid`,
    on: order,
    operations: [ConsoleMarkOrderPaidDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        paymentNotificationId: form.optional('paymentNotificationId'),
        expectedVersion: form.version(),
        idempotencyKey: form.idempotencyKey(),
      }
      const { result } = dataOf(await run(ConsoleMarkOrderPaidDocument, { number, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'paid' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/payments/{payment}`,
    on: order,
    operations: Object.values(REQUESTS),
    async make({ path: { number, payment }, field, run }) {
      const form = readForm(field)
      const document = form.choice<typeof ConsoleCapturePaymentDocument>('request', REQUESTS, ConsoleCapturePaymentDocument)
      const amount = form.decimal('amount')
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { ...(amount !== null && { amount }), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(document, { id: payment, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'requested' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/refund`,
    on: order,
    operations: [ConsoleRefundOrderDocument],
    async make({ path: { number }, field, fieldNames, run }) {
      const form = readForm(field)
      const lines = fieldNames.flatMap((name) => {
        const [, line] = UNITS.exec(name) ?? []
        const quantity = line === undefined ? null : form.whole(name, { min: 1 })
        return line === undefined || quantity === null ? [] : [{ lineId: line, quantity }]
      })
      const amount = form.decimal('amount')
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = {
        ...(amount !== null && { amount }),
        ...(lines.length > 0 && { lines }),
        restock: form.isChecked('restock'),
        reason: form.lines('reason'),
        expectedVersion: form.version(),
        idempotencyKey: form.idempotencyKey(),
      }
      const { result } = dataOf(await run(ConsoleRefundOrderDocument, { number, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'refunded' })
    },
  }),
]
