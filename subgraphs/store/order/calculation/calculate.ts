import { problem, validationError } from '../../../toolkit/validation.ts'
import { amountOf } from '../../amount.ts'
import { creditOf, refusalOf } from '../../gift-card/gift-card.ts'
import { productCategoryRepository } from '../../product-category/repository.ts'
import type { AppliedPromotion, RefusedCoupon } from '../../promotion/apply.ts'
import { promotionRepository } from '../../promotion/repository.ts'
import { promotionIn } from '../../promotion/rule.ts'
import { taxRepository } from '../../tax/repository.ts'
import { taxesIn } from '../../tax/tax.ts'
import { applyRules, type CalculatedCart, type CalculationScope, type CartInput, MAX_COUPON_CODES } from './cart.ts'
import { readPromotionRules } from './discounts.ts'
import type { PreparedOrder } from './prepare.ts'
import { type CalculatedTerms, calculatedTerms } from './terms.ts'
import { isStorable } from './totals.ts'

/** The totals of an order, and the promotions and coupons that apply to it or do not. */
export type CalculatedOrder = CalculatedTerms & {
  readonly applied: readonly AppliedPromotion[]
  readonly refused: readonly RefusedCoupon[]
}

/**
 * Calculates a prepared order with the promotions and taxes of its store: the only calculation of
 * totals, of previews and of placed orders. Writes nothing.
 */
export async function calculateOrder(
  scope: CalculationScope,
  { lines, cart }: PreparedOrder,
): Promise<CalculatedOrder | { readonly failure: ReturnType<typeof validationError> }> {
  const { query, storeId } = scope
  const result = await calculateCart(scope, cart)
  if (result.kind === 'too-large') {
    return { failure: validationError([problem('lines', 'of a price with at most 10 digits before the point', 'more')]) }
  }
  const { applied, refused } = result.discounts
  const ids = applied.map(({ promotionId }) => promotionId)
  const promotions = ids.length === 0 ? [] : await promotionRepository(query).findByIds(storeId, ids)
  const names = new Map(promotions.map(({ id, name }) => [id, name]))
  const { pricesIncludeTax } = result
  return { ...calculatedTerms(lines, result, { names, pricesIncludeTax }), applied, refused }
}

/** `too-large`: a total that the database cannot hold. */
export type CartResult =
  | ({ readonly kind: 'calculated'; readonly pricesIncludeTax: boolean } & CalculatedCart)
  | { readonly kind: 'too-large' }

/**
 * Calculates a cart. The transaction that places the order then calls `redeem(unit, orderId,
 * discounts.applied)` and, when that returns `used-up`, calculates again. Five statements, whatever
 * the size of the cart.
 */
export async function calculateCart(scope: CalculationScope, cart: CartInput): Promise<CartResult> {
  const { query, storeId, now } = scope
  const codes = cart.arePricesGiven ? [] : cart.couponCodes.slice(0, MAX_COUPON_CODES)
  const products = cart.lines.flatMap(({ productId }) => productId ?? [])
  const taxes = taxRepository(query)
  const [settings, rates, categories, promotions] = await Promise.all([
    taxes.settings(storeId),
    taxes.list(storeId),
    productCategoryRepository(query).ofProducts(storeId, products),
    cart.arePricesGiven ? [] : readPromotionRules(scope, codes),
  ])

  const result = applyRules(
    {
      currency: cart.currency,
      pricesIncludeTax: settings.pricesIncludeTax,
      lines: cart.lines.map(({ productId, price, quantity, discount }) => ({
        productId,
        quantity,
        categories: categories.get(productId ?? 0) ?? new Set(),
        price: amountOf(price),
        discount: amountOf(discount),
      })),
      shipping: cart.shipping === null ? null : amountOf(cart.shipping),
      destination: cart.shippingDestination,
      taxDestination: settings.taxedAddress === 'BILLING' ? cart.billingDestination : cart.shippingDestination,
      customer: cart.customer,
      couponCodes: codes,
      giftCards:
        cart.agreed === undefined
          ? creditOf(cart.giftCards.filter((card) => refusalOf(card, { currency: cart.currency, now }) === null))
          : amountOf(cart.agreed.giftCards),
      orderDiscount: amountOf(cart.orderDiscount ?? '0'),
      shippingDiscount: amountOf(cart.agreed?.shippingDiscount ?? '0'),
      now,
    },
    {
      promotions: promotions.map((promotion) => promotionIn(promotion, { code: cart.currency, exchange: cart.exchange })),
      taxes: taxesIn(rates, cart.exchange, cart.agreed?.fixedTaxes),
    },
  )
  const { pricesIncludeTax } = settings
  return isStorable(result.totals) ? { kind: 'calculated', pricesIncludeTax, ...result } : { kind: 'too-large' }
}
