/**
 * A decimal number of at most four places, exactly: its ten-thousandths. Money, weights, distances
 * and percentages, like numeric(14,4).
 */
export type Amount = bigint

const DECIMAL_PLACES = 4
/** One. */
export const ONE: Amount = 10n ** BigInt(DECIMAL_PLACES)
/** The largest number that numeric(14,4) holds. */
export const LARGEST: Amount = 10n ** 14n - 1n

/**
 * ISO 4217's list one: currencies whose minor unit is not a hundredth, by the number of its places.
 */
const MINOR_PLACES: readonly (readonly [places: number, currencies: readonly string[]])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ')],
  [3, 'BHD IQD JOD KWD LYD OMR TND'.split(' ')],
  [4, ['CLF', 'UYW']],
]
const UNITS = new Map(
  MINOR_PLACES.flatMap(([places, currencies]) => currencies.map((code) => [code, 10n ** BigInt(DECIMAL_PLACES - places)])),
)

/**
 * The smallest sum that can be paid in a currency (ISO 4217 code, any case): 1 for CLP, 0.01 for
 * EUR and for codes that the list lacks.
 */
export const minorUnitOf = (currency: string): Amount => UNITS.get(currency.toUpperCase()) ?? 100n

/**
 * Reads plain decimal text, as the database and the scalar Decimal write it. Throws for other text
 * and for more than four places.
 */
export function amountOf(text: string): Amount {
  const [, sign, whole = '', places = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (whole === '') throw new Error(`Expected a decimal number of at most ${DECIMAL_PLACES} places, got "${text}".`)
  const amount = BigInt(whole + places.padEnd(DECIMAL_PLACES, '0'))
  return sign === '-' ? -amount : amount
}

/** Plain decimal text without zeros at its end: `12.5`. */
export function textOf(amount: Amount): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMAL_PLACES + 1, '0')
  const places = digits.slice(-DECIMAL_PLACES).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -DECIMAL_PLACES)}${places === '' ? '' : `.${places}`}`
}

export const sumOf = (amounts: readonly Amount[]): Amount => amounts.reduce((sum, amount) => sum + amount, 0n)
export const least = (one: Amount, other: Amount): Amount => (one < other ? one : other)

/**
 * `amount × factor ÷ divisor` in whole `unit`s, rounded once at the end: half a unit up. This is
 * the one rounding rule of the store. None of the arguments is negative, `divisor` and `unit` are
 * above zero.
 */
export function roundedProduct(amount: Amount, factor: bigint, divisor: bigint, unit: Amount): Amount {
  const whole = divisor * unit
  return ((2n * amount * factor + whole) / (2n * whole)) * unit
}

/** Half a unit up. */
export const rounded = (amount: Amount, unit: Amount): Amount => roundedProduct(amount, 1n, 1n, unit)

/** Price of a line before discounts, in whole `unit`s. */
export const lineAmount = ({ price, quantity }: { readonly price: Amount; readonly quantity: number }, unit: Amount): Amount =>
  rounded(price * BigInt(quantity), unit)

/** `percent` hundredths of `amount`, rounded. */
export const percentOf = (amount: Amount, percent: Amount, unit: Amount): Amount =>
  roundedProduct(amount, percent, 100n * ONE, unit)

/**
 * Splits `total`, whole units, in proportion to `weights` into shares of whole units that sum to
 * it: the largest remainders get the units that rounding down leaves, the first of equal ones
 * first. No share is above its weight where the total is not above the sum of the weights, and
 * those are whole units. Without any weight nothing is given out.
 */
export function allocated(total: Amount, weights: readonly bigint[], unit: Amount): readonly Amount[] {
  const sum = sumOf(weights)
  if (sum === 0n) return weights.map(() => 0n)
  const units = total / unit
  const shares = weights.map((weight) => (units * weight) / sum)
  const byRemainder = weights
    .map((weight, index) => ({ index, remainder: (units * weight) % sum }))
    .sort((one, other) => (one.remainder === other.remainder ? 0 : one.remainder > other.remainder ? -1 : 1))
  const left = new Set(byRemainder.slice(0, Number(units - sumOf(shares))).map(({ index }) => index))
  return shares.map((share, index) => (share + (left.has(index) ? 1n : 0n)) * unit)
}
