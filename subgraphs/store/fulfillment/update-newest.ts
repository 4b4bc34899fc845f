import type { ShipmentStatus } from '../order/status/states.ts'
import type { UnitOfWork } from '../write.ts'
import { fulfillmentRepository } from './repository.ts'
import { saveFulfillment } from './save.ts'

/** What an order says of where its goods are; undefined stays unchanged. */
type Delivered = {
  readonly shipmentStatus?: ShipmentStatus | undefined
  readonly trackingNumber?: string | null | undefined
  readonly trackingCompany?: string | null | undefined
  readonly trackingUrl?: string | null | undefined
}

/**
 * Tells the newest fulfillment of a locked order, if it has one, where its goods are. That they may
 * be there was judged.
 */
export async function updateNewestFulfillment(
  unit: UnitOfWork,
  orderId: number,
  { shipmentStatus, ...tracking }: Delivered,
): Promise<void> {
  const newest = await fulfillmentRepository(unit.query).lockNewest(unit.storeId, orderId)
  // An order with fulfillments is handed over: it says the same of itself.
  if (!newest || shipmentStatus === 'UNFULFILLED') return
  const known = Object.fromEntries(Object.entries(tracking).filter(([, text]) => text !== undefined))
  await saveFulfillment(unit, newest, { ...newest, ...known, ...(shipmentStatus && { shipmentStatus }) })
}
