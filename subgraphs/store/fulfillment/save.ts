import { SHIPMENT_WORDS } from '../order/status/states.ts'
import type { UnitOfWork } from '../write.ts'
import { type Fulfillment, type FulfillmentFields, isLabelStale } from './fulfillment.ts'
import { fulfillmentRepository } from './repository.ts'

/**
 * Writes what a locked fulfillment says from now on, and, where its goods are somewhere else, its
 * history. A label that would say something else is withdrawn: its file, or null.
 */
export async function saveFulfillment(
  { query, storeId, now, emit }: UnitOfWork,
  before: Fulfillment,
  after: FulfillmentFields,
): Promise<{ readonly withdrawn: number | null }> {
  const fulfillments = fulfillmentRepository(query)
  const isStale = isLabelStale(before, after)
  await fulfillments.update(storeId, before.id, { ...after, labelFileId: isStale ? null : before.labelFileId }, now)
  const { shipmentStatus } = after
  if (shipmentStatus !== before.shipmentStatus) {
    const message = `The shipment went from ${SHIPMENT_WORDS[before.shipmentStatus]} to ${SHIPMENT_WORDS[shipmentStatus]}.`
    await fulfillments.note(storeId, { fulfillmentId: before.id, shipmentStatus, message }, now)
  }
  emit({ event: 'fulfillment_updated', entity: 'Fulfillment', id: before.id })
  return { withdrawn: isStale ? before.labelFileId : null }
}
