import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { required, urlProblem, type Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type AdditionalFieldInput, writtenFields } from './additional-field/additional-field.ts'
import { orderLineRepository } from './line/repository.ts'
import { MAX_NOTE_LENGTH, type Order } from './order.ts'
import { orderRepository } from './repository.ts'
import { shipOrder } from './shipment.ts'
import type { OrderStatus, ShipmentStatus } from './status/states.ts'
import { changeStatus, type StatusChange } from './status/status-change.ts'

type Text = string | null | undefined

/** What to change of an order, as a caller gives it: undefined stays as it is, null clears. */
export type OrderUpdate = Versioned & {
  readonly status?: OrderStatus | null | undefined
  readonly shipmentStatus?: ShipmentStatus | null | undefined
  readonly trackingNumber?: Text
  readonly trackingCompany?: Text
  readonly trackingUrl?: Text
  readonly additionalInformation?: Text
  readonly additionalFields?: readonly AdditionalFieldInput[] | null | undefined
}

const MAX_TEXT_LENGTH = 200
const MAX_PAYMENT_INFORMATION_LENGTH = 2_000

/** Changes what the input has. */
export async function updateOrder(unit: UnitOfWork, id: string, input: OrderUpdate) {
  const problems = updateProblems(input)
  if (problems.length > 0) return validationError(problems)
  const found = await locked(unit, id, input)
  if ('failure' in found) return found.failure
  const { order } = found
  const { query, storeId, now, emit } = unit
  const lines = orderLineRepository(query)
  const fields = input.additionalFields
    ? writtenFields(await lines.fieldsOf(storeId, [order.id]), input.additionalFields)
    : { written: [] }
  if ('failure' in fields) return fields.failure

  const moved = input.status ? await changeStatus(unit, order, { to: input.status, restock: true, reason: null }) : { change: {} }
  if ('failure' in moved) return moved.failure
  const shipped = await shipOrder(unit, { ...order, status: input.status ?? order.status }, shipmentOf(input))
  if ('failure' in shipped) return shipped.failure
  await lines.writeFields(storeId, order.id, fields.written)
  const { additionalInformation } = input
  const noted = additionalInformation === undefined ? {} : { additionalInformation: blankless(additionalInformation) }
  await orderRepository(query).update(storeId, order.id, { ...moved.change, ...shipped.change, ...noted }, now)
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
  return { __typename: 'UpdateOrderSuccess' as const, order: order.id }
}

/** Marks an order as paid. A paid one stays unchanged, so that a gateway may repeat it. */
export async function markOrderPaid(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly paymentNotificationId?: Text; readonly paymentInformation?: Text },
) {
  const { paymentNotificationId, paymentInformation } = input
  const problems = problemsIn([
    shortText('paymentNotificationId', paymentNotificationId, MAX_TEXT_LENGTH),
    shortText('paymentInformation', paymentInformation, MAX_PAYMENT_INFORMATION_LENGTH),
  ])
  if (problems.length > 0) return validationError(problems)
  const delivered = {
    ...(paymentNotificationId !== undefined && { paymentNotificationId: blankless(paymentNotificationId) }),
    ...(paymentInformation !== undefined && { paymentInformation: blankless(paymentInformation) }),
  }
  const result = await moved(unit, id, input, { to: 'PAID', restock: true, reason: null }, delivered)
  return result.failure ?? { __typename: 'MarkOrderPaidSuccess' as const, order: result.order }
}

/** Cancels an order. */
export async function cancelOrder(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly restock?: boolean | null | undefined; readonly reason?: Text },
) {
  const reasonProblem = shortText('reason', input.reason, MAX_PAYMENT_INFORMATION_LENGTH)
  if (reasonProblem) return validationError([reasonProblem])
  const move: StatusChange = { to: 'CANCELED', restock: input.restock !== false, reason: blankless(input.reason) }
  const response = await moved(unit, id, input, move, {})
  if (response.failure) {
    // A cancellation reserves nothing, so there is no shortage.
    if (response.failure.__typename === 'InsufficientStock') throw new Error('Expected a cancellation to take no stock.')
    return response.failure
  }
  return { __typename: 'CancelOrderSuccess' as const, order: response.order }
}

async function moved(
  unit: UnitOfWork,
  id: string,
  input: Versioned,
  move: StatusChange,
  sent: { readonly paymentNotificationId?: string | null; readonly paymentInformation?: string | null },
) {
  const found = await locked(unit, id, input)
  if ('failure' in found) return { failure: found.failure }
  const { order } = found
  const moved = await changeStatus(unit, order, move)
  if ('failure' in moved) return { failure: moved.failure }
  const { query, storeId, now, emit } = unit
  await orderRepository(query).update(storeId, order.id, { ...moved.change, ...sent }, now)
  emit({ event: 'order_updated', entity: 'Order', id: order.id })
  return { failure: null, order: order.id }
}

async function locked({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const order: Order | null = await orderRepository(query).lock(storeId, decodeId(id, 'Order') ?? 0)
  if (!order) return { failure: notFoundError('order', id) }
  const stale = staleVersion(expectedVersion, order.version)
  return stale ? { failure: stale } : { order }
}

/** Problems of an update by itself. */
const updateProblems = (input: OrderUpdate): readonly Problem[] => [
  ...required(input, ['status', 'shipmentStatus']),
  ...problemsIn([
    shortText('trackingNumber', input.trackingNumber, MAX_TEXT_LENGTH),
    shortText('trackingCompany', input.trackingCompany, MAX_TEXT_LENGTH),
    input.trackingUrl?.trim() ? urlProblem('trackingUrl', input.trackingUrl) : null,
    shortText('additionalInformation', input.additionalInformation, MAX_NOTE_LENGTH),
    input.additionalFields === null ? problem('additionalFields', 'absent or a list', null) : null,
  ]),
]

const shortText = (field: string, text: Text, max: number): Problem | null =>
  text?.trim() ? textProblem(field, text, max) : null

/** Blank texts clear: forms send them. */
const blankless = (text: Text): string | null => (text?.trim() ? text : null)

const shipmentOf = ({ shipmentStatus, trackingNumber, trackingCompany, trackingUrl }: OrderUpdate) => ({
  ...(shipmentStatus != null && { shipmentStatus }),
  ...(trackingNumber !== undefined && { trackingNumber: blankless(trackingNumber) }),
  ...(trackingCompany !== undefined && { trackingCompany: blankless(trackingCompany) }),
  ...(trackingUrl !== undefined && { trackingUrl: blankless(trackingUrl) }),
})
