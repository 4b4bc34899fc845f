import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createReview, deleteReview, moderateReview } from './actions.ts'
import type { ProductReview } from './product-review.ts'

const ALL: KeysetList<ProductReview> = { name: 'productReviews', parts: ['number'], positionOf: ({ id }) => [id] }
const OF_PRODUCT: KeysetList<ProductReview> = { ...ALL, name: 'reviews' }

export const productReviewResolvers = {
  Query: {
    productReview: (_, { id }, { load }) => {
      const row = decodeId(id, 'ProductReview')
      return row === null ? null : load.productReviewById.load(row)
    },
    productReviews: async (_, page, { storeId, productReviews }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await productReviews.list(store, range), () => productReviews.count(store))
    },
  },
  Product: {
    reviews: async ({ id }, page, { load }) => {
      const range = keysetRange(OF_PRODUCT, page, LIST_SIZES)
      return keysetPage(
        OF_PRODUCT,
        range,
        await load.reviewsOfProduct(range).load(id),
        async () => (await load.reviewCountOfProduct.load(id))?.count ?? 0,
      )
    },
  },
  ProductReview: {
    ...identified('ProductReview'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductReview')
      return row === null ? null : load.productReviewById.load(row)
    },
    product: ({ productId }, _, { load }) => (productId === null ? null : load.productById.load(productId)),
    productNumber: ({ productId }) => productId,
    orderNumber: ({ orderId }) => orderId,
  },
  ProductReviewConnection: connectionFields,
  ShopOrderLine: { productId: ({ productId }) => (productId === null ? null : encodeId('Product', String(productId))) },
  ModerateProductReviewSuccess: {
    productReview: ({ productReview }, _, { load }) => present(load.productReviewById.load(productReview), 'review'),
  },
  DeleteProductReviewSuccess: gone('ProductReview'),
  Mutation: {
    createStorefrontReview: async (_, { input: { store, secret, ...review } }, context) => {
      const order = await context.shops.orderByLink(store, secret)
      return order === null
        ? notFoundError('order', secret)
        : context.writeTo(order.storeId, 'createStorefrontReview', {}, (unit) => createReview(unit, order.number, review))
    },
    moderateProductReview: (_, { id, status }, { write }) =>
      write('moderateProductReview', { id, status }, (unit) => moderateReview(unit, id, status)),
    deleteProductReview: (_, { id }, { write }) => write('deleteProductReview', { id }, (unit) => deleteReview(unit, id)),
  },
} satisfies Resolvers
