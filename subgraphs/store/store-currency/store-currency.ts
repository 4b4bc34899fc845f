import { type Problem, problem, problemsIn } from '../../toolkit/validation.ts'
import { amountOf, minorUnitOf, ONE } from '../amount.ts'
import { isCurrency } from '../country/country.ts'
import { type OrderCurrency, ownCurrency, type PriceRounding } from './exchange.ts'

/** Currency in which a shop sells beside that of its store. Decimals are exact text. */
export type StoreCurrency = PriceRounding & {
  readonly id: number
  /** ISO 4217 code. */
  readonly code: string
  /** So many units of it are worth `rateBase` of the store's. */
  readonly rate: string
  readonly rateBase: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** What a merchant writes of a currency. */
export type StoreCurrencyFields = Omit<StoreCurrency, 'id' | 'createdAt' | 'updatedAt' | 'version'>

/** Of one store, beside its own. */
export const MAX_STORE_CURRENCIES = 20
/** The largest step, in whole units of the currency. */
const MAX_STEP = 1_000_000n * ONE

/** How orders in a currency are calculated. */
const orderCurrencyOf = ({ code, rate, rateBase, ...rounding }: StoreCurrencyFields): OrderCurrency => ({
  code,
  exchange: { rate, base: rateBase },
  rounding,
})

/** The currency of an order with this code among those of a store, or its problem; absent: the store's own. */
export function currencyIn(
  ofStore: string,
  others: readonly StoreCurrency[],
  code: string | null | undefined,
): OrderCurrency | { readonly problem: Problem } {
  if (code == null || code === ofStore) return ownCurrency(ofStore)
  const found = others.find((currency) => currency.code === code)
  if (found) return orderCurrencyOf(found)
  const offered = [ofStore, ...others.map((currency) => currency.code)].join(', ')
  return { problem: problem('currency', `a currency of the shop (${offered})`, code) }
}

/** Invalid fields of how prices are rounded, in their order. */
export function roundingProblems(
  { roundingStep, roundingEnding }: Pick<PriceRounding, 'roundingStep' | 'roundingEnding'>,
  code: string,
): readonly Problem[] {
  const unit = minorUnitOf(code)
  const step = roundingStep === null ? unit : amountOf(roundingStep)
  const isStep = step > 0n && step <= MAX_STEP && step % unit === 0n
  const ending = amountOf(roundingEnding)
  return problemsIn([
    isStep ? null : problem('roundingStep', `whole minor units of ${code}, above 0 and at most ${MAX_STEP / ONE}`, roundingStep),
    // Without a step, nothing is known of the ending.
    isStep && (ending < 0n || ending >= step || ending % unit !== 0n)
      ? problem('roundingEnding', `whole minor units of ${code}, 0 or more and less than the step`, roundingEnding)
      : null,
  ])
}

/** Invalid fields of a currency, in their order. */
export function storeCurrencyProblems(fields: StoreCurrencyFields, ofStore: string): readonly Problem[] {
  const { code, rate, rateBase } = fields
  if (!isCurrency(code)) return [problem('code', 'an ISO 4217 code such as "USD"', code)]
  return [
    ...problemsIn([
      code === ofStore ? problem('code', `another currency than ${ofStore}, that of the store`, code) : null,
      amountOf(rate) <= 0n ? problem('rate', 'above 0', rate) : null,
      amountOf(rateBase) <= 0n ? problem('rateBase', 'above 0', rateBase) : null,
    ]),
    ...roundingProblems(fields, code),
  ]
}
