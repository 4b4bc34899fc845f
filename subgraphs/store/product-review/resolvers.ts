import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, identified } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
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
} satisfies Resolvers
