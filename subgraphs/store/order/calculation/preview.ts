import { shortagesNow } from '../../inventory/stock.ts'
import { calculateOrder } from './calculate.ts'
import type { CalculationScope } from './cart.ts'
import { type NewOrderInput, prepareOrder } from './prepare.ts'
import { type QuotedOrder, withQuote } from './shipping.ts'

/**
 * The outcome of `Query.calculateOrder`: the totals that `createOrder` would write, and the stock
 * that is short. Writes nothing.
 */
export async function previewOrder(scope: CalculationScope, input: NewOrderInput, quoted: QuotedOrder | null) {
  const prepared = withQuote(quoted?.prepared ?? (await prepareOrder(scope, input)), quoted?.quote ?? null, input)
  if ('failure' in prepared) return prepared.failure
  const calculation = await calculateOrder(scope, prepared)
  if ('failure' in calculation) return calculation.failure
  const wanted = prepared.lines.flatMap(({ isKnown, productNumber, variantNumber, quantity }) =>
    isKnown ? [{ productId: productNumber, variantId: variantNumber, quantity }] : [],
  )
  const shortages = await shortagesNow(scope, wanted)
  const { amounts, lines, shippingTaxes, promotions, refused } = calculation
  const { currency, shippingMethodName, shippingRequired } = prepared.terms
  return {
    __typename: 'CalculatedOrder' as const,
    ...amounts,
    currency,
    shippingMethodName,
    shippingRequired,
    lines,
    shippingTaxes,
    promotions,
    refusedCoupons: refused,
    shortages: shortages.map(({ productId, variantId, wanted: pieces, available }) => ({
      productNumber: productId,
      variantNumber: variantId,
      wanted: pieces,
      available,
    })),
  }
}
