import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { present } from '../ids.ts'
import { isStoreCode } from '../storefront/storefront.ts'
import type { Shop, ShopProduct } from './shop.ts'

const SHOPS: KeysetList<Shop> = { name: 'shops', parts: ['number'], positionOf: ({ id }) => [id] }
const PRODUCTS: KeysetList<ShopProduct> = { name: 'shopProducts', parts: ['number'], positionOf: ({ id }) => [id] }

/** Smaller than lists of the store's own: it is public. */
const SIZES = { usual: 24, max: 50 } as const

export const shopResolvers = {
  Query: {
    shops: async (_, page, { shops }) => {
      const range = keysetRange(SHOPS, page, { usual: 24, max: 100 })
      return keysetPage(SHOPS, range, await shops.list(range), shops.count)
    },
    shop: (_, { code }, { shops }) => (isStoreCode(code) ? shops.byCode(code) : null),
    shopOrder: (_, { code, secret }, { shops }) => shops.orderByLink(code, secret),
  },
  Shop: {
    url: ({ code }, _, { publicUrl }) => `${publicUrl}/shops/${code}`,
    products: async ({ id }, page, { load }) => {
      const range = keysetRange(PRODUCTS, page, SIZES)
      const count = async () => (await load.productCountOfShop.load(id))?.count ?? 0
      return keysetPage(PRODUCTS, range, await load.productsOfShop(range).load(id), count)
    },
  },
  ShopProduct: {
    image: ({ imageKey }, _, { files }) => (imageKey === null ? null : files.publicUrl(imageKey)),
  },
  ShopConnection: connectionFields,
  ShopProductConnection: connectionFields,
  ShopOrder: {
    shop: ({ storeId }, _, { shops }) => present(shops.byId(storeId), 'shop'),
    lines: ({ storeId, number }, _, { shops }) => shops.orderLines(storeId, number),
  },
} satisfies Resolvers
