import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Context } from '../context.ts'
import { decodeId, present } from '../ids.ts'
import type { Location } from '../location/location.ts'
import { addressIn, addressOf, destinationOf } from '../order/customer/address.ts'
import { exchangeOf, type Order } from '../order/order.ts'
import { type QuoteLine, type QuoteOrigin, type QuotePackage, shippingQuotes } from '../shipping-method/quotes.ts'
import { inStoreCurrency } from '../store-currency/exchange.ts'
import { destinationProblems, type NewFulfillmentInput, type PackageInput } from './fulfillment.ts'

/** What is to be sent, as a caller gives it. */
export type FulfillmentRatesInput = Pick<NewFulfillmentInput, 'orderId' | 'locationId' | 'shippingAddress' | 'packages'>

/**
 * What sending would cost by each of the store's ways. Not in a transaction: external services have
 * five seconds.
 */
export async function fulfillmentRates(context: Context, input: FulfillmentRatesInput) {
  const { locationId, orderId, shippingAddress, packages } = input
  const problems = [
    ...destinationProblems(input),
    ...(orderId == null && packages == null ? [problem('packages', 'what is sent, as there is no order', null)] : []),
  ]
  if (problems.length > 0) return validationError(problems)
  const { load } = context
  const location = await load.locationById.load(decodeId(locationId, 'Location') ?? 0)
  if (!location) return notFoundError('location', locationId)
  if (!location.active) return validationError([problem('locationId', 'an active location', location.name)])
  const order = orderId == null ? null : await load.orderById.load(decodeId(orderId, 'Order') ?? 0)
  if (orderId != null && !order) return notFoundError('order', orderId)

  const store = await present(load.storeById.load(await context.storeId()), 'store')
  // Of an import, or of before the store changed its currency: prices of methods are in another one.
  if (order && order.currency !== store.currency && exchangeOf(order) === null)
    return validationError([
      problem('orderId', `of an order in ${store.currency}, or with a rate to it: give shippingAddress and packages`, orderId),
    ])
  const said = shippingAddress ? addressOf(addressIn(shippingAddress)) : null
  const address = said ?? order?.shippingAddress ?? null
  const sent = packages?.map(quotePackage)
  const lines = order ? await linesOf(context, order, packages != null || order.shippingRequired) : (sent ?? []).map(lineOf)
  const quotes = await shippingQuotes(context, store, {
    lines,
    ...(sent && { packages: sent }),
    from: originOf(location),
    destination: destinationOf(address),
    city: address?.city ?? null,
    distance: null,
  })
  const methods = await load.shippingMethodById.loadMany(quotes.map(({ shippingMethod }) => shippingMethod))
  const rates = quotes.map(({ name, serviceCode, price }, index) => {
    const method = methods[index]
    const company = method && !(method instanceof Error) ? method.name : name
    return { company, serviceLabel: name, serviceType: serviceCode, amount: textOf(price) }
  })
  return { __typename: 'FulfillmentRatesSuccess' as const, rates }
}

/** Lines of an order, at prices in the currency of the store. */
async function linesOf({ load }: Context, order: Order, requiresShipping: boolean): Promise<readonly QuoteLine[]> {
  const lines = await load.linesOfOrder.load(order.id)
  const exchange = exchangeOf(order)
  return lines.map(({ price, quantity, weight, name, sku }) => ({
    price: inStoreCurrency(amountOf(price), exchange),
    quantity,
    weight: amountOf(weight),
    requiresShipping,
    name,
    sku,
  }))
}

/** Without an order, nobody knows what is in a package. */
const lineOf = ({ weight }: QuotePackage): QuoteLine => ({
  price: 0n,
  quantity: 1,
  weight: weight ?? 0n,
  requiresShipping: true,
  name: null,
  sku: null,
})

const quotePackage = ({ length, width, height, weight }: PackageInput): QuotePackage => ({
  length: measureOf(length),
  width: measureOf(width),
  height: measureOf(height),
  weight: measureOf(weight),
})

const measureOf = (text: string | null | undefined) => (text == null ? null : amountOf(text))

const originOf = ({ name, address }: Location): QuoteOrigin => ({
  name,
  address: address.address,
  city: address.city,
  municipality: address.municipality ?? address.city,
  region: address.region,
  country: address.country,
  postal: address.postal,
})
