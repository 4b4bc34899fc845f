import { type Amount, allocated, LARGEST, least, minorUnitOf, ONE, percentOf, rounded, roundedProduct, sumOf } from '../amount.ts'

/** A tax as it is charged: a percentage of what is paid, or, when fixed, money per unit. */
export type TaxRate = { readonly rate: Amount; readonly isFixed: boolean }

export type MoneyLine = {
  /** Of one unit, as listed or as given by the caller; up to four places. */
  readonly price: Amount
  /** At least 1. */
  readonly quantity: number
  /** Off the whole line, not off each unit: only so does a line have a whole number of minor units. */
  readonly discount: Amount
  readonly taxes: readonly TaxRate[]
}

export type MoneyOrder = {
  /** ISO 4217 code. */
  readonly currency: string
  /** Whether prices, the one of shipping too, contain the taxes already. */
  readonly pricesIncludeTax: boolean
  readonly lines: readonly MoneyLine[]
  /** Off the order as a whole; the lines bear it in proportion to what is left of them. */
  readonly discount: Amount
  readonly shipping: Amount
  readonly shippingDiscount: Amount
  readonly shippingTaxes: readonly TaxRate[]
  /** What gift cards can pay. */
  readonly giftCards: Amount
}

/** What the order comes to for one line. `subtotal + tax - discount = total`. */
export type LineMoney = {
  /** Price times quantity, without taxes. */
  readonly subtotal: Amount
  readonly tax: Amount
  /** Its own and its share of what comes off the order. */
  readonly discount: Amount
  readonly total: Amount
  /** What each of its taxes comes to, in their order; they sum to `tax`. */
  readonly taxes: readonly Amount[]
}

/**
 * What an order comes to: whole minor units, none below zero, and
 * `total = subtotal + tax + shipping + shippingTax - discount - shippingDiscount - giftCardsDiscount`. The lines sum to `subtotal`, `tax` and `discount`.
 */
export type OrderMoney = {
  readonly subtotal: Amount
  readonly tax: Amount
  readonly shipping: Amount
  readonly shippingTax: Amount
  readonly discount: Amount
  readonly shippingDiscount: Amount
  /** What gift cards pay of it. */
  readonly giftCardsDiscount: Amount
  readonly total: Amount
  readonly lines: readonly LineMoney[]
  /** What each tax on shipping comes to; they sum to `shippingTax`. */
  readonly shippingTaxes: readonly Amount[]
}

/** What a line costs before discounts, in whole minor units. */
export const lineAmount = ({ price, quantity }: Pick<MoneyLine, 'price' | 'quantity'>, unit: Amount): Amount =>
  rounded(price * BigInt(quantity), unit)

/**
 * Works out an order. Rounded, once each, are: the amount of a line, its discount, what comes off the order, each tax of a line, shipping, its discount and
 * each of its taxes. Everything else is a sum of those. Discounts stop at what they come off. Taxes are charged on what is left after discounts.
 */
export function orderMoney(order: MoneyOrder): OrderMoney {
  const unit = minorUnitOf(order.currency)
  const amounts = order.lines.map((line) => lineAmount(line, unit))
  const own = order.lines.map((line, index) => least(rounded(line.discount, unit), amounts[index] ?? 0n))
  const left = amounts.map((amount, index) => amount - (own[index] ?? 0n))
  const shares = allocated(least(rounded(order.discount, unit), sumOf(left)), left, unit)
  const lines = order.lines.map((line, index): LineMoney => {
    const amount = amounts[index] ?? 0n
    const discount = (own[index] ?? 0n) + (shares[index] ?? 0n)
    const { taxes, quantity } = line
    return charged(amount, discount, { taxes, quantity, pricesIncludeTax: order.pricesIncludeTax, unit })
  })

  const shippingPrice = rounded(order.shipping, unit)
  const shipping = charged(shippingPrice, least(rounded(order.shippingDiscount, unit), shippingPrice), {
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
export const isStorable = ({ subtotal, tax, shipping, shippingTax }: OrderMoney): boolean =>
  // What is taken off and what remains is never above this.
  subtotal + tax + shipping + shippingTax <= LARGEST

type Charge = {
  readonly taxes: readonly TaxRate[]
  readonly quantity: number
  readonly pricesIncludeTax: boolean
  readonly unit: Amount
}

function charged(amount: Amount, discount: Amount, charge: Charge): LineMoney {
  const taxes = charge.pricesIncludeTax ? taxesWithin(amount - discount, charge) : taxesOnTop(amount - discount, charge)
  const tax = sumOf(taxes)
  const subtotal = charge.pricesIncludeTax ? amount - tax : amount
  return { subtotal, tax, discount, total: subtotal + tax - discount, taxes }
}

/** Nothing is due on what costs nothing, so that what is given away is free. */
const fixedTax = ({ rate }: TaxRate, { quantity, unit }: Charge): Amount => rounded(rate * BigInt(quantity), unit)

function taxesOnTop(paid: Amount, charge: Charge): readonly Amount[] {
  if (paid === 0n) return charge.taxes.map(() => 0n)
  return charge.taxes.map((tax) => (tax.isFixed ? fixedTax(tax, charge) : percentOf(paid, tax.rate, charge.unit)))
}

/** Fixed taxes first, as far as what is paid goes; of the rest, the percentages together, so that rounding happens once. */
function taxesWithin(paid: Amount, charge: Charge): readonly Amount[] {
  let rest = paid
  const fixed = charge.taxes.map((tax) => {
    const due = tax.isFixed ? least(fixedTax(tax, charge), rest) : 0n
    rest -= due
    return due
  })
  const rates = charge.taxes.map(({ rate, isFixed }) => (isFixed ? 0n : rate))
  const percent = sumOf(rates)
  const shares = allocated(roundedProduct(rest, percent, 100n * ONE + percent, charge.unit), rates, charge.unit)
  return fixed.map((due, index) => due + (shares[index] ?? 0n))
}
