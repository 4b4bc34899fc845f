import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { encodeId } from '../../toolkit/ids.ts'
import type { Context } from '../context.ts'
import { countries } from '../country/country.ts'
import type { ProductCategory } from '../product-category/product-category.ts'
import { lookOf } from './look.ts'
import { shopperPrices } from './shopper-prices.ts'
import { isPermalink, isStoreCode, type Storefront } from './storefront.ts'

export const storefrontResolvers = {
  Query: {
    storefront: async (_, { store, language }, context) => {
      if (!isStoreCode(store)) return null
      const storeId = await context.storefronts.storeWithCode(store)
      return storeId === null ? null : storefrontOf(context, storeId, language)
    },
  },
  Storefront: {
    code: ({ store }) => store.code,
    name: ({ store }) => store.name,
    url: ({ store }, _, { publicUrl }) => `${publicUrl}/shops/${store.code}`,
    logo: ({ store }) => store.logo,
    currency: ({ store }) => store.currency,
    country: ({ store }) => store.country,
    product: async (storefront, { permalink }, { storefronts }) => {
      if (!isPermalink(permalink)) return null
      const id = await storefronts.productAt(storefront.store.id, permalink)
      const product = id === null ? null : await storefront.load.productById.load(id)
      return product && { storefront, product }
    },
    collection: async (storefront, { permalink }, { storefronts }) => {
      const category = isPermalink(permalink) ? await storefronts.categoryAt(storefront.store.id, permalink) : null
      return category && { storefront, category }
    },
    collections: async (storefront, _, { storefronts }) =>
      (await storefronts.topCategories(storefront.store.id)).map(inside(storefront)),
    page: ({ store }, { permalink }, { storefronts }) =>
      isPermalink(permalink) ? storefronts.pageAt(store.id, permalink) : null,
    menus: async ({ store }, _, { storefronts }) => {
      const pages = await storefronts.menuPages(store.id)
      return [...Map.groupBy(pages, ({ menu }) => menu)].map(([name, own]) => ({ name, pages: own }))
    },
    theme: async ({ store, load }) => {
      const publication = await load.publicationOfStore.load(store.id)
      const theme = publication && (await load.themeById.load(publication.themeId))
      return theme && lookOf(theme, publication)
    },
    countries: () => [...countries()],
  },
  StorefrontCollection: {
    id: ({ category }) => encodeId('ProductCategory', String(category.id)),
    name: ({ category }) => category.name,
    permalink: ({ category }) => category.permalink,
    parent: async ({ storefront, category }) => {
      const parent = category.parentId === null ? null : await storefront.load.productCategoryById.load(category.parentId)
      return parent && { storefront, category: parent }
    },
    children: async ({ storefront, category }) =>
      (await storefront.load.productCategoriesOfParent.load(category.id)).map(inside(storefront)),
  },
  StorefrontPage: {
    seo: ({ title, pageTitle, metaDescription }) => ({ title: pageTitle ?? title, description: metaDescription }),
  },
} satisfies Resolvers

const inside = (storefront: Storefront) => (category: ProductCategory) => ({ storefront, category })

/** A store as its shoppers see it. Throws BAD_USER_INPUT for a language that the shop does not have. */
export async function storefrontOf(
  context: Context,
  storeId: number,
  language: string | null | undefined,
): Promise<Storefront | null> {
  const load = context.loadOfStore(storeId)
  const [store, tongues] = await Promise.all([load.storeById.load(storeId), load.languagesOfStore.load(storeId)])
  if (!store) return null
  const languages = tongues.map(({ code }) => code)
  if (language != null && !languages.includes(language))
    throw badInput('language', `a language of the shop (${languages.join(', ')})`, language)
  return {
    store,
    languages,
    language: language == null || language === languages[0] ? null : language,
    load,
    shopper: null,
    prices: shopperPrices(context, store, null),
  }
}

/**
 * A storefront with the prices of the shopper of a session, or itself for null; null: the session
 * has ended.
 */
export async function forAccount(
  context: Context,
  storefront: Storefront,
  accountToken: string | null,
): Promise<Storefront | null> {
  if (accountToken === null) return storefront
  const { store } = storefront
  const shopper = await context.shopperOf(store.id, accountToken)
  return shopper && { ...storefront, shopper, prices: shopperPrices(context, store, shopper) }
}
