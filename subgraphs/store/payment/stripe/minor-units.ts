import { type Amount, amountOf, textOf } from '../../amount.ts'

/**
 * Places of Stripe's minor units where they are not two (docs.stripe.com/currencies): ISK and UGX
 * have no places, and stay in hundredths that must be 00.
 */
const PLACES: readonly (readonly [places: number, currencies: readonly string[]])[] = [
  [0, 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ')],
  [3, 'BHD JOD KWD OMR TND'.split(' ')],
]
const PLACES_OF = new Map(PLACES.flatMap(([places, currencies]) => currencies.map((code) => [code, places] as const)))
const WITHOUT_FRACTION: ReadonlySet<string> = new Set(['ISK', 'UGX'])

/** Most digits of an amount: Stripe has fewer for most currencies, and then refuses by itself. */
const MAX_DIGITS = 12

/** How many ten-thousandths a minor unit is, and in which steps amounts of the currency go. */
function unitOf(currency: string): { readonly unit: Amount; readonly step: Amount } {
  const code = currency.toUpperCase()
  const places = PLACES_OF.get(code) ?? 2
  const unit = 10n ** BigInt(4 - places)
  // The last of three digits must be 0.
  return { unit, step: WITHOUT_FRACTION.has(code) ? unit * 100n : places === 3 ? unit * 10n : unit }
}

/**
 * An amount in Stripe's minor units: 12.50 EUR are 1250, 500 JPY are 500, 5.120 KWD are 5120, and
 * 5 ISK are 500. Null: Stripe has no such amount, such as 12.505 EUR or 5.124 KWD.
 */
export function minorUnitsOf(amount: string, currency: string): number | null {
  const { unit, step } = unitOf(currency)
  const exact = amountOf(amount)
  if (exact < 0n || exact % step !== 0n || String(exact / unit).length > MAX_DIGITS) return null
  return Number(exact / unit)
}

/** An amount of Stripe as exact decimal text: 1250 EUR are `12.5`. */
export const decimalOf = (minorUnits: number, currency: string): string => textOf(BigInt(minorUnits) * unitOf(currency).unit)
