import { type Problem, problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf } from '../amount.ts'
import type { Parts } from '../context.ts'
import { rowOf } from '../ids.ts'
import { shippingQuotes } from '../shipping-method/quotes.ts'
import type { ShippingMethodRepository } from '../shipping-method/repository.ts'
import { type NewOrderInput, prepareOrder } from './prepare.ts'

/** What the chosen way to send asks for an order; or why it asks nothing. */
export type QuotedShipping =
  | {
      readonly price: Amount
      readonly name: string
      readonly serviceId: number | null
      readonly rateId: string | null
      readonly description: string | null
    }
  | { readonly problem: Problem }

type Deps = Pick<Parts, 'database' | 'stores' | 'shippingMethods' | 'shippingServices' | 'secrets'>

/**
 * Asks the way to send that an order names for its price; null where that is given, or nothing is to be sent. External services have five seconds, so this comes
 * before the transaction. What is wrong with the order otherwise is left to be found there.
 */
export async function quotedShipping(deps: Deps, storeId: number, input: NewOrderInput): Promise<QuotedShipping | null> {
  const { shippingMethodId, shippingPrice, shippingServiceCode } = input
  if (shippingMethodId == null || shippingPrice != null || input.shippingRequired === false) return null
  const prepared = await prepareOrder({ query: deps.database, storeId }, input, null)
  const [store] = await deps.stores.findByIds([storeId])
  if ('failure' in prepared || !store) return null
  const lines = prepared.lines.map(({ price, quantity, weight, requiresShipping, name, sku }) => ({
    price: amountOf(price),
    quantity,
    weight: amountOf(weight),
    requiresShipping,
    name,
    sku,
  }))
  if (!lines.some(({ requiresShipping }) => requiresShipping)) return null

  const { shippingMethods, shippingServices, secrets } = deps
  const row = rowOf(shippingMethodId, 'ShippingMethod')
  const onlyThis: ShippingMethodRepository = {
    ...shippingMethods,
    list: async (of, enabled) => (await shippingMethods.list(of, enabled)).filter(({ id }) => id === row),
  }
  const quotes = await shippingQuotes({ shippingMethods: onlyThis, shippingServices, secrets }, store, {
    lines,
    place: prepared.toPrice.shippingPlace,
    city: prepared.terms.shippingAddress?.city ?? null,
    distance: null,
  })
  const quote = shippingServiceCode == null ? quotes[0] : quotes.find(({ serviceCode }) => serviceCode === shippingServiceCode)
  if (!quote) {
    return shippingServiceCode == null
      ? { problem: problem('shippingMethodId', 'a way that sends this there', shippingMethodId) }
      : { problem: problem('shippingServiceCode', 'a service that sends this there', shippingServiceCode) }
  }
  const { price, name, service, rateId, description } = quote
  return { price, name, serviceId: service?.id ?? null, rateId, description }
}
