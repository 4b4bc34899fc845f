import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { webhookSubscriptionRepository } from '../webhook-subscription/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { deliveryRow } from './ids.ts'
import { webhookDeliveryRepository } from './repository.ts'
import type { Webhooks } from './webhooks.ts'

/** Sends a delivery again that is over, under the same id. */
export async function replayWebhookDelivery(unit: UnitOfWork, { plan }: Webhooks, id: string) {
  const { query, storeId, now } = unit
  const deliveries = webhookDeliveryRepository(query)
  const row = deliveryRow(id) ?? 0
  await deliveries.lockOrder(storeId)
  const [seen] = await deliveries.findByIds(storeId, [row])
  // Locked in the same order as when an attempt is recorded.
  const subscription = seen && (await webhookSubscriptionRepository(query).lock(storeId, seen.subscriptionId))
  const before = subscription && (await deliveries.lock(storeId, row))
  if (!subscription || !before) return notFoundError('webhook delivery', id)
  if (before.status === 'waiting') {
    return validationError([problem('id', 'that of a delivery that was delivered or given up', 'one that waits')])
  }
  await deliveries.replay(storeId, before.id, subscription.url, now)
  if (before.isTest) await plan.begin(unit, [{ deliveryId: before.id, dueAt: null }])
  else await plan.wake(unit, subscription.url)
  return { __typename: 'ReplayWebhookDeliverySuccess' as const, webhookDelivery: before.id }
}
