import type { OrderCurrency } from '../store-currency/exchange.ts'
import type { StoreQuery } from '../write.ts'
import { priceListRepository } from './repository.ts'
import { byItem, type CustomerPrices } from './rule.ts'

/**
 * Price lists that apply to a customer of these categories now, with what they set for products;
 * null: a guest. One statement without lists, two with.
 */
export async function readCustomerPrices(
  { query, storeId, now }: StoreQuery & { readonly now: Date },
  currency: OrderCurrency,
  categories: ReadonlySet<number> | null,
  products: readonly number[],
): Promise<CustomerPrices> {
  const priceLists = priceListRepository(query)
  const lists = await priceLists.applied(storeId, categories, { at: now, currency: currency.exchange && currency.code })
  const ids = lists.map(({ id }) => id)
  return { currency, lists, fixed: byItem(ids.length === 0 ? [] : await priceLists.fixedOf(storeId, ids, products)) }
}
