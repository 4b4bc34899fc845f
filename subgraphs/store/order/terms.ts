import { amountOf, minorUnitOf, rounded, textOf } from '../amount.ts'
import type { Tax } from '../tax/tax.ts'
import type { DraftLine } from './draft.ts'
import type { OrderAmounts, OrderLineTerms, OrderPromotion, OrderTax } from './order.ts'
import type { PricedOrder } from './pricing.ts'

/** An order with everything that was worked out, as it is kept. */
export type WorkedOut = {
  readonly amounts: OrderAmounts
  readonly lines: readonly OrderLineTerms[]
  readonly shippingTaxes: readonly OrderTax[]
  readonly promotions: readonly OrderPromotion[]
  readonly coupons: readonly string[]
}

/** What a priced order keeps. `names` are those of the promotions that count. */
export function workedOut(
  currency: string,
  drafts: readonly DraftLine[],
  { money, discounts, lineTaxes, shippingTaxes }: PricedOrder,
  { names, pricesIncludeTax }: { readonly names: ReadonlyMap<number, string>; readonly pricesIncludeTax: boolean },
): WorkedOut {
  const unit = minorUnitOf(currency)
  return {
    amounts: {
      subtotal: textOf(money.subtotal),
      tax: textOf(money.tax),
      shipping: textOf(money.shipping),
      shippingTax: textOf(money.shippingTax),
      discount: textOf(money.discount),
      shippingDiscount: textOf(money.shippingDiscount),
      giftCardsDiscount: textOf(money.giftCardsDiscount),
      total: textOf(money.total),
    },
    lines: drafts.map(({ isKnown, requiresShipping, ...draft }, index): OrderLineTerms => {
      const { subtotal, tax, total, discount, taxes } = money.lines[index] ?? NOTHING
      const given = amountOf(draft.discount)
      return {
        ...draft,
        // What was given is kept to its last place; what promotions add is whole minor units.
        discount: textOf(given + discount - rounded(given, unit)),
        subtotal: textOf(subtotal),
        tax: textOf(tax),
        total: textOf(total),
        taxes: charged(lineTaxes[index] ?? [], taxes, pricesIncludeTax),
      }
    }),
    shippingTaxes: charged(shippingTaxes, money.shippingTaxes, pricesIncludeTax),
    promotions: discounts.applied.map(({ promotionId, amount }) => ({
      number: promotionId,
      name: names.get(promotionId) ?? '',
      amount: textOf(amount),
    })),
    coupons: discounts.applied.flatMap(({ coupon }) => coupon?.code ?? []),
  }
}

const NOTHING = { subtotal: 0n, tax: 0n, total: 0n, discount: 0n, taxes: [] }

const charged = (taxes: readonly Tax[], amounts: readonly bigint[], includedInPrice: boolean): readonly OrderTax[] =>
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
