import type { Loaders } from '../context.ts'
import type { Store } from '../store/store.ts'
import type { OrderCurrency } from '../store-currency/exchange.ts'
import type { Shopper } from './shopper.ts'
import type { ShopperPrices } from './shopper-prices.ts'

/** A shop as its visitors see it, with what its rows are loaded by. */
export type Storefront = {
  readonly store: Store
  /** BCP 47 tags, the default one first. */
  readonly languages: readonly string[]
  /** Language of texts; null: the store's own. */
  readonly language: string | null
  /** Of prices. */
  readonly currency: OrderCurrency
  readonly load: Loaders
  /** Who is signed in; null: anybody. */
  readonly shopper: Shopper | null
  /** Prices that the shopper has. */
  readonly prices: ShopperPrices
}

/** Codes are made of these; a text of anything else, however long, names no shop. */
const CODE = /^[a-z0-9-]{1,100}$/
/** Longer ones are not written. */
const MAX_PERMALINK_LENGTH = 255

export const isStoreCode = (code: string): boolean => CODE.test(code)

/** Whether a text can be a permalink. */
export const isPermalink = (text: string): boolean => text !== '' && text.length <= MAX_PERMALINK_LENGTH && !text.includes('\0')
