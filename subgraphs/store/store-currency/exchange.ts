import { type Amount, amountOf, LARGEST, least, minorUnitOf, ONE, rounded, roundedProduct } from '../amount.ts'

/** So many units of a currency are worth `base` of the store's. Decimals are exact text. */
export type ExchangeRate = { readonly rate: string; readonly base: string }

/** Prices become `ending + n × step`. */
export type PriceRounding = {
  /** Null: the minor unit of the currency. */
  readonly roundingStep: string | null
  readonly roundingEnding: string
  readonly roundingDirection: 'NEAREST' | 'UP' | 'DOWN'
}

/** Currency of an order, a cart or a shopper. */
export type OrderCurrency = {
  /** ISO 4217 code. */
  readonly code: string
  /** Null: it is the currency of the store. */
  readonly exchange: ExchangeRate | null
  /** Of converted prices; not read without `exchange`. */
  readonly rounding: PriceRounding
}

/** Prices end with whole minor units. */
export const PLAIN_ROUNDING: PriceRounding = { roundingStep: null, roundingEnding: '0', roundingDirection: 'NEAREST' }

/** The currency of a store itself. */
export const ownCurrency = (code: string): OrderCurrency => ({ code, exchange: null, rounding: PLAIN_ROUNDING })

/** An amount of the store's currency in another one, to four places; itself for null. */
export const converted = (amount: Amount, exchange: ExchangeRate | null): Amount =>
  exchange === null ? amount : roundedProduct(amount, amountOf(exchange.rate), amountOf(exchange.base), 1n)

/** An amount of another currency in that of the store, to four places; itself for null. */
export const inStoreCurrency = (amount: Amount, exchange: ExchangeRate | null): Amount =>
  exchange === null ? amount : roundedProduct(amount, amountOf(exchange.base), amountOf(exchange.rate), 1n)

/** The same in whole minor units: what is charged, and has no ending. */
export const convertedCharge = (amount: Amount, { code, exchange }: Omit<OrderCurrency, 'rounding'>): Amount =>
  exchange === null ? amount : rounded(converted(amount, exchange), minorUnitOf(code))

/** An exact price, `of ÷ over`. */
type ExactPrice = { readonly of: bigint; readonly over: bigint }

/** A price of the store's currency in another one, exact. */
export const exactPrice = (price: Amount, exchange: ExchangeRate | null): ExactPrice =>
  exchange === null ? { of: price, over: 1n } : { of: price * amountOf(exchange.rate), over: amountOf(exchange.base) }

/** A price with a percent added. */
export const withPercent = ({ of, over }: ExactPrice, percent: Amount): ExactPrice => ({
  of: of * (100n * ONE + percent),
  over: over * 100n * ONE,
})

/**
 * A price rounded to its ending, and then to minor units: those of the step may be of a currency that
 * the store had before. Never below zero, and zero stays.
 */
export function roundedPrice(
  exact: ExactPrice,
  { roundingStep, roundingEnding, roundingDirection }: PriceRounding,
  code: string,
) {
  const unit = minorUnitOf(code)
  if (exact.of === 0n) return 0n
  const [step, ending] = [roundingStep === null ? unit : amountOf(roundingStep), amountOf(roundingEnding)]
  const isBelow = exact.of < ending * exact.over && roundingDirection !== 'UP'
  const ended = roundedTo(exact, isBelow ? [unit, 0n] : [step, ending], roundingDirection)
  return least(roundedTo({ of: ended, over: 1n }, [unit, 0n], roundingDirection), LARGEST - (LARGEST % unit))
}

/** The same of a converted price: what costs something is never free, whatever its step or the rate is. */
export function roundedConversion(exact: ExactPrice, rounding: PriceRounding, code: string): Amount {
  if (exact.of === 0n) return 0n
  const { roundingDirection } = rounding
  const inUnits = () => roundedPrice(exact, { ...PLAIN_ROUNDING, roundingDirection }, code)
  return roundedPrice(exact, rounding, code) || inUnits() || minorUnitOf(code)
}

/** A price of the store's currency as it is listed in another one; itself in that of the store. */
export const convertedPrice = (price: Amount, { code, exchange, rounding }: OrderCurrency): Amount =>
  exchange === null ? price : roundedConversion(exactPrice(price, exchange), rounding, code)

/** The amount `ending + n × step`, n 0 or more, that `of ÷ over` becomes. */
function roundedTo(
  { of, over }: ExactPrice,
  [step, ending]: readonly [step: Amount, ending: Amount],
  direction: PriceRounding['roundingDirection'],
): Amount {
  if (of <= ending * over) return ending
  const lower = ending + ((of - ending * over) / (step * over)) * step
  const above = of - lower * over
  if (above === 0n || direction === 'DOWN') return lower
  return direction === 'UP' || 2n * above >= step * over ? lower + step : lower
}
