import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { encodeId } from '../../toolkit/ids.ts'
import type { Context } from '../context.ts'
import { countries } from '../country/country.ts'
import type { ProductCategory } from '../product-category/product-category.ts'
import type { OrderCurrency } from '../store-currency/exchange.ts'
import { currencyIn } from '../store-currency/store-currency.ts'
import { lookOf } from './look.ts'
import { shopperPrices } from './shopper-prices.ts'
import { isPermalink, isStoreCode, type Storefront } from './storefront.ts'

export const storefrontResolvers = {
  Query: {
    storefront: async (_, { store, language, currency }, context) => {
      if (!isStoreCode(store)) return null
      const storeId = await context.storefronts.storeWithCode(store)
      return storeId === null ? null : storefrontOf(context, storeId, { language, currency })
    },
  },
  Storefront: {
    code: ({ store }) => store.code,
    name: ({ store }) => store.name,
    url: ({ store }, _, { publicUrl }) => `${publicUrl}/shops/${store.code}`,
    logo: ({ store }) => store.logo,
    currency: ({ currency }) => currency.code,
    currencies: async ({ store, load }) => [store.currency, ...(await load.storeCurrencies()).map(({ code }) => code)],
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

/**
 * A store as its shoppers see it, in its own language and currency where none is given. Throws
 * BAD_USER_INPUT for those that the shop does not have.
 */
export async function storefrontOf(
  context: Context,
  storeId: number,
  {
    language,
    currency: code,
  }: { readonly language?: string | null | undefined; readonly currency?: string | null | undefined } = {},
): Promise<Storefront | null> {
  const load = context.loadOfStore(storeId)
  const [store, tongues] = await Promise.all([load.storeById.load(storeId), load.languagesOfStore.load(storeId)])
  if (!store) return null
  const languages = tongues.map(({ code }) => code)
  if (language != null && !languages.includes(language))
    throw badInput('language', `a language of the shop (${languages.join(', ')})`, language)
  const others = code == null || code === store.currency ? [] : await load.storeCurrencies()
  const currency = currencyIn(store.currency, others, code)
  if ('problem' in currency)
    throw badInput(
      'currency',
      `a currency of the shop (${[store.currency, ...others.map((other) => other.code)].join(', ')})`,
      code,
    )
  return {
    store,
    languages,
    currency,
    language: language == null || language === languages[0] ? null : language,
    load,
    shopper: null,
    prices: shopperPrices(context, { storeId: store.id, currency }, null),
  }
}

/** The same storefront with prices in another currency. */
export const withCurrency = (context: Context, storefront: Storefront, currency: OrderCurrency): Storefront => ({
  ...storefront,
  currency,
  prices: shopperPrices(context, { storeId: storefront.store.id, currency }, storefront.shopper),
})

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
  const { store, currency } = storefront
  const shopper = await context.shopperOf(store.id, accountToken)
  return shopper && { ...storefront, shopper, prices: shopperPrices(context, { storeId: store.id, currency }, shopper) }
}
