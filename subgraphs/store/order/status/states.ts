import { type Problem, problem } from '../../../toolkit/validation.ts'
import type { EventName } from '../../events.ts'

export type OrderStatus = 'ABANDONED' | 'CANCELED' | 'PENDING_PAYMENT' | 'PAID'
export type FulfillmentStatus = 'UNFULFILLED' | 'FULFILLED'
export type ShipmentStatus = 'UNFULFILLED' | 'REQUESTED' | 'IN_TRANSIT' | 'DELIVERED' | 'FAILED' | 'PICKUP_AVAILABLE'

/** Where a sale can go from where it is. */
const NEXT_STATUS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  ABANDONED: ['PENDING_PAYMENT', 'PAID', 'CANCELED'],
  PENDING_PAYMENT: ['PAID', 'CANCELED', 'ABANDONED'],
  PAID: ['CANCELED'],
  CANCELED: [],
}

/** Where goods can go from where they are. */
const NEXT_SHIPMENT: Readonly<Record<ShipmentStatus, readonly ShipmentStatus[]>> = {
  UNFULFILLED: ['REQUESTED'],
  REQUESTED: ['IN_TRANSIT', 'FAILED'],
  IN_TRANSIT: ['DELIVERED', 'FAILED', 'PICKUP_AVAILABLE'],
  PICKUP_AVAILABLE: ['DELIVERED'],
  FAILED: ['REQUESTED'],
  DELIVERED: [],
}

/** What the history says for where goods are. */
export const SHIPMENT_WORDS: Readonly<Record<ShipmentStatus, string>> = {
  UNFULFILLED: 'not sent',
  REQUESTED: 'requested',
  IN_TRANSIT: 'in transit',
  DELIVERED: 'delivered',
  FAILED: 'failed',
  PICKUP_AVAILABLE: 'ready for pickup',
}

/** What webhooks call the arrival in a state. */
export const STATUS_EVENT: Readonly<Record<OrderStatus, EventName>> = {
  ABANDONED: 'order_abandoned',
  CANCELED: 'order_canceled',
  PENDING_PAYMENT: 'order_pending_payment',
  PAID: 'order_paid',
}

/** States that hold stock and count coupons. */
export const isHolding = (status: OrderStatus): boolean => status === 'PENDING_PAYMENT' || status === 'PAID'

/** Whether goods have left the store. */
export const isShipped = (status: ShipmentStatus): boolean =>
  status === 'IN_TRANSIT' || status === 'DELIVERED' || status === 'PICKUP_AVAILABLE'

/** An order counts as fulfilled as soon as a pickup by the carrier is requested. */
export const fulfillmentOf = (shipment: ShipmentStatus): FulfillmentStatus =>
  shipment === 'UNFULFILLED' ? 'UNFULFILLED' : 'FULFILLED'

/**
 * The problem of a change of the status to `to`; null when it is allowed, or the status already.
 */
export const statusProblem = (from: OrderStatus, to: OrderStatus): Problem | null =>
  from === to || NEXT_STATUS[from].includes(to) ? null : problem('status', allowed(from, NEXT_STATUS[from]), to)

/**
 * The problem of a change of the shipment status to `to`; null when it is allowed, or the status
 * already.
 */
export const methodProblem = (from: ShipmentStatus, to: ShipmentStatus): Problem | null =>
  from === to || NEXT_SHIPMENT[from].includes(to) ? null : problem('shipmentStatus', allowed(from, NEXT_SHIPMENT[from]), to)

/** The same of the goods of an order in the state `status`. */
export function shipmentProblem(from: ShipmentStatus, to: ShipmentStatus, status: OrderStatus): Problem | null {
  const forbidden = methodProblem(from, to)
  if (forbidden || from === to) return forbidden
  // A shipment in transit still arrives when its order is cancelled.
  if (from === 'UNFULFILLED' && !isHolding(status)) {
    return problem('shipmentStatus', `UNFULFILLED as long as the order is ${status}`, to)
  }
  return null
}

/**
 * Whether a line was fulfilled: with its order, or, when an edit added it after that, by a later
 * fulfillment. `handedOver` are the times of the fulfillments of the order.
 */
export const isLineFulfilled = (
  order: { readonly fulfillmentStatus: FulfillmentStatus },
  { addedAt }: { readonly addedAt: Date | null },
  handedOver: readonly Date[],
): boolean => order.fulfillmentStatus === 'FULFILLED' && (addedAt === null || handedOver.some((time) => time >= addedAt))

const allowed = (from: string, next: readonly string[]): string =>
  next.length === 0 ? `${from}, which is final` : `${from}, or next ${next.join(' or ')}`
