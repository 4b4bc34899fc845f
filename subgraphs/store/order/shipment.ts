import { validationError } from '../../toolkit/validation.ts'
import { updateNewestFulfillment } from '../fulfillment/update-newest.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import type { UnitOfWork } from '../write.ts'
import type { Order } from './order.ts'
import type { OrderChange } from './repository.ts'
import { fulfillmentOf, isShipped, SHIPMENT_WORDS, shipmentProblem } from './status/states.ts'

/** State of a shipment; undefined stays unchanged. */
export type Shipment = Pick<OrderChange, 'shipmentStatus' | 'trackingNumber' | 'trackingCompany' | 'trackingUrl'>

/**
 * Sets the shipment state of a locked order: returns the fields to write, or why it is refused. The
 * newest fulfillment of the order, if any, gets the same.
 */
export async function shipOrder(unit: UnitOfWork, order: Pick<Order, 'id' | 'status' | 'shipmentStatus'>, shipment: Shipment) {
  if (Object.keys(shipment).length === 0) return { change: {} }
  const forbidden = shipmentProblem(order.shipmentStatus, shipment.shipmentStatus ?? order.shipmentStatus, order.status)
  if (forbidden) return { failure: validationError([forbidden]) }
  await updateNewestFulfillment(unit, order.id, shipment)
  return { change: await noteShipment(unit, order, shipment) }
}

/**
 * Sets the shipment state of a locked order from one of its fulfillments: returns the fields to
 * write.
 */
export async function noteShipment(
  { query, storeId, now, emit }: UnitOfWork,
  { id, shipmentStatus: from }: Pick<Order, 'id' | 'shipmentStatus'>,
  shipment: Shipment,
): Promise<OrderChange> {
  const to = shipment.shipmentStatus ?? from
  if (to !== from) {
    await orderHistoryRepository(query).insert(storeId, {
      orderId: id,
      message: `The shipment went from ${SHIPMENT_WORDS[from]} to ${SHIPMENT_WORDS[to]}.`,
      log: { event: 'shipment', from, to },
      at: now,
    })
    if (isShipped(to) && !isShipped(from)) emit({ event: 'order_shipped', entity: 'Order', id })
  }
  return { ...shipment, shipmentStatus: to, fulfillmentStatus: fulfillmentOf(to) }
}
