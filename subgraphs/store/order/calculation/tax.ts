import { type Amount, allocated, least, ONE, percentOf, rounded, roundedProduct, sumOf } from '../../amount.ts'

/** A tax: a percentage of the paid amount, or, when fixed, an amount per unit. */
export type TaxRate = { readonly rate: Amount; readonly isFixed: boolean }

/** What taxes are charged on, besides the amount. `unit` is the minor unit of the currency. */
export type TaxBasis = {
  readonly taxes: readonly TaxRate[]
  readonly quantity: number
  readonly pricesIncludeTax: boolean
  readonly unit: Amount
}

/** Amount of each tax on the paid amount, after discounts, in their order. */
export const taxAmounts = (paid: Amount, basis: TaxBasis): readonly Amount[] =>
  basis.pricesIncludeTax ? taxesIncluded(paid, basis) : taxesOnTop(paid, basis)

/** No fixed tax on free units. */
const fixedTax = ({ rate }: TaxRate, { quantity, unit }: TaxBasis): Amount => rounded(rate * BigInt(quantity), unit)

function taxesOnTop(paid: Amount, basis: TaxBasis): readonly Amount[] {
  if (paid === 0n) return basis.taxes.map(() => 0n)
  return basis.taxes.map((tax) => (tax.isFixed ? fixedTax(tax, basis) : percentOf(paid, tax.rate, basis.unit)))
}

/**
 * Fixed taxes first, up to the paid amount; of the rest, the percentages together, so that rounding
 * happens once.
 */
function taxesIncluded(paid: Amount, basis: TaxBasis): readonly Amount[] {
  let rest = paid
  const fixed = basis.taxes.map((tax) => {
    const due = tax.isFixed ? least(fixedTax(tax, basis), rest) : 0n
    rest -= due
    return due
  })
  const rates = basis.taxes.map(({ rate, isFixed }) => (isFixed ? 0n : rate))
  const percent = sumOf(rates)
  const shares = allocated(roundedProduct(rest, percent, 100n * ONE + percent, basis.unit), rates, basis.unit)
  return fixed.map((due, index) => due + (shares[index] ?? 0n))
}
