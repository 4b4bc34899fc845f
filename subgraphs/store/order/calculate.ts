import { shortagesNow } from '../inventory/stock.ts'
import type { Unit } from '../write.ts'
import { type NewOrderInput, prepareOrder } from './prepare.ts'
import type { QuotedShipping } from './quoted-shipping.ts'
import { workOut } from './work-out.ts'

/** What `createOrder` would make of an input; writes nothing. */
export async function calculateOrder(
  unit: Pick<Unit, 'query' | 'storeId' | 'now'>,
  input: NewOrderInput,
  quoted: QuotedShipping | null,
) {
  const prepared = await prepareOrder(unit, input, quoted)
  if ('failure' in prepared) return prepared.failure
  const calculation = await workOut(unit, prepared)
  if ('failure' in calculation) return calculation.failure
  const wanted = prepared.lines.flatMap(({ isKnown, productNumber, variantNumber, quantity }) =>
    isKnown ? [{ productId: productNumber, variantId: variantNumber, quantity }] : [],
  )
  const shortages = await shortagesNow(unit, wanted)
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
