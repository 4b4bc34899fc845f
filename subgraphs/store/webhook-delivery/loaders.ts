import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { WebhookDeliveryRepository } from './repository.ts'

/** What `WebhookDelivery.attempts` promises. */
const MAX_ATTEMPTS = 50

export const webhookDeliveryLoaders = (deliveries: WebhookDeliveryRepository, { storeId }: Tenant) => ({
  webhookDeliveryById: loaderByKey(
    async (ids: readonly number[]) => deliveries.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
  attemptsOfWebhookDelivery: loaderOfLists(
    async (ids: readonly number[]) => deliveries.attemptsOf(await storeId(), ids, MAX_ATTEMPTS),
    ({ deliveryId }) => deliveryId,
  ),
})
