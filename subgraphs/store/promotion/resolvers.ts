import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createPromotion, deletePromotion, updatePromotion } from './actions.ts'
import type { Promotion } from './promotion.ts'
import { promotionStatus } from './rule.ts'

const ALL: KeysetList<Promotion> = { name: 'promotions', parts: ['number'], positionOf: ({ id }) => [id] }

export const promotionResolvers = {
  Query: {
    promotion: (_, { id }, { load }) => {
      const row = decodeId(id, 'Promotion')
      return row === null ? null : load.promotionById.load(row)
    },
    promotions: async (_, page, { storeId, promotions }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const [store, enabled] = [await storeId(), page.enabled ?? null]
      return keysetPage(ALL, range, await promotions.list(store, range, enabled), () => promotions.count(store, enabled))
    },
  },
  Mutation: {
    createPromotion: (_, { input }, { write }) => write('createPromotion', input, (unit) => createPromotion(unit, input)),
    updatePromotion: (_, { id, input }, { write }) =>
      write('updatePromotion', { ...input, id }, (unit) => updatePromotion(unit, id, input)),
    deletePromotion: (_, given, { write }) => write('deletePromotion', given, (unit) => deletePromotion(unit, given.id, given)),
  },
  Promotion: {
    ...identified('Promotion'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Promotion')
      return row === null ? null : load.promotionById.load(row)
    },
    status: (promotion, _, { now }) => promotionStatus(promotion, now()),
    customerCategories: ({ customerCategories }, _, { load }) => there(customerCategories, load.customerCategoryById),
    categories: ({ categories }, _, { load }) => there(categories, load.productCategoryById),
    categoriesX: ({ categoriesX }, _, { load }) => there(categoriesX, load.productCategoryById),
    products: ({ products }, _, { load }) => there(products, load.productById),
    productsX: ({ productsX }, _, { load }) => there(productsX, load.productById),
    coupons: ({ id }, _, { load }) => load.couponsOfPromotion.load(id),
  },
  Coupon: identified('Coupon'),
  PromotionConnection: connectionFields,
  CreatePromotionSuccess: {
    promotion: ({ promotion }, _, { load }) => present(load.promotionById.load(promotion), 'promotion'),
  },
  UpdatePromotionSuccess: {
    promotion: ({ promotion }, _, { load }) => present(load.promotionById.load(promotion), 'promotion'),
  },
  DeletePromotionSuccess: gone('Promotion'),
} satisfies Resolvers

/** Without those that were deleted since the promotion was read. */
async function there<Row>(
  ids: readonly number[],
  loader: { readonly load: (id: number) => Promise<Row | null> },
): Promise<Row[]> {
  const found = await Promise.all(ids.map((id) => loader.load(id)))
  return found.filter((row) => row !== null)
}
