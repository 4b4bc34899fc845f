import { keysOf } from '../../../platform/collections/keys-of.ts'
import { notFoundError, problem, problemsIn, validationError } from '../../toolkit/validation.ts'
import { amountOf, LARGEST, sumOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { locationRepository } from '../location/repository.ts'
import { addressIn, addressOf } from '../order/customer/address.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import type { Order } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { noteShipment, type Shipment } from '../order/shipment.ts'
import { isHolding, isShipped, methodProblem } from '../order/status/states.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  arrivalProblem,
  changedFields,
  changeProblems,
  type Fulfillment,
  type FulfillmentChange,
  type FulfillmentFields,
  type FulfillmentTerms,
  MAX_FULFILLMENTS,
  type NewFulfillmentInput,
  newFulfillmentProblems,
  type Package,
  packageIn,
  textIn,
  type Whereabouts,
} from './fulfillment.ts'
import { fulfillmentRepository } from './repository.ts'
import { saveFulfillment } from './save.ts'

/** Hands goods over: an order is fulfilled by it, and tells of it from then on. */
export async function createFulfillment(unit: UnitOfWork, input: NewFulfillmentInput) {
  const { query, storeId, now, emit } = unit
  const problems = newFulfillmentProblems(input)
  if (problems.length > 0) return validationError(problems)
  const locations = locationRepository(query)
  await locations.lockShared(storeId)
  const [location] = await locations.findByIds(storeId, [decodeId(input.locationId, 'Location') ?? 0])
  if (!location) return notFoundError('location', input.locationId)
  const order = input.orderId == null ? null : await orderRepository(query).lock(storeId, decodeId(input.orderId, 'Order') ?? 0)
  if (input.orderId != null && order === null) return notFoundError('order', input.orderId)

  const fulfillments = fulfillmentRepository(query)
  const earlier = order === null ? 0 : await fulfillments.countOf(storeId, order.id)
  const fields = newFields(input, earlier === 0 ? order : null)
  const refused = problemsIn([
    location.active ? null : problem('locationId', 'an active location', location.name),
    order === null || isHolding(order.status)
      ? null
      : problem('orderId', 'an order that is PENDING_PAYMENT or PAID', order.status),
    earlier < MAX_FULFILLMENTS
      ? null
      : problem('orderId', `an order with fewer than ${MAX_FULFILLMENTS} fulfillments`, input.orderId),
    arrivalProblem(fields),
  ])
  if (refused.length > 0) return validationError(refused)

  const packages = input.packages?.map(packageIn) ?? (order === null ? [] : await packagesOf(unit, order))
  const terms = { ...termsOf(input, order), locationId: location.id, packages }
  const fulfillment = await fulfillments.insert(storeId, { ...terms, ...fields }, now)
  const { shipmentStatus } = fields
  await fulfillments.note(storeId, { fulfillmentId: fulfillment, shipmentStatus, message: 'It was handed over.' }, now)
  emit({ event: 'fulfillment_created', entity: 'Fulfillment', id: fulfillment })
  if (order) await notifyOrder(unit, order, shipmentOf(fields))
  return { __typename: 'CreateFulfillmentSuccess' as const, fulfillment }
}

/** Changes what the input has. `file` of the outcome: a label that was withdrawn; null: none. */
export async function updateFulfillment(unit: UnitOfWork, id: string, input: FulfillmentChange & Versioned) {
  const problems = changeProblems(input)
  if (problems.length > 0) return validationError(problems)
  const found = await locked(unit, id, input)
  if ('failure' in found) return found.failure
  const { order, before } = found
  const wanted = changedFields(before, input)
  const to = input.shipmentStatus ?? before.shipmentStatus
  const refused = problemsIn([methodProblem(before.shipmentStatus, to), arrivalProblem(wanted)])
  if (refused.length > 0) return validationError(refused)

  // No way leads back to UNFULFILLED.
  const after: FulfillmentFields = { ...wanted, shipmentStatus: to as Whereabouts }
  const { withdrawn } = await saveFulfillment(unit, before, after)
  const [current, known] = [shipmentOf(after), shipmentOf(before)]
  const isNews = keysOf(current).some((field) => current[field] !== known[field])
  if (order && isNews && (await isNewest(unit, before))) await notifyOrder(unit, order, current)
  return { __typename: 'UpdateFulfillmentSuccess' as const, fulfillment: before.id, file: withdrawn }
}

/**
 * Deletes a fulfillment whose goods have not left. `file` of the outcome: its label; null: it had
 * none.
 */
export async function deleteFulfillment(unit: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const { query, storeId, emit } = unit
  const found = await locked(unit, id, { expectedVersion })
  if ('failure' in found) return found.failure
  const { order, before } = found
  if (isShipped(before.shipmentStatus)) {
    return validationError([problem('id', 'a fulfillment that is REQUESTED or FAILED', before.shipmentStatus)])
  }
  const fulfillments = fulfillmentRepository(query)
  const wasNewest = await isNewest(unit, before)
  await fulfillments.delete(storeId, before.id)
  emit({ event: 'fulfillment_deleted', entity: 'Fulfillment', id: before.id })
  if (order && wasNewest) {
    const newest = await fulfillments.lockNewest(storeId, order.id)
    await notifyOrder(unit, order, newest ? shipmentOf(newest) : AT_THE_STORE)
  }
  return { __typename: 'DeleteFulfillmentSuccess' as const, row: before.id, file: before.labelFileId }
}

/** The fulfillment and its order, locked in the order in which orders lock them. */
async function locked({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const fulfillments = fulfillmentRepository(query)
  const row = decodeId(id, 'Fulfillment') ?? 0
  const orderNumber = await fulfillments.orderOf(storeId, row)
  const order = orderNumber === null ? null : await orderRepository(query).lock(storeId, orderNumber)
  const before = await fulfillments.lock(storeId, row)
  if (!before) return { failure: notFoundError('fulfillment', id) }
  const stale = staleVersion(expectedVersion, before.version)
  return stale ? { failure: stale } : { order, before }
}

async function isNewest({ query, storeId }: UnitOfWork, { id, orderNumber }: Fulfillment): Promise<boolean> {
  if (orderNumber === null) return false
  return (await fulfillmentRepository(query).lockNewest(storeId, orderNumber))?.id === id
}

/** Lets a locked order tell what its newest fulfillment says. */
async function notifyOrder(unit: UnitOfWork, order: Order, shipment: Shipment): Promise<void> {
  const { query, storeId, now, emit } = unit
  await orderRepository(query).update(storeId, order.id, await noteShipment(unit, order, shipment), now)
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
}

const shipmentOf = ({ shipmentStatus, trackingNumber, trackingCompany, trackingUrl }: FulfillmentFields) => ({
  shipmentStatus,
  trackingNumber,
  trackingCompany,
  trackingUrl,
})

const AT_THE_STORE: Shipment = { shipmentStatus: 'UNFULFILLED', trackingNumber: null, trackingCompany: null, trackingUrl: null }

/** `order` is told already how its goods are followed, if nothing was handed over before. */
function newFields(input: NewFulfillmentInput, order: Order | null): FulfillmentFields {
  const nothing = {
    type: input.type,
    serviceType: null,
    trackingNumber: order?.trackingNumber ?? null,
    trackingCompany: order?.trackingCompany ?? null,
    trackingUrl: order?.trackingUrl ?? null,
    externalId: null,
    message: null,
    observations: null,
    expectedArrivalFrom: null,
    expectedArrivalTo: null,
    sendEmail: true,
  }
  const known = order?.shipmentStatus ?? 'UNFULFILLED'
  return { ...changedFields(nothing, input), shipmentStatus: known === 'UNFULFILLED' || known === 'FAILED' ? 'REQUESTED' : known }
}

/** What is not said is as the order says. */
function termsOf(
  { shippingAddress, receiverEmail, phone, phonePrefix }: NewFulfillmentInput,
  order: Order | null,
): Omit<FulfillmentTerms, 'locationId' | 'packages'> {
  const customer = order?.customer ?? null
  const said = shippingAddress ? addressOf(addressIn(shippingAddress)) : null
  const ownPhone = textIn(phone)
  return {
    orderNumber: order?.id ?? null,
    address: said ?? order?.shippingAddress ?? null,
    receiverEmail: textIn(receiverEmail) ?? customer?.email ?? null,
    phone: ownPhone ?? customer?.phone ?? null,
    phonePrefix: ownPhone === null ? (customer?.phonePrefix ?? null) : textIn(phonePrefix),
  }
}

/**
 * What an order is sent in when nobody says: one package that weighs what its lines weigh; none
 * where nothing is sent.
 */
async function packagesOf({ query, storeId }: UnitOfWork, { id, shippingRequired }: Order): Promise<readonly Package[]> {
  if (!shippingRequired) return []
  const lines = await orderLineRepository(query).ofOrders(storeId, [id])
  const weight = sumOf(lines.map((line) => amountOf(line.weight) * BigInt(line.quantity)))
  return [{ length: null, width: null, height: null, weight: weight <= LARGEST ? textOf(weight) : null }]
}
