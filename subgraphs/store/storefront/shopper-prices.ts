import { loaderOfLists } from '../../toolkit/loader.ts'
import { type Amount, amountOf, least, textOf } from '../amount.ts'
import type { PriceListRepository } from '../price-list/repository.ts'
import { byItem, type CustomerPrices, type PricedItem, priceByLists, quantityBreaks, withoutLists } from '../price-list/rule.ts'
import { convertedPrice, type OrderCurrency } from '../store-currency/exchange.ts'
import type { Shopper } from './shopper.ts'

/** Price of one unit as it is listed. Decimals are exact text. */
export type ListedPrice = {
  readonly price: string
  /** Off one unit. */
  readonly discount: string
  /** Former or recommended price; null: none. */
  readonly compareAt: string | null
}

/** An item with its prices without lists. */
export type ShownItem = PricedItem & { readonly compareAt: string | null }

/** Lowest and highest price of a product's variants. */
type PriceBounds = { readonly minPrice: ListedPrice; readonly maxPrice: ListedPrice }

/** Prices of one shop for one shopper; they are read once for an operation. */
export type ShopperPrices = ReturnType<typeof shopperPrices>

/** Prices of a shop for a shopper, or for anybody: null. */
export function shopperPrices(
  { priceLists, now }: { readonly priceLists: PriceListRepository; readonly now: () => Date },
  { storeId, currency }: { readonly storeId: number; readonly currency: OrderCurrency },
  shopper: Shopper | null,
) {
  let applied: ReturnType<PriceListRepository['applied']> | null = null
  const lists = () =>
    (applied ??= priceLists.applied(storeId, shopper?.categories ?? null, {
      at: now(),
      currency: currency.exchange && currency.code,
    }))
  // Lists of products show the price of one unit: the others are read where they are asked for.
  const fixedLoader = (isOfOneUnit: boolean) =>
    loaderOfLists(
      async (productIds: readonly number[]) => {
        const ids = (await lists()).map(({ id }) => id)
        return priceLists.fixedOf(storeId, ids, productIds, isOfOneUnit)
      },
      ({ productId }) => productId,
    )
  const [ofOneUnit, ofAll] = [fixedLoader(true), fixedLoader(false)]
  const variants = loaderOfLists(
    async (productIds: readonly number[]) => priceLists.variantsOf(storeId, productIds),
    ({ productId }) => productId,
  )
  /** Prices of a product: those of one unit alone, or all. Indexed once. */
  const indexed = new Map<string, Promise<CustomerPrices>>()
  function pricesFor(productId: number, isOfOneUnit: boolean): Promise<CustomerPrices> {
    const key = `${productId} ${isOfOneUnit}`
    const found = indexed.get(key) ?? readPrices(productId, isOfOneUnit)
    indexed.set(key, found)
    return found
  }
  async function readPrices(productId: number, isOfOneUnit: boolean): Promise<CustomerPrices> {
    const found = await lists()
    if (found.length === 0) return withoutLists(currency)
    return { currency, lists: found, fixed: byItem(await (isOfOneUnit ? ofOneUnit : ofAll).load(productId)) }
  }
  async function priceOf(item: ShownItem, quantity = 1): Promise<ListedPrice> {
    const { price, discount, compareAt } = item
    const byLists = priceByLists(await pricesFor(item.productId, quantity === 1), item, quantity)
    // What others pay is what a shopper compares it with.
    return byLists
      ? {
          price: byLists.price,
          discount: '0',
          compareAt: byLists.compareAt ?? textOf(convertedPrice(amountOf(compareAt ?? price), currency)),
        }
      : { price, discount, compareAt }
  }
  /** Prices of hundreds of variants: once for all fields of a product, under any alias. */
  const bounds = new Map<number, Promise<PriceBounds | null>>()
  async function readBounds({ id: productId, discount }: PricedProduct): Promise<PriceBounds | null> {
    const found = await variants.load(productId)
    const listed = await Promise.all(
      found.map(({ variantId, price, compareAtPrice: compareAt }) =>
        priceOf({ productId, variantId, price, discount, compareAt }),
      ),
    )
    const sorted = listed.toSorted((one, other) => (unitPrice(one) < unitPrice(other) ? -1 : 1))
    const [minPrice, maxPrice] = [sorted[0], sorted.at(-1)]
    return minPrice && maxPrice ? { minPrice, maxPrice } : null
  }
  return {
    /** Whether a list applies, or prices are converted. */
    changesPrices: async (): Promise<boolean> => currency.exchange !== null || (await lists()).length > 0,
    /** The price of one of `quantity` units. */
    priceOf,
    /** Numbers of units from which an item may have another price, ascending. */
    breaksOf: async (item: PricedItem): Promise<readonly number[]> =>
      quantityBreaks(await pricesFor(item.productId, false), item),
    /**
     * Prices of a product with variants; null: it has none. A list can turn the order of variants
     * around; taxes do not.
     */
    boundsOf(product: PricedProduct): Promise<PriceBounds | null> {
      const found = bounds.get(product.id) ?? readBounds(product)
      bounds.set(product.id, found)
      return found
    },
  }
}

/** A product, whose discount is that of all its variants. */
type PricedProduct = { readonly id: number; readonly discount: string }

const unitPrice = ({ price, discount }: ListedPrice): Amount => amountOf(price) - least(amountOf(discount), amountOf(price))
