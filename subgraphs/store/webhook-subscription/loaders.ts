import { loaderByKey } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import type { WebhookSubscriptionRepository } from './repository.ts'

export const webhookSubscriptionLoaders = (subscriptions: WebhookSubscriptionRepository, { storeId }: Tenant) => ({
  webhookSubscriptionById: loaderByKey(
    async (ids: readonly number[]) => subscriptions.findByIds(await storeId(), ids),
    ({ id }) => id,
  ),
})
