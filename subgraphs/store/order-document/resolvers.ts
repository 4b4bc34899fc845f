import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createOrderDocument, deleteOrderDocument, updateOrderDocument } from './actions.ts'
import type { OrderDocument } from './order-document.ts'

const OLDEST_FIRST: KeysetList<OrderDocument> = { name: 'orderDocuments', parts: ['number'], positionOf: ({ id }) => [id] }

export const orderDocumentResolvers = {
  Query: {
    orderDocuments: async (_, page, { storeId, orderDocuments }) => {
      const range = keysetRange(OLDEST_FIRST, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(OLDEST_FIRST, range, await orderDocuments.list(store, range), () => orderDocuments.count(store))
    },
  },
  Mutation: {
    createOrderDocument: (_, { orderId, input }, { write }) =>
      write('createOrderDocument', { ...input, orderId }, (unit) => createOrderDocument(unit, orderId, input)),
    updateOrderDocument: (_, { orderId, publicId, input }, { write }) =>
      // The input can have a publicId of its own.
      write('updateOrderDocument', { ...input, document: [orderId, publicId] }, (unit) =>
        updateOrderDocument(unit, { orderId, publicId }, input),
      ),
    deleteOrderDocument: (_, given, { write }) => write('deleteOrderDocument', given, (unit) => deleteOrderDocument(unit, given)),
  },
  Order: {
    documents: ({ id }, _, { load }) => load.documentsOfOrder.load(id),
  },
  OrderDocument: {
    ...identified('OrderDocument'),
    order: ({ orderNumber }, _, { load }) => present(load.orderById.load(orderNumber), 'order'),
  },
  OrderDocumentConnection: connectionFields,
  CreateOrderDocumentSuccess: {
    document: ({ document }, _, { load }) => present(load.orderDocumentById.load(document), 'document'),
  },
  UpdateOrderDocumentSuccess: {
    document: ({ document }, _, { load }) => present(load.orderDocumentById.load(document), 'document'),
  },
  DeleteOrderDocumentSuccess: gone('OrderDocument'),
} satisfies Resolvers
