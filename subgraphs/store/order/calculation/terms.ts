import { textOf } from '../../amount.ts'
import type { Tax } from '../../tax/tax.ts'
import type { OrderAmounts, OrderLineTerms, OrderPromotion, OrderTax } from '../order.ts'
import type { CalculatedCart } from './cart.ts'
import type { DraftLine } from './draft.ts'

/** The calculated terms of an order, as they are stored. */
export type CalculatedTerms = {
  readonly amounts: OrderAmounts
  readonly lines: readonly OrderLineTerms[]
  readonly shippingTaxes: readonly OrderTax[]
  readonly promotions: readonly OrderPromotion[]
  readonly coupons: readonly string[]
}

/**
 * The terms of a calculated order as they are stored. `names` are those of the promotions that
 * apply.
 */
export function calculatedTerms(
  drafts: readonly DraftLine[],
  { totals, discounts, lineTaxes, shippingTaxes }: CalculatedCart,
  { names, pricesIncludeTax }: { readonly names: ReadonlyMap<number, string>; readonly pricesIncludeTax: boolean },
): CalculatedTerms {
  return {
    amounts: {
      subtotal: textOf(totals.subtotal),
      tax: textOf(totals.tax),
      shipping: textOf(totals.shipping),
      shippingTax: textOf(totals.shippingTax),
      discount: textOf(totals.discount),
      shippingDiscount: textOf(totals.shippingDiscount),
      giftCardsDiscount: textOf(totals.giftCardsDiscount),
      total: textOf(totals.total),
    },
    lines: drafts.map(({ isKnown, requiresShipping, ...draft }, index): OrderLineTerms => {
      const { subtotal, tax, total, discount, taxes } = totals.lines[index] ?? NO_TOTALS
      return {
        ...draft,
        discount: textOf(discount),
        subtotal: textOf(subtotal),
        tax: textOf(tax),
        total: textOf(total),
        taxes: orderTaxes(lineTaxes[index] ?? [], taxes, pricesIncludeTax),
      }
    }),
    shippingTaxes: orderTaxes(shippingTaxes, totals.shippingTaxes, pricesIncludeTax),
    promotions: discounts.applied.map(({ promotionId, amount }) => ({
      number: promotionId,
      name: names.get(promotionId) ?? '',
      amount: textOf(amount),
    })),
    coupons: discounts.applied.flatMap(({ coupon }) => coupon?.code ?? []),
  }
}

const NO_TOTALS = { subtotal: 0n, tax: 0n, total: 0n, discount: 0n, taxes: [] }

const orderTaxes = (taxes: readonly Tax[], amounts: readonly bigint[], includedInPrice: boolean): readonly OrderTax[] =>
  taxes.map(({ id, name, country, region, rate, fixed }, index) => ({
    number: id,
    name,
    country,
    region,
    rate,
    fixed,
    includedInPrice,
    amount: textOf(amounts[index] ?? 0n),
  }))
