import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createPriceList, deletePriceList, removePriceListPrices, setPriceListPrices, updatePriceList } from './actions.ts'
import type { PriceList, PriceListPrice } from './price-list.ts'

const LISTS: KeysetList<PriceList> = { name: 'priceLists', parts: ['number'], positionOf: ({ id }) => [id] }
const PRICES: KeysetList<PriceListPrice> = { name: 'priceListPrices', parts: ['number'], positionOf: ({ id }) => [id] }

export const priceListResolvers = {
  Query: {
    priceList: (_, { id }, { load }) => load.priceListById.load(decodeId(id, 'PriceList') ?? 0),
    priceLists: async (_, page, { storeId, priceLists }) => {
      const range = keysetRange(LISTS, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(LISTS, range, await priceLists.list(store, range), () => priceLists.count(store))
    },
  },
  Mutation: {
    createPriceList: (_, { input }, { write }) => write('createPriceList', input, (unit) => createPriceList(unit, input)),
    updatePriceList: (_, { id, input }, { write }) =>
      write('updatePriceList', { ...input, id }, (unit) => updatePriceList(unit, id, input)),
    deletePriceList: (_, given, { write }) => write('deletePriceList', given, (unit) => deletePriceList(unit, given.id, given)),
    setPriceListPrices: (_, { id, input }, { write }) =>
      write('setPriceListPrices', { ...input, id }, (unit) => setPriceListPrices(unit, id, input)),
    removePriceListPrices: (_, { id, input }, { write }) =>
      write('removePriceListPrices', { ...input, id }, (unit) => removePriceListPrices(unit, id, input)),
  },
  PriceList: {
    ...identified('PriceList'),
    currency: async ({ currency }, _, { storeId, load }) =>
      currency ?? (await present(load.storeById.load(await storeId()), 'store')).currency,
    customerCategory: ({ customerCategoryId }, _, { load }) =>
      customerCategoryId === null ? null : load.customerCategoryById.load(customerCategoryId),
    customerCategoryNumber: ({ customerCategoryId }) => customerCategoryId,
    prices: async ({ id }, { productId, ...page }, { load }) => {
      const range = keysetRange(PRICES, page, LIST_SIZES)
      const of = productId == null ? null : (decodeId(productId, 'Product') ?? 0)
      const rows = await load.pricesOfPriceList({ productId: of, range }).load(id)
      return keysetPage(PRICES, range, rows, async () => (await load.priceCountOfPriceList(of).load(id))?.count ?? 0)
    },
  },
  PriceListPrice: {
    ...identified('PriceListPrice'),
    product: ({ productId }, _, { load }) => load.productById.load(productId),
    productNumber: ({ productId }) => productId,
    variant: ({ variantId }, _, { load }) => (variantId === null ? null : load.productVariantById.load(variantId)),
    variantNumber: ({ variantId }) => variantId,
  },
  PriceListConnection: connectionFields,
  PriceListPriceConnection: connectionFields,
  PriceListSuccess: {
    priceList: ({ priceList }, _, { load }) => present(load.priceListById.load(priceList), 'price list'),
  },
  DeletePriceListSuccess: gone('PriceList'),
} satisfies Resolvers
