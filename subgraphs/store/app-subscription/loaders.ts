import { loaderOfLists } from '../../runtime/loader.ts'
import type { Tenant } from '../context.ts'
import type { AppSubscriptionRepository } from './repository.ts'

export const appSubscriptionLoaders = (subscriptions: AppSubscriptionRepository, { storeId }: Tenant) => ({
  plansOfApp: loaderOfLists(subscriptions.plansOf, ({ appId }) => appId),
  subscriptionsToApp: loaderOfLists(
    async (appIds: readonly number[]) => subscriptions.ofApps(await storeId(), appIds),
    ({ appId }) => appId,
  ),
})
