import type { Resolvers } from '#generated/store/resolvers.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { Context } from '../context.ts'
import { eventsFor, type FeedEvent, rowFor } from '../feed.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { cancelOrder, markOrderPaid, updateOrder } from './actions.ts'
import { bulkUpdateOrders } from './bulk-update/actions.ts'
import { previewOrder } from './calculation/preview.ts'
import { quoteOrder } from './calculation/shipping.ts'
import { exchangeOf, type Order } from './order.ts'
import { placeOrder } from './place-order.ts'
import { selectionOf } from './selection.ts'

const listed = (name: string): KeysetList<Order> => ({ name, parts: ['number'], positionOf: ({ id }) => [id] })
const OLDEST_FIRST = listed('orders')
const NEWEST_FIRST = listed('ordersNewestFirst')
const OF_CUSTOMER = listed('ordersOfCustomer')

export const orderResolvers = {
  Query: {
    order: (_, { id }, context) => orderOf(id, context),
    cart: async (_, { id }, context) => {
      const order = await orderOf(id, context)
      return order?.status === 'ABANDONED' || order?.status === 'PENDING_PAYMENT' ? order : null
    },
    orders: async (_, { filter, search, orderBy, ...page }, { storeId, orders, load, now }) => {
      const isNewestFirst = orderBy === 'ID_DESC'
      const list = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST
      const range = keysetRange(list, page, LIST_SIZES)
      const store = await storeId()
      const { timezone } = filter?.createdWithin ? await present(load.storeById.load(store), 'store') : { timezone: 'UTC' }
      const which = selectionOf(filter, search, { now: now(), timezone })
      return keysetPage(list, range, await orders.list(store, which, range, isNewestFirst), () => orders.count(store, which))
    },
    calculateOrder: async (_, { input }, context) => {
      const storeId = await context.storeId()
      const quoted = await quoteOrder(context, { query: context.database, storeId, now: context.now() }, input)
      // In one transaction, as `createOrder` is.
      return transaction(context.database, (query) => previewOrder({ query, storeId, now: context.now() }, input, quoted))
    },
  },
  Mutation: {
    createOrder: async (_, { input }, context) => {
      const quoted = await quoteOrder(
        context,
        { query: context.database, storeId: await context.storeId(), now: context.now() },
        input,
      )
      return context.write('createOrder', input, placeOrder(input, quoted))
    },
    updateOrder: (_, { id, input }, { write }) => write('updateOrder', { ...input, id }, (unit) => updateOrder(unit, id, input)),
    markOrderPaid: (_, { id, input }, { write }) =>
      write('markOrderPaid', { ...input, id }, (unit) => markOrderPaid(unit, id, input)),
    cancelOrder: (_, { id, input }, { write }) => write('cancelOrder', { ...input, id }, (unit) => cancelOrder(unit, id, input)),
    bulkUpdateOrders: (_, { input }, { write }) =>
      write('bulkUpdateOrders', input, (unit) =>
        bulkUpdateOrders(unit, { orders: input.orders, onError: input.onError ?? 'ALL_OR_NOTHING' }),
      ),
  },
  Subscription: {
    orderUpdated: {
      subscribe: async (_, { orderId }, context) => {
        const only = await rowFor(orderId, 'Order', (row) => context.load.orderById.load(row))
        return eventsFor(context, 'orderUpdated', ['order_updated'], ({ id }) => id === (only ?? id))
      },
      resolve: ({ payload: { id } }: FeedEvent, _: unknown, { load }: Context) => load.orderById.load(id),
    },
  },
  Order: {
    exchangeRate: (order) => exchangeOf(order),
    ...identified('Order'),
    __resolveReference: ({ id }, context) => orderOf(id, context),
    lines: ({ id }, _, { load }) => load.linesOfOrder.load(id),
    additionalFields: ({ id }, _, { load }) => load.additionalFieldsOfOrder.load(id),
    importedFrom: ({ id }, _, { load }) => load.originOfOrder.load(id),
    duplicateUrl: () => null,
    recoveryUrl: (order, _, context) => (order.status === 'ABANDONED' ? pageOf(order, 'recover', context) : null),
    reviewUrl: () => null,
    checkoutUrl: (order, _, context) =>
      order.status === 'ABANDONED' || order.status === 'PENDING_PAYMENT' ? pageOf(order, 'checkout', context) : null,
  },
  OrderCustomer: {
    customer: ({ number }, _, { load }) => load.customerById.load(number),
  },
  Customer: {
    orders: async ({ id }, { status, ...page }, { load }) => {
      const range = keysetRange(OF_CUSTOMER, page, LIST_SIZES)
      const rows = await load.orderIdsOfCustomer({ range, status: status ?? null }).load(id)
      const found = await Promise.all(rows.map((row) => load.orderById.load(row.id)))
      const orders = found.filter((order) => order !== null)
      return keysetPage(OF_CUSTOMER, range, orders, async () =>
        Number((await load.orderCountOfCustomer({ status: status ?? null }).load(id))?.count ?? 0),
      )
    },
  },
  OrderConnection: connectionFields,
  OrderLine: {
    ...identified('OrderLine'),
    product: ({ productNumber }, _, { load }) => load.productById.load(productNumber),
    variant: ({ variantNumber }, _, { load }) => (variantNumber === null ? null : load.productVariantById.load(variantNumber)),
    image: ({ imageKey }, _, { files }) => (imageKey === null ? null : files.publicUrl(imageKey)),
    allocations: async ({ id }, _, { load }) =>
      (await load.allocationsOfLine.load(id)).map(({ locationId, quantity }) => ({ locationNumber: locationId, quantity })),
  },
  OrderAdditionalField: { number: ({ id }) => id },
  CreateOrderSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
  UpdateOrderSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
  MarkOrderPaidSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
  CancelOrderSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
  BulkOrderRow: { order: ({ order }, _, { load }) => (order === null ? null : load.orderById.load(order)) },
} satisfies Resolvers

function orderOf(id: string, { load }: Context): Promise<Order | null> {
  const row = decodeId(id, 'Order')
  return row === null ? Promise.resolve(null) : load.orderById.load(row)
}

/** Public page of the order, by its secret URL. */
async function pageOf({ token }: Order, page: string, { access, publicUrl }: Context): Promise<string> {
  const { storeCode } = await access()
  return `${publicUrl}/shops/${storeCode}/orders/${token}/${page}`
}
