import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { addOrderHistoryEntry } from './actions.ts'
import type { OrderHistoryEntry } from './order-history.ts'

const OF_ORDER: KeysetList<OrderHistoryEntry> = { name: 'orderHistory', parts: ['number'], positionOf: ({ id }) => [id] }

export const orderHistoryResolvers = {
  Mutation: {
    addOrderHistoryEntry: (_, { orderId, input }, { write }) =>
      write('addOrderHistoryEntry', { ...input, orderId }, (unit) => addOrderHistoryEntry(unit, orderId, input)),
  },
  Order: {
    history: async ({ id }, page, { load }) => {
      const range = keysetRange(OF_ORDER, page, LIST_SIZES)
      const rows = await load.historyOfOrder(range).load(id)
      return keysetPage(OF_ORDER, range, rows, async () => Number((await load.historyCountOfOrder.load(id))?.count ?? 0))
    },
  },
  OrderHistoryEntry: identified('OrderHistoryEntry'),
  OrderHistoryConnection: connectionFields,
  AddOrderHistoryEntrySuccess: {
    entry: ({ entry }, _, { load }) => present(load.orderHistoryEntryById.load(entry), 'entry'),
  },
} satisfies Resolvers
