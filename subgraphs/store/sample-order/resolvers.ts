import type { Resolvers } from '#generated/store/resolvers.ts'
import { missing } from '../../../platform/graphql/errors.ts'
import type { Context } from '../context.ts'
import type { EventName } from '../events.ts'
import { type FeedEvent, storeEvents } from '../feed.ts'
import type { Store } from '../store/store.ts'
import { isStoreCode } from '../storefront/storefront.ts'

/** What visitors see of an order; not that a cart was made or changed. */
const SHOWN: readonly EventName[] = ['order_pending_payment', 'order_paid', 'order_shipped', 'order_canceled']

/** Its owner decides what a store shows, so it shows nothing once it has one. */
const isShown = ({ isSample, ownerId }: Store): boolean => isSample && ownerId === null

export const sampleOrderResolvers = {
  Storefront: {
    sampleOrder: async ({ store, load }, _, { sampleOrders }) => {
      const id = isShown(store) ? await sampleOrders.newest(store.id) : null
      return id === null ? null : load.orderById.load(id)
    },
  },
  Subscription: {
    sampleOrderUpdated: {
      subscribe: async (_, { store }, context) => {
        const storeId = await sampleStore(store, context)
        return storeEvents({
          events: context.events,
          storeId,
          isWanted: ({ event }) => SHOWN.includes(event),
          assertOpen: () => sampleStore(store, context),
        })
      },
      resolve: async ({ payload: { id } }: FeedEvent, { store }: { readonly store: string }, context: Context) =>
        context.loadOfStore(await sampleStore(store, context)).orderById.load(id),
    },
  },
} satisfies Resolvers

/** Row of the sample store with this code. Rejects with NOT_FOUND when it is none, or no longer. */
async function sampleStore(code: string, { storefronts, sampleOrders }: Context): Promise<number> {
  const id = isStoreCode(code) ? await storefronts.storeWithCode(code) : null
  if (id === null || !(await sampleOrders.isShown(id)))
    throw missing(`There is no sample store with the code ${JSON.stringify(code.slice(0, 100))}.`)
  return id
}
