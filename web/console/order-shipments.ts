import {
  ConsoleCreateFulfillmentDocument,
  ConsoleDeleteFulfillmentDocument,
  ConsoleUpdateFulfillmentDocument,
  type ShipmentStatus,
} from '#generated/operations.ts'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { refusedFields, toChanged } from '../frame/change.ts'
import { chip, type Tone } from '../frame/chip.ts'
import { momentOf } from '../frame/figures.ts'
import { changeForm } from '../frame/form-token.ts'
import { type Html, html } from '../frame/html.ts'
import { externalLink } from '../frame/link.ts'
import { dataOf } from '../frame/page.ts'
import { type ConsoleChange, consoleChange } from './change.ts'
import { checkbox, onceField, selectInput, textInput, versionField } from './fields.ts'
import type { FormState } from './form-state.ts'
import type { ConsoleOrder, OrderPage } from './order-page.ts'
import { ORDERS } from './orders.ts'
import type { ConsoleRow } from './page.ts'
import { type FormReader, readForm } from './read-form.ts'

type Shipment = ConsoleOrder['fulfillments'][number]

/** What people read for a shipment status. */
export const SHIPMENT: Readonly<Record<ShipmentStatus, string>> = {
  UNFULFILLED: 'not sent',
  REQUESTED: 'carrier pickup requested',
  IN_TRANSIT: 'in transit',
  DELIVERED: 'delivered',
  FAILED: 'delivery failed',
  PICKUP_AVAILABLE: 'ready for pickup',
}

const TONES: Readonly<Record<ShipmentStatus, Tone>> = {
  UNFULFILLED: 'none',
  REQUESTED: 'fair',
  IN_TRANSIT: 'fair',
  DELIVERED: 'good',
  FAILED: 'bad',
  PICKUP_AVAILABLE: 'fair',
}

/** Where a shipment may go from each status (schema/store/fulfillment.graphql). */
const NEXT: Readonly<Record<ShipmentStatus, readonly ShipmentStatus[]>> = {
  UNFULFILLED: [],
  REQUESTED: ['IN_TRANSIT', 'FAILED'],
  IN_TRANSIT: ['DELIVERED', 'PICKUP_AVAILABLE', 'FAILED'],
  PICKUP_AVAILABLE: ['DELIVERED'],
  DELIVERED: [],
  FAILED: ['REQUESTED'],
}

const STATUSES: LookupTable<ShipmentStatus | null> = lookupTable({
  '': null,
  ...Object.fromEntries(Object.values(NEXT).flatMap((statuses) => statuses.map((status) => [status, status] as const))),
})

/** Carrier of a shipment whose tracking link is not made from its number. */
const OTHER_CARRIER = 'other'

/** A status of goods, in its colour. */
export const shipmentChip = (status: ShipmentStatus): Html => chip(SHIPMENT[status], TONES[status])

/** Shipments of an order, and the form of another one. */
export function shipmentsSection(page: OrderPage): Html | false {
  const { order, locations } = page
  const active = locations.filter((location) => location.active)
  const maySend = ['PAID', 'PENDING_PAYMENT'].includes(order.status) && order.shippingRequired
  if (!maySend && order.fulfillments.length === 0) return false
  return html`<section aria-labelledby="shipments"><h2 id="shipments">Shipments</h2>
${order.fulfillments.map((shipment) => shipmentOf(page, shipment))}
${maySend && (active.length === 0 ? html`<p>Goods are sent from a location. <a href="${page.site.at('/console/settings')}#locations">Add one in the settings</a>.</p>` : sending(page, active))}</section>`
}

function sending({ order, path, form: formAt, visit, site }: OrderPage, active: OrderPage['locations']): Html {
  const at = `${path}/shipments`
  const form = formAt(at)
  const isFirst = order.fulfillments.length === 0
  const sorted = active.toSorted((a, b) => Number(b.main) - Number(a.main))
  return html`<details${(isFirst || form.wasRefused) && html` open`}><summary>${isFirst ? 'Send the order' : 'Send another parcel'}</summary>${changeForm(
    at,
    visit,
    site,
    html`${onceField()}<div class="fields">
${selectInput(form, { name: 'locationId', label: 'From', stored: '', options: sorted.map(({ number, name }) => [String(number), name]) })}
${trackingFields(form, { trackingCompany: null, trackingNumber: null, trackingUrl: null })}</div>
${checkbox(form, { name: 'sendEmail', label: 'Apps may e-mail the recipient about this parcel', stored: true })}
<p><button>Mark as sent</button></p>`,
  )}</details>`
}

const trackingFields = (
  form: FormState,
  { trackingCompany, trackingNumber, trackingUrl }: Pick<Shipment, 'trackingCompany' | 'trackingNumber' | 'trackingUrl'>,
): Html => html`${textInput(form, { name: 'trackingCompany', label: 'Carrier', stored: trackingCompany ?? '', maxLength: 200 })}
${textInput(form, { name: 'trackingNumber', label: 'Tracking number', stored: trackingNumber ?? '', maxLength: 200 })}
${textInput(form, { name: 'trackingUrl', label: 'Tracking link', stored: trackingUrl ?? '', type: 'url', maxLength: 2_000, hint: `Stored for the carrier “${OTHER_CARRIER}”.` })}`

function shipmentOf({ path, form: formAt, visit, site }: OrderPage, shipment: Shipment): Html {
  const { number, version, shipmentStatus, trackingCompany, trackingNumber, trackingUrl, location, createdAt } = shipment
  const at = `${path}/shipments/${number}`
  const form = formAt(at)
  const parcel = [trackingCompany, trackingNumber].filter((each) => each).join(' ')
  return html`<div class="part"><h3>Parcel ${number} ${shipmentChip(shipmentStatus)}</h3>
<p class="facts"><span>from ${location.name}</span> <span><time datetime="${createdAt}">${momentOf(createdAt)}</time></span> <span>${parcel || 'no tracking number'}</span>${trackingUrl !== null && html` ${externalLink(trackingUrl, 'Track it')}`}</p>
<details${form.wasRefused && html` open`}><summary>Change parcel ${number}</summary>${changeForm(
    at,
    visit,
    site,
    html`${versionField(version)}<input type="hidden" name="shownTrackingUrl" value="${trackingUrl}"><div class="fields">
${selectInput(form, { name: 'shipmentStatus', label: 'Status', stored: '', options: [['', `${SHIPMENT[shipmentStatus]}: no change`], ...NEXT[shipmentStatus].map((status) => [status, SHIPMENT[status]] as const)] })}
${trackingFields(form, shipment)}</div><p><button class="secondary">Save the parcel</button></p>`,
  )}</details>
${['REQUESTED', 'FAILED'].includes(shipmentStatus) && html`<details class="confirm"><summary>Delete parcel ${number}…</summary>${changeForm(`${at}/delete`, visit, site, html`${versionField(version)}<p>For a parcel that was not sent. The order is as before it.</p><p><button class="danger">Delete parcel ${number}</button></p>`)}</details>`}</div>`
}

function trackingOf(form: FormReader) {
  const tracking = {
    trackingCompany: form.optional('trackingCompany'),
    trackingNumber: form.optional('trackingNumber'),
    trackingUrl: form.optional('trackingUrl'),
  }
  // A parcel keeps the link that its order had, whatever its carrier.
  const isShown = tracking.trackingUrl === form.optional('shownTrackingUrl')
  if (tracking.trackingUrl !== null && !isShown && tracking.trackingCompany?.toLowerCase() !== OTHER_CARRIER)
    form.refuse('trackingUrl', `A link is stored for the carrier “${OTHER_CARRIER}” only.`)
  return tracking
}

export const shipmentChanges = (order: ConsoleRow): readonly ConsoleChange[] => [
  consoleChange({
    path: `${ORDERS}/{number}/shipments`,
    on: order,
    operations: [ConsoleCreateFulfillmentDocument],
    async make({ path: { number }, field, run }) {
      const form = readForm(field)
      const input = {
        orderId: number,
        type: 'MANUAL' as const,
        locationId: form.text('locationId'),
        ...trackingOf(form),
        sendEmail: form.isChecked('sendEmail'),
        idempotencyKey: form.idempotencyKey(),
      }
      if (form.hasProblems()) return refusedFields(form.problems())
      return toChanged(dataOf(await run(ConsoleCreateFulfillmentDocument, { input })).result, {
        at: `${ORDERS}/${number}`,
        notice: 'sent',
      })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/shipments/{shipment}`,
    on: order,
    operations: [ConsoleUpdateFulfillmentDocument],
    async make({ path: { number, shipment }, field, run }) {
      const form = readForm(field)
      const status = form.choice('shipmentStatus', STATUSES, null)
      const input = { ...trackingOf(form), ...(status && { shipmentStatus: status }), expectedVersion: form.version() }
      if (form.hasProblems()) return refusedFields(form.problems())
      return toChanged(dataOf(await run(ConsoleUpdateFulfillmentDocument, { number: shipment, input })).result, {
        at: `${ORDERS}/${number}`,
        notice: 'shipped',
      })
    },
  }),
  consoleChange({
    path: `${ORDERS}/{number}/shipments/{shipment}/delete`,
    on: order,
    operations: [ConsoleDeleteFulfillmentDocument],
    async make({ path: { number, shipment }, field, run }) {
      const variables = { number: shipment, version: readForm(field).version() }
      return toChanged(dataOf(await run(ConsoleDeleteFulfillmentDocument, variables)).result, {
        at: `${ORDERS}/${number}`,
        notice: 'unsent',
      })
    },
  }),
]
