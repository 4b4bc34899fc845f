import {
  ConsoleApproveOrderReturnDocument,
  ConsoleCancelOrderReturnDocument,
  ConsoleCloseOrderReturnDocument,
  ConsoleCreateOrderReturnDocument,
  ConsoleDeclineOrderReturnDocument,
  ConsoleReceiveOrderReturnDocument,
  ConsoleRefundOrderReturnDocument,
  type OrderReturnReason,
  type OrderReturnRestock,
} from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { dayOf, whole } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { checkbox, onceField, selectInput, textArea, textInput, versionField } from './fields.ts'
import { type ListLabels, optionsOf, wordOf } from './list.ts'
import type { ConsoleOrder, OrderPage } from './order-page.ts'
import { ORDERS } from './orders.ts'
import type { ConsoleRow } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'
import { returnChip } from './returns.ts'

type Return = ConsoleOrder['returns'][number]

const REASONS: ListLabels<OrderReturnReason> = lookupTable({
  other: ['OTHER', 'another reason'],
  defective: ['DEFECTIVE', 'defective'],
  described: ['NOT_AS_DESCRIBED', 'not as described'],
  wrong: ['WRONG_ITEM', 'wrong item'],
  size: ['SIZE', 'does not fit'],
  unwanted: ['UNWANTED', 'not wanted'],
})

const RESTOCKS: ListLabels<OrderReturnRestock> = lookupTable({
  restock: ['RESTOCK', 'back into stock'],
  discard: ['DISCARD', 'discarded'],
})

/** Decisions with a reason, by the words of their buttons. */
const MOVES: LookupTable<typeof ConsoleApproveOrderReturnDocument> = lookupTable({
  approve: ConsoleApproveOrderReturnDocument,
  decline: ConsoleDeclineOrderReturnDocument,
  cancel: ConsoleCancelOrderReturnDocument,
  close: ConsoleCloseOrderReturnDocument,
})

/** Returns of an order, what can be done with each, and the form of another one. */
export function returnsSection(page: OrderPage): Html | false {
  const { order } = page
  const mayReturn = order.fulfillmentStatus === 'FULFILLED' && ['PAID', 'PENDING_PAYMENT'].includes(order.status)
  return (
    (mayReturn || order.returns.length > 0) &&
    html`<section aria-labelledby="returns"><h2 id="returns">Returns</h2>
${order.returns.map((each) => returnOf(page, each))}
${mayReturn && adding(page)}</section>`
  )
}

function returnOf(page: OrderPage, found: Return): Html {
  const { number, status, requestedBy, note, reason, createdAt, lines } = found
  const nameOf = (line: number) => page.order.lines.find((each) => each.number === line)?.name ?? 'a line'
  return html`<div class="part"><h3>Return ${number} ${returnChip(status)}</h3>
<p class="facts"><span><time datetime="${createdAt}">${dayOf(createdAt)}</time></span> <span>by the ${requestedBy === 'CUSTOMER' ? 'customer' : 'store'}</span></p>
<ul>${lines.map((line) => html`<li>${whole(line.quantity)} × ${nameOf(line.lineNumber)}: ${wordOf(line.reason, REASONS)}${line.note !== null && html`, “${line.note}”`}${line.received !== null && html`; ${whole(line.received)} arrived, ${line.restock === 'DISCARD' ? 'discarded' : 'back into stock'}`}</li>`)}</ul>
${note !== null && html`<p>“${note}”</p>`}${reason !== null && html`<p class="quiet">Reason: ${reason}</p>`}
${
  status === 'REQUESTED' &&
  moving(page, found, [
    ['approve', 'Approve', ''],
    ['decline', 'Decline', 'danger'],
  ])
}
${status === 'APPROVED' && html`${receiving(page, found, nameOf)}${moving(page, found, [['cancel', 'Cancel the return', 'danger']])}`}
${status === 'RECEIVED' && html`${refundingReturn(page, found)}${moving(page, found, [['close', 'Close without a refund', 'secondary']])}`}</div>`
}

function moving(
  { path, form: formAt, visit, site }: OrderPage,
  { number, version }: Return,
  buttons: readonly (readonly [word: string, label: string, look: string])[],
): Html {
  const at = `${path}/returns/${number}/move`
  return html`<details class="confirm"${formAt(at).wasRefused && html` open`}><summary>${buttons.map(([, label]) => label).join(' or ')}…</summary>${changeForm(
    at,
    visit,
    site,
    html`${versionField(version)}${textArea(formAt(at), { name: 'reason', label: 'Reason', stored: '', rows: 2, maxLength: 2_000, hint: 'The customer reads why a return was declined or canceled.' })}
<p class="actions">${buttons.map(([word, label, look]) => html`<button name="move" value="${word}"${look !== '' && html` class="${look}"`}>${label}</button>`)}</p>`,
  )}</details>`
}

function receiving(
  { path, locations, form: formAt, visit, site }: OrderPage,
  { number, version, lines }: Return,
  nameOf: (line: number) => string,
): Html {
  const at = `${path}/returns/${number}/receive`
  const form = formAt(at)
  const options = [
    ...optionsOf(RESTOCKS),
    ...locations.flatMap((each) => (each.active ? [[`location-${each.number}`, `into stock at ${each.name}`] as const] : [])),
  ]
  return html`<details${form.wasRefused && html` open`}><summary>The units have arrived</summary>${changeForm(
    at,
    visit,
    site,
    html`${versionField(version)}${onceField()}${lines.map(
      (line) => html`<div class="fields">${textInput(form, {
        name: `units-${line.lineNumber}`,
        label: nameOf(line.lineNumber),
        stored: String(line.quantity),
        inputmode: 'numeric',
        maxLength: 7,
        isRequired: true,
        hint: `Units that arrived, at most ${line.quantity}.`,
      })}
${selectInput(form, { name: `restock-${line.lineNumber}`, label: `${nameOf(line.lineNumber)}: they go`, stored: 'restock', options })}</div>`,
    )}<p><button>Record what arrived</button></p>`,
  )}</details>`
}

function refundingReturn({ order, path, form: formAt, visit, site }: OrderPage, { number, version }: Return): Html {
  const at = `${path}/returns/${number}/refund`
  const form = formAt(at)
  return html`<details class="confirm"${form.wasRefused && html` open`}><summary>Refund return ${number}…</summary>${changeForm(
    at,
    visit,
    site,
    html`${versionField(version)}${onceField()}${textInput(form, { name: 'amount', label: `Amount in ${order.currency}`, stored: '', inputmode: 'decimal', maxLength: 15, hint: 'Empty: the price of the units that arrived.' })}
${order.payments.length > 0 && checkbox(form, { name: 'throughGateway', label: 'The gateway pays the money back', stored: true })}
<p><button class="danger">Refund and close return ${number}</button></p>`,
  )}</details>`
}

function adding({ order, path, form: formAt, visit, site }: OrderPage): Html {
  const at = `${path}/returns`
  const form = formAt(at)
  return html`<details${form.wasRefused && html` open`}><summary>Add a return</summary>${changeForm(
    at,
    visit,
    site,
    html`${onceField()}<div class="fields">${order.lines.map((line) => textInput(form, { name: `units-${line.number}`, label: line.name, stored: '', inputmode: 'numeric', maxLength: 7, hint: `Units, at most ${line.quantity}.` }))}
${selectInput(form, { name: 'reason', label: 'Why they come back', stored: 'other', options: optionsOf(REASONS) })}</div>
${textArea(form, { name: 'note', label: 'Note', stored: '', rows: 2, maxLength: 2_000 })}
<p><button class="secondary">Add the return</button></p>`,
  )}</details>`
}

/** Units of lines have this name in forms, with the number of the line. */
const UNITS = /^units-(\d{1,10})$/

/** Where units of a line go, when that is a location. */
const LOCATION = /^location-(\d{1,10})$/

/** Units of lines that a form has. */
const unitsOf = (form: FormReader, fieldNames: readonly string[], min: 0 | 1) =>
  fieldNames.flatMap((name) => {
    const [, line] = UNITS.exec(name) ?? []
    const quantity = line === undefined ? null : form.whole(name, { min })
    return line === undefined || quantity === null ? [] : [{ lineId: line, quantity }]
  })

export const returnChanges = (order: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${ORDERS}/{number}/returns`,
    on: order,
    operations: [ConsoleCreateOrderReturnDocument],
    async make({ path: { number }, field, fieldNames, run }) {
      const form = readForm(field)
      const reason = form.choice<readonly [OrderReturnReason, string]>('reason', REASONS, ['OTHER', ''])[0]
      const lines = unitsOf(form, fieldNames, 1).map((line) => ({ ...line, reason }))
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { orderId: number, lines, note: form.lines('note'), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleCreateOrderReturnDocument, { input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'returned' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/returns/{return}/move`,
    on: order,
    operations: Object.values(MOVES),
    async make({ path: { number, return: id }, field, run }) {
      const form = readForm(field)
      const document = form.choice<typeof ConsoleApproveOrderReturnDocument>('move', MOVES, ConsoleApproveOrderReturnDocument)
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { reason: form.lines('reason'), expectedVersion: form.version() }
      const { result } = dataOf(await run(document, { number: id, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'returned' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/returns/{return}/receive`,
    on: order,
    operations: [ConsoleReceiveOrderReturnDocument],
    async make({ path: { number, return: id }, field, fieldNames, run }) {
      const form = readForm(field)
      const lines = unitsOf(form, fieldNames, 0).map((line) => {
        const name = `restock-${line.lineId}`
        const [, locationId] = LOCATION.exec(field(name)) ?? []
        if (locationId !== undefined) return { ...line, restock: 'RESTOCK' as const, locationId }
        return { ...line, restock: form.choice<readonly [OrderReturnRestock, string]>(name, RESTOCKS, ['RESTOCK', ''])[0] }
      })
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = { lines, expectedVersion: form.version(), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleReceiveOrderReturnDocument, { number: id, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'returned' })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/returns/{return}/refund`,
    on: order,
    operations: [ConsoleRefundOrderReturnDocument],
    async make({ path: { number, return: id }, field, run }) {
      const form = readForm(field)
      const amount = form.decimal('amount')
      if (form.hasProblems()) return refusedFields(form.problems())
      const input = {
        ...(amount !== null && { amount }),
        throughGateway: form.isChecked('throughGateway'),
        expectedVersion: form.version(),
        idempotencyKey: form.idempotencyKey(),
      }
      const { result } = dataOf(await run(ConsoleRefundOrderReturnDocument, { number: id, input }))
      return toChanged(result, { at: `${ORDERS}/${number}`, notice: 'refunded' })
    },
  }),
]
