import DataLoader from 'dataloader'
import { loaderOfLists } from '../../toolkit/loader.ts'
import type { Tenant } from '../context.ts'
import { accountsOf, type BillingCycle } from './billing.ts'
import type { AppSubscriptionRepository } from './repository.ts'

export const appSubscriptionLoaders = (subscriptions: AppSubscriptionRepository, { storeId }: Tenant) => ({
  plansOfApp: loaderOfLists(subscriptions.plansOf, ({ appId }) => appId),
  subscriptionsToApp: loaderOfLists(
    async (appIds: readonly number[]) => subscriptions.ofApps(await storeId(), appIds),
    ({ appId }) => appId,
  ),
  accountOfCycle: new DataLoader(async (cycles: readonly BillingCycle[]) => accountsOf(subscriptions, await storeId(), cycles), {
    cacheKeyFn: ({ subscription, startsOn }) => `${subscription.id} ${startsOn}`,
  }),
})
