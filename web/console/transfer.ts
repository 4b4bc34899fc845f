import {
  ConsoleCancelTransferDocument,
  ConsoleReceiveTransferDocument,
  ConsoleSendTransferDocument,
  ConsoleTransferDocument,
  type ConsoleTransferQuery,
  type ReceivedTransferLineInput,
  type TransferShortageReason,
} from '#generated/operations.ts'
import { lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedBecause, refusedFields, toChanged } from '../frame/change.ts'
import { counted, momentOf, whole } from '../frame/figures.ts'
import { changeForm, type Visit } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { dataOf } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { onceField, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import { isRestId } from './list.ts'
import { consolePage } from './page.ts'
import { readForm } from './read-form.ts'
import { TRANSFERS, transferChip } from './transfers.ts'

type Transfer = NonNullable<ConsoleTransferQuery['inventoryTransfer']>
type Line = Transfer['lines'][number]

const REASONS: readonly (readonly [reason: TransferShortageReason, label: string])[] = [
  ['LOST', 'lost'],
  ['DAMAGED', 'damaged'],
  ['NOT_SENT', 'not sent'],
  ['OTHER', 'another reason'],
]
const REASON_TABLE = lookupTable<TransferShortageReason>(Object.fromEntries(REASONS.map(([reason]) => [reason, reason])))

const inTransit = ({ quantity, received, missing, returned }: Line): number => quantity - received - missing - returned

export const transfer = consolePage({
  path: `${TRANSFERS}/{number}`,
  label: 'Transfer',
  needs: ['read_products', 'read_locations'],
  operations: [ConsoleTransferDocument],
  notices: {
    created: 'The transfer was written down. No stock has moved: send it when it leaves.',
    sent: 'The transfer is under way: its units have left the source.',
    received: 'What arrived counts at the destination.',
    canceled: 'The transfer was canceled. Units under way are back at the source.',
  },
  async body({ path: { number }, run, site, visit, form }) {
    if (!isRestId(number)) return null
    const { inventoryTransfer: found } = dataOf(await run(ConsoleTransferDocument, { number }))
    if (!found) return null
    const { status, source, destination, note, createdAt, sentAt, finishedAt } = found
    return html`<p class="trail"><a href="${site.at(TRANSFERS)}">Transfers</a></p>
<h1>Transfer ${number}</h1>
<p>${transferChip(status)} from <strong>${source?.name ?? 'a deleted location'}</strong> to <strong>${destination?.name ?? 'a deleted location'}</strong></p>
${note !== null && html`<p>${note}</p>`}
<p class="quiet">Created ${momentOf(createdAt)}${sentAt !== null && html`, sent ${momentOf(sentAt)}`}${finishedAt !== null && html`, ended ${momentOf(finishedAt)}`}.</p>
${table(found)}
${forms(found, { form, visit, site })}`
  },
})

const nameOf = ({ product, productNumber, variant }: Line): string =>
  `${product?.name ?? `Deleted product ${productNumber}`}${variant?.sku ? `, ${variant.sku}` : ''}`

const table = ({ lines }: Transfer): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="Items"><table>
<thead><tr><th scope="col">Item</th><th scope="col" class="number">Units</th><th scope="col" class="number">Arrived</th><th scope="col" class="number">Missing</th><th scope="col" class="number">Returned</th></tr></thead>
<tbody>${lines.map(
    (line) =>
      html`<tr><th scope="row">${nameOf(line)}</th><td class="number">${whole(line.quantity)}</td><td class="number">${whole(line.received)}</td><td class="number">${whole(line.missing)}${line.reason && html` <span class="quiet">${REASONS.find(([reason]) => reason === line.reason)?.[1]}</span>`}</td><td class="number">${whole(line.returned)}</td></tr>`,
  )}</tbody></table></div>`

type Forms = { readonly form: (path: string) => FormState; readonly visit: Visit; readonly site: Site }

function forms(found: Transfer, { form: formAt, visit, site }: Forms): Html {
  const { number, status, version, lines } = found
  const at = `${TRANSFERS}/${number}`
  if (status !== 'DRAFT' && status !== 'IN_TRANSIT') return html``
  const cancel = html`<details class="confirm"><summary>Cancel the transfer…</summary>${changeForm(
    `${at}/cancel`,
    visit,
    site,
    html`${versionField(version)}${onceField()}<p>${status === 'DRAFT' ? 'No stock has moved.' : 'Units under way go back to the source.'}</p><p><button class="danger">Cancel the transfer</button></p>`,
  )}</details>`
  if (status === 'DRAFT')
    return html`${changeForm(`${at}/send`, visit, site, html`${versionField(version)}${onceField()}<p><button>Send</button></p>`)}${cancel}`
  const form = formAt(`${at}/receive`)
  const open = lines.filter((line) => inTransit(line) > 0)
  return html`<section aria-labelledby="receive"><h2 id="receive">Receive</h2>
<div class="edit">${changeForm(
    `${at}/receive`,
    visit,
    site,
    html`${versionField(version)}${onceField()}${open.map(
      (line) => html`<fieldset><legend>${nameOf(line)}: ${counted(inTransit(line), 'unit')} under way</legend><div class="fields">
${textInput(form, { name: `received-${line.number}`, label: 'Arrived', stored: String(inTransit(line)), inputmode: 'numeric', maxLength: 10 })}
${textInput(form, { name: `missing-${line.number}`, label: 'Missing', stored: '0', inputmode: 'numeric', maxLength: 10 })}
${selectInput(form, { name: `reason-${line.number}`, label: 'Reason, where units are missing', stored: 'LOST', options: REASONS })}</div></fieldset>`,
    )}
<p><button>Receive</button></p>`,
  )}</div></section>${cancel}`
}

export const transferChanges: readonly ConsoleChange[] = [
  consoleChange({
    path: `${TRANSFERS}/{number}/send`,
    on: transfer,
    operations: [ConsoleSendTransferDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { expectedVersion: form.version(), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleSendTransferDocument, { number, input }))
      return toChanged(result, { at: `${TRANSFERS}/${number}`, notice: 'sent' })
    },
  }),
  consoleChange({
    path: `${TRANSFERS}/{number}/receive`,
    on: transfer,
    operations: [ConsoleReceiveTransferDocument],
    async make({ path: { number }, field, fieldNames, run }) {
      const form = readForm(field)
      const lines: ReceivedTransferLineInput[] = []
      for (const name of fieldNames) {
        const [, lineId = ''] = /^received-([1-9]\d{0,9})$/.exec(name) ?? []
        if (lineId === '') continue
        const [received, missing] = [form.whole(name) ?? 0, form.whole(`missing-${lineId}`) ?? 0]
        const reason = missing > 0 ? form.choice(`reason-${lineId}`, REASON_TABLE, 'OTHER') : null
        if (received + missing > 0) lines.push({ lineId, received, missing, reason })
      }
      if (form.hasProblems()) return refusedFields(form.problems())
      if (lines.length === 0) return refusedBecause('Enter units that arrived, or that are missing.')
      const input = { lines, expectedVersion: form.version() ?? 0, idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleReceiveTransferDocument, { number, input }))
      return toChanged(result, { at: `${TRANSFERS}/${number}`, notice: 'received' })
    },
  }),
  consoleChange({
    path: `${TRANSFERS}/{number}/cancel`,
    on: transfer,
    operations: [ConsoleCancelTransferDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = { expectedVersion: form.version(), idempotencyKey: form.idempotencyKey() }
      const { result } = dataOf(await run(ConsoleCancelTransferDocument, { number, input }))
      return toChanged(result, { at: `${TRANSFERS}/${number}`, notice: 'canceled' })
    },
  }),
]
