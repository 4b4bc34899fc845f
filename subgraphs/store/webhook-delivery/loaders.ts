import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { WebhookDeliveryRepository } from './repository.ts'

/** What `WebhookDelivery.attempts` promises. */
const MOST_ATTEMPTS = 50

export const webhookDeliveryLoaders = (deliveries: WebhookDeliveryRepository, { storeId }: Tenant) => ({
  webhookDeliveryById: loaderByKey(
    async (ids: readonly number[]) => deliveries.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  attemptsOfWebhookDelivery: loaderOfLists(
    async (ids: readonly number[]) => deliveries.attemptsOf(await storeId(), ids, MOST_ATTEMPTS),
    ({ deliveryId }) => deliveryId,
  ),
})
