import { problem, validationError } from '../../toolkit/validation.ts'
import type { AppliedPromotion, RefusedCoupon } from '../promotion/apply.ts'
import { promotionRepository } from '../promotion/repository.ts'
import type { Unit } from '../write.ts'
import type { PreparedOrder } from './prepare.ts'
import { priceOrder } from './price-order.ts'
import { type WorkedOut, workedOut } from './terms.ts'

/** What an order comes to, and what promotions have to do with it. */
export type Calculation = WorkedOut & {
  readonly applied: readonly AppliedPromotion[]
  readonly refused: readonly RefusedCoupon[]
}

/** Works out an order by the promotions and taxes of its store: the same for `createOrder` and for `calculateOrder`. Writes nothing. */
export async function workOut(
  unit: Pick<Unit, 'query' | 'storeId' | 'now'>,
  { lines, terms, toPrice }: PreparedOrder,
): Promise<Calculation | { readonly failure: ReturnType<typeof validationError> }> {
  const { query, storeId } = unit
  const result = await priceOrder(unit, toPrice)
  if (result.kind === 'too-large') {
    return { failure: validationError([problem('lines', 'of a price with at most 10 digits before the point', 'more')]) }
  }
  const { applied, refused } = result.discounts
  const ids = applied.map(({ promotionId }) => promotionId)
  const promotions = ids.length === 0 ? [] : await promotionRepository(query).findByIds(storeId, ids)
  const names = new Map(promotions.map(({ id, name }) => [id, name]))
  return { ...workedOut(terms.currency, lines, result, { names, pricesIncludeTax: result.pricesIncludeTax }), applied, refused }
}
