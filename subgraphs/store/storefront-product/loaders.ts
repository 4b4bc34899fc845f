import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { Tenant } from '../tenant.ts'
import type { StorefrontProductRepository } from './repository.ts'

export const storefrontProductLoaders = (products: StorefrontProductRepository, { storeId }: Tenant) => {
  let rules: ReturnType<StorefrontProductRepository['priceRules']> | null = null
  return {
    /** How the store prices and taxes; read once. */
    priceRules: () => (rules ??= storeId().then(products.priceRules)),
    /** Prices and stock of the variants of a product; null for one without variants. */
    variantSummary: loaderByKey(
      async (productIds: readonly number[]) => products.variantSummaries(await storeId(), productIds),
      ({ productId }) => productId,
    ),
    /** Ids of the categories of a product, with all above them. */
    taxCategories: loaderByKey(
      async (productIds: readonly number[]) => products.categoriesAbove(await storeId(), productIds),
      ({ productId }) => productId,
    ),
    /** Published reviews in numbers; null for none. */
    rating: loaderByKey(
      async (productIds: readonly number[]) => products.ratings(await storeId(), productIds),
      ({ productId }) => productId,
    ),
    /** Per number: the newest published reviews of a product. */
    publishedReviews: loaderPerArguments((size: number) =>
      loaderOfLists(
        async (productIds: readonly number[]) => products.reviews(await storeId(), productIds, size),
        ({ productId }) => productId,
      ),
    ),
    /** Per number: ids of products that share a category with a product. */
    relatedIds: loaderPerArguments((size: number) =>
      loaderOfLists(
        async (productIds: readonly number[]) => products.related(await storeId(), productIds, size),
        ({ productId }) => productId,
      ),
    ),
  }
}
