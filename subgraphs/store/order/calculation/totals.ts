import { type Amount, allocated, LARGEST, least, lineAmount, minorUnitOf, rounded, sumOf } from '../../amount.ts'
import { type TaxBasis, type TaxRate, taxAmounts } from './tax.ts'

export type TotalsInputLine = {
  /** Of one unit, as listed or as given by the caller; up to four places. */
  readonly price: Amount
  /** At least 1. */
  readonly quantity: number
  /**
   * Off the whole line, not off each unit: only so does a line have a whole number of minor units.
   */
  readonly discount: Amount
  readonly taxes: readonly TaxRate[]
}

export type TotalsInput = {
  /** ISO 4217 code. */
  readonly currency: string
  /** Whether prices, the one of shipping too, contain the taxes already. */
  readonly pricesIncludeTax: boolean
  readonly lines: readonly TotalsInputLine[]
  /**
   * Discount on the order as a whole; the lines share it in proportion to their discounted amounts.
   */
  readonly discount: Amount
  readonly shipping: Amount
  readonly shippingDiscount: Amount
  readonly shippingTaxes: readonly TaxRate[]
  /** What gift cards can pay. */
  readonly giftCards: Amount
}

/** Totals of one line. `subtotal + tax - discount = total`. */
export type LineTotals = {
  /** Price times quantity, without taxes. */
  readonly subtotal: Amount
  readonly tax: Amount
  /** Its own discount and its share of the discount on the order. */
  readonly discount: Amount
  readonly total: Amount
  /** Amount of each of its taxes, in their order; they sum to `tax`. */
  readonly taxes: readonly Amount[]
}

/**
 * Totals of an order: whole minor units, none below zero, and `total = subtotal + tax + shipping +
 * shippingTax - discount - shippingDiscount - giftCardsDiscount`. The lines sum to `subtotal`,
 * `tax` and `discount`.
 */
export type OrderTotals = {
  readonly subtotal: Amount
  readonly tax: Amount
  readonly shipping: Amount
  readonly shippingTax: Amount
  readonly discount: Amount
  readonly shippingDiscount: Amount
  /** What gift cards pay of it. */
  readonly giftCardsDiscount: Amount
  readonly total: Amount
  readonly lines: readonly LineTotals[]
  /** Amount of each tax on shipping; they sum to `shippingTax`. */
  readonly shippingTaxes: readonly Amount[]
}

/**
 * Totals of an order. Rounded, once each, are: the amount of a line, its discount, the discount on
 * the order, each tax of a line, shipping, its discount and each of its taxes. Everything else is a
 * sum of those. Discounts stop at the amount that they reduce. Taxes are charged after discounts.
 */
export function orderTotals(order: TotalsInput): OrderTotals {
  const unit = minorUnitOf(order.currency)
  const amounts = order.lines.map((line) => lineAmount(line, unit))
  const own = order.lines.map((line, index) => least(rounded(line.discount, unit), amounts[index] ?? 0n))
  const left = amounts.map((amount, index) => amount - (own[index] ?? 0n))
  const shares = allocated(least(rounded(order.discount, unit), sumOf(left)), left, unit)
  const lines = order.lines.map((line, index): LineTotals => {
    const amount = amounts[index] ?? 0n
    const discount = (own[index] ?? 0n) + (shares[index] ?? 0n)
    const { taxes, quantity } = line
    return chargedTotals(amount, discount, { taxes, quantity, pricesIncludeTax: order.pricesIncludeTax, unit })
  })

  const shippingPrice = rounded(order.shipping, unit)
  const shipping = chargedTotals(shippingPrice, least(rounded(order.shippingDiscount, unit), shippingPrice), {
    taxes: order.shippingTaxes,
    quantity: 1,
    pricesIncludeTax: order.pricesIncludeTax,
    unit,
  })
  const due = sumOf(lines.map(({ total }) => total)) + shipping.total
  const giftCardsDiscount = least(rounded(order.giftCards, unit), due)
  return {
    subtotal: sumOf(lines.map(({ subtotal }) => subtotal)),
    tax: sumOf(lines.map(({ tax }) => tax)),
    shipping: shipping.subtotal,
    shippingTax: shipping.tax,
    discount: sumOf(lines.map(({ discount }) => discount)),
    shippingDiscount: shipping.discount,
    giftCardsDiscount,
    total: due - giftCardsDiscount,
    lines,
    shippingTaxes: shipping.taxes,
  }
}

/** Whether the database can hold every figure of an order. */
export const isStorable = ({ subtotal, tax, shipping, shippingTax }: OrderTotals): boolean =>
  // Discounts and remaining amounts are never above this.
  subtotal + tax + shipping + shippingTax <= LARGEST

function chargedTotals(amount: Amount, discount: Amount, basis: TaxBasis): LineTotals {
  const taxes = taxAmounts(amount - discount, basis)
  const tax = sumOf(taxes)
  const subtotal = basis.pricesIncludeTax ? amount - tax : amount
  return { subtotal, tax, discount, total: subtotal + tax - discount, taxes }
}
