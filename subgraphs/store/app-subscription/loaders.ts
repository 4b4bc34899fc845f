import { loaderOfLists } from '../../runtime/loader.ts'
import type { AppSubscriptionRepository } from './repository.ts'

export const appSubscriptionLoaders = (subscriptions: AppSubscriptionRepository) => ({
  plansOfApp: loaderOfLists(subscriptions.plansOf, ({ appId }) => appId),
})
