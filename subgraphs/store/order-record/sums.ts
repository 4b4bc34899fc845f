import { type Amount, allocated, LARGEST, least, sumOf, textOf } from '../amount.ts'

/** A line as a file states it. */
export type StatedLine = {
  /** Price times quantity, in whole minor units. */
  readonly amount: Amount
  /** Null: the file says nothing about discounts of lines. */
  readonly discount: Amount | null
  readonly isTaxable: boolean
}

/** Sums of an order as a file states them, in whole minor units. */
export type StatedSums = {
  /** The smallest sum of the currency. */
  readonly unit: Amount
  readonly lines: readonly StatedLine[]
  /** Null: not stated. */
  readonly subtotal: Amount | null
  readonly shipping: Amount
  readonly taxes: Amount
  readonly discount: Amount
  readonly total: Amount
}

/** What a line comes to: `subtotal + tax - discount = total`. */
type LineSums = { readonly subtotal: Amount; readonly tax: Amount; readonly discount: Amount; readonly total: Amount }

/** Sums of an order as they are stored: those of lines sum to them. */
export type OrderSums = {
  readonly subtotal: Amount
  readonly tax: Amount
  readonly shipping: Amount
  readonly shippingTax: Amount
  readonly discount: Amount
  readonly shippingDiscount: Amount
  readonly giftCardsDiscount: Amount
  readonly lines: readonly LineSums[]
  readonly includesTax: boolean
}

/** Which of the stated sums is wrong, and what was expected. */
export type SumFault = { readonly sum: keyof StatedSums | 'lineDiscount'; readonly expectation: string; readonly got: Amount }

/** How the stated sums fit together: what of them is in which other. */
type Reading = {
  /** Taxes within prices: within those of lines alone where `shippingTax` is known. */
  readonly includedTax: Amount
  /** Tax on shipping; null: the file does not tell it apart. */
  readonly shippingTax: Amount | null
  /** Discounts on lines; null: as the lines say. */
  readonly lineDiscount: Amount | null
  readonly shipping: Amount
}

/**
 * The sums of an order as they are stored, or which is wrong: lines + shipping + taxes - discount is
 * the total. The subtotal may lack discounts, as Shopify writes it, or the taxes within prices.
 */
export function orderSums(stated: StatedSums): OrderSums | SumFault {
  const { lines, discount, total } = stated
  const gross = sumOf(lines.map(({ amount }) => amount))
  // Shipping may have been stated without its part of the discount, and is stored with it.
  if (gross + stated.shipping + stated.taxes + discount > LARGEST)
    return { sum: 'lines', expectation: `at most ${textOf(LARGEST)} with shipping, taxes and the discount`, got: gross }
  const reading = readingOf(stated, gross)
  if ('sum' in reading) return reading
  const shares = discountsOf(stated, gross, reading.lineDiscount)
  if ('sum' in shares) return shares
  const { includedTax } = reading
  const rest = discount - sumOf(shares.discounts)
  const taxed = taxesOf(stated, shares.discounts, reading)
  if ('sum' in taxed) return taxed
  const { shipping } = taxed
  const shippingDiscount = least(rest, shipping + taxed.shippingTax)
  const ofLines = lines.map(({ amount }, index): LineSums => {
    const [tax, lineDiscount] = [taxed.taxes[index] ?? 0n, shares.discounts[index] ?? 0n]
    const subtotal = includedTax > 0n ? amount - tax : amount
    return { subtotal, tax, discount: lineDiscount, total: subtotal + tax - lineDiscount }
  })
  const sums = {
    subtotal: sumOf(ofLines.map((line) => line.subtotal)),
    tax: sumOf(taxed.taxes),
    ...{ shipping, shippingTax: taxed.shippingTax, shippingDiscount },
    discount: sumOf(shares.discounts),
    giftCardsDiscount: rest - shippingDiscount,
    ...{ lines: ofLines, includesTax: includedTax > 0n },
  }
  const due = sums.subtotal + sums.tax + shipping + sums.shippingTax - sums.discount - rest
  return due === total ? sums : { sum: 'total', expectation: textOf(due > 0n ? due : 0n), got: total }
}

function readingOf({ subtotal, shipping, taxes, discount, total }: StatedSums, gross: Amount): Reading | SumFault {
  const net = subtotal ?? gross
  const lacking = gross - net
  // Prices without taxes; the subtotal has, or lacks, discounts on lines.
  if (lacking >= 0n && lacking <= discount) {
    const lineDiscount = lacking === 0n ? null : lacking
    const rest = discount - lacking
    const exclusive = { includedTax: 0n, shippingTax: null, lineDiscount }
    if (net + shipping + taxes - rest === total) return { ...exclusive, shipping }
    // Shipping may be what is left of it after its discount.
    if (net + shipping + taxes === total) return { ...exclusive, shipping: shipping + rest }
  }
  // Prices with taxes, which the subtotal lacks.
  if (lacking > 0n && lacking <= taxes && net + shipping + taxes - discount === total)
    return { includedTax: lacking, shippingTax: taxes - lacking, lineDiscount: null, shipping }
  // Prices with taxes, which the subtotal has.
  if (taxes > 0n && taxes <= net + shipping && lacking >= 0n && lacking <= discount) {
    const lineDiscount = lacking === 0n ? null : lacking
    const rest = discount - lacking
    const inclusive = { includedTax: taxes, shippingTax: null, lineDiscount }
    if (net + shipping - rest === total) return { ...inclusive, shipping }
    if (net + shipping === total) return { ...inclusive, shipping: shipping + rest }
  }
  const isPlausible = lacking >= 0n && (lacking <= discount || lacking <= taxes)
  if (!isPlausible)
    return {
      sum: 'subtotal',
      expectation: `${textOf(gross)}, the sum of the lines, less discounts or the taxes in them`,
      got: net,
    }
  const due = gross + shipping + taxes - discount
  return {
    sum: 'total',
    expectation: `${textOf(due > 0n ? due : 0n)}, which is lines + shipping + taxes - discount`,
    got: total,
  }
}

/** The discount of each line: what it states, and its share of what no line states. */
function discountsOf(
  { lines, discount, unit }: StatedSums,
  gross: Amount,
  lineDiscount: Amount | null,
): { readonly discounts: readonly Amount[] } | SumFault {
  const own = lines.map((line) => line.discount ?? 0n)
  const stated = sumOf(own)
  const all = lineDiscount ?? (lines.some((line) => line.discount !== null) ? stated : least(discount, gross))
  const above = lines.find((line) => (line.discount ?? 0n) > line.amount)
  if (above)
    return {
      sum: 'lineDiscount',
      expectation: `at most ${textOf(above.amount)}, the price of the line`,
      got: above.discount ?? 0n,
    }
  if (stated > all || stated > discount)
    return { sum: 'lineDiscount', expectation: `at most ${textOf(least(all, discount))} in all lines`, got: stated }
  const left = lines.map(({ amount }, index) => amount - (own[index] ?? 0n))
  const shares = allocated(all - stated, left, unit)
  return { discounts: own.map((each, index) => each + (shares[index] ?? 0n)) }
}

/**
 * The tax of each line by its discounted amount, and of shipping, which is returned without it.
 * Shipping is taxed where the lines that are taxable cannot hold the taxes; other lines never are.
 */
function taxesOf(
  { lines, taxes, unit }: StatedSums,
  discounts: readonly Amount[],
  { includedTax, shippingTax, shipping }: Reading,
): { readonly taxes: readonly Amount[]; readonly shippingTax: Amount; readonly shipping: Amount } | SumFault {
  const taxable = lines.map(({ amount, isTaxable }, index) => (isTaxable ? amount - (discounts[index] ?? 0n) : 0n))
  const held = sumOf(taxable)
  if (includedTax === 0n)
    // Only shipping can be taxed where no line is.
    return held === 0n
      ? { taxes: lines.map(() => 0n), shippingTax: taxes, shipping }
      : { taxes: allocated(taxes, taxable, unit), shippingTax: 0n, shipping }
  const ofShipping = shippingTax === null && held < includedTax ? shipping : 0n
  if (held + ofShipping < includedTax)
    return { sum: 'taxes', expectation: `at most ${textOf(held + ofShipping)}, the price of what is taxable`, got: taxes }
  const shares = allocated(includedTax, [...taxable, ofShipping], unit)
  const within = shares.at(-1) ?? 0n
  return { taxes: shares.slice(0, -1), shippingTax: (shippingTax ?? 0n) + within, shipping: shipping - within }
}
