import { indexProducts } from '../product/search-repository.ts'
import type { UnitOfWork } from '../write.ts'
import { customFieldRepository } from './repository.ts'

/** Products whose texts are read at once: descriptions are long. */
const BATCH_PRODUCTS = 200

/**
 * Runs a change of a custom field or one of its options, and rebuilds the search index of the
 * products with its values.
 */
export async function reindexing(
  { query, storeId }: UnitOfWork,
  { customFieldId, selectOptionId }: { readonly customFieldId: number; readonly selectOptionId?: number },
  change: () => Promise<unknown>,
): Promise<void> {
  // Before the change: a deletion takes the values away.
  const products = await customFieldRepository(query).productsWith(storeId, customFieldId, selectOptionId)
  await change()
  for (let from = 0; from < products.length; from += BATCH_PRODUCTS) {
    await indexProducts(query, storeId, products.slice(from, from + BATCH_PRODUCTS))
  }
}
