import { GetStoreInfoDocument, ListStoreLanguagesDocument, SetupStoreDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const storeItselfRoutes = [
  route({ run: GetStoreInfoDocument, answer: 'store' }),
  route({ run: ListStoreLanguagesDocument, answer: 'store.languages' }),
  route({
    run: SetupStoreDocument,
    answer: 'result',
    failures: { StoreLimitReached: 429, SubscriptionRequired: ({ isTooRecent }) => (isTooRecent ? 403 : 402) },
    shape: ({ store, login, authtoken, adminUrl }) => ({
      store: { ...store, admin_url: adminUrl },
      credentials: { login, authtoken },
    }),
  }),
]
