import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { addOrderHistoryEntry } from './actions.ts'
import type { OrderHistoryEntry } from './order-history.ts'

const listed = (name: string): KeysetList<OrderHistoryEntry> => ({ name, parts: ['number'], positionOf: ({ id }) => [id] })
const OLDEST_FIRST = listed('orderHistory')
const NEWEST_FIRST = listed('orderHistoryNewestFirst')

export const orderHistoryResolvers = {
  Mutation: {
    addOrderHistoryEntry: (_, { orderId, input }, { write }) =>
      write('addOrderHistoryEntry', { ...input, orderId }, (unit) => addOrderHistoryEntry(unit, orderId, input)),
  },
  Order: {
    history: async ({ id }, { orderBy, ...page }, { load }) => {
      const isNewestFirst = orderBy === 'ID_DESC'
      const list = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST
      const range = keysetRange(list, page, LIST_SIZES)
      const rows = await load.historyOfOrder({ ...range, isNewestFirst }).load(id)
      return keysetPage(list, range, rows, async () => Number((await load.historyCountOfOrder.load(id))?.count ?? 0))
    },
  },
  OrderHistoryEntry: identified('OrderHistoryEntry'),
  OrderHistoryConnection: connectionFields,
  AddOrderHistoryEntrySuccess: {
    entry: ({ entry }, _, { load }) => present(load.orderHistoryEntryById.load(entry), 'entry'),
  },
} satisfies Resolvers
