import { Fault } from '../../../platform/outbound/fault.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { type Amount, amountOf, minorUnitOf, rounded, sumOf } from '../amount.ts'
import type { OrderDestination } from '../destination.ts'
import type { Store } from '../store/store.ts'
import { convertedCharge, inStoreCurrency, type OrderCurrency, ownCurrency } from '../store-currency/exchange.ts'
import { type Parcel, type ParcelLine, parcelOf, shippingPrice } from './price.ts'
import type { ShippingMethodRepository } from './repository.ts'
import type { Rate, ServiceAccess, ShippingServices } from './service.ts'
import type { ShippingMethod, ShippingService } from './shipping-method.ts'

/** A line to ship, with its data for external services. */
export type QuoteLine = ParcelLine & { readonly name: string | null; readonly sku: string | null }

export type QuoteRequest = {
  readonly lines: readonly QuoteLine[]
  readonly destination: OrderDestination
  /** Name of the city; null: not known. */
  readonly city: string | null
  readonly distance: Amount | null
  /** Currency of the lines' prices, and of the rates; absent: that of the store. */
  readonly currency?: OrderCurrency
  /** Packages of the lines; absent: unknown yet. */
  readonly packages?: readonly QuotePackage[]
  /** Origin of the goods; absent: that of the shipping method, or of the store. */
  readonly from?: QuoteOrigin
}

/** Centimetres and the store's unit of weight; null: not known. */
export type QuotePackage = {
  readonly length: Amount | null
  readonly width: Amount | null
  readonly height: Amount | null
  readonly weight: Amount | null
}

/** Every part is null where it is not known. */
export type QuoteOrigin = OrderDestination & {
  readonly city: string | null
  readonly address: string | null
  readonly name: string
}

/** Quoted rate of one shipping method. */
export type Quote = {
  readonly shippingMethod: number
  readonly name: string
  readonly price: Amount
  /** What follows is of an external service only. */
  readonly serviceCode: string | null
  readonly service: ShippingService | null
  readonly rateId: string | null
  readonly description: string | null
  /** The service did not answer, and this is what the method costs then. */
  readonly isFallback: boolean
}

/** What quotes are made with. */
export type QuoteDeps = {
  readonly shippingMethods: ShippingMethodRepository
  readonly shippingServices: ShippingServices
  readonly secrets: SecretCipher
}

/**
 * Rates of all shipping methods of a store, the cheapest first. Methods and services charge in the
 * currency of the store: prices of another one are converted to its minor units for them, and their
 * rates back. Queries all external services at once, which may take five seconds: not in a transaction.
 */
export async function shippingQuotes(
  { shippingMethods, shippingServices, secrets }: QuoteDeps,
  store: Store,
  { currency = ownCurrency(store.currency), ...given }: QuoteRequest,
): Promise<Quote[]> {
  const inStoreUnits = (price: Amount): Amount =>
    currency.exchange === null ? price : rounded(inStoreCurrency(price, currency.exchange), minorUnitOf(store.currency))
  const request = {
    ...given,
    lines: given.lines.map((line) => ({ ...line, price: inStoreUnits(line.price) })),
  }
  const sent = parcelOf(request.lines, request.distance)
  if (sent === null) return []
  const parcel = { ...sent, weight: packedWeight(request.packages) ?? sent.weight }
  const methods = await shippingMethods.list(store.id, true)
  const external = methods.filter(({ type }) => type === 'EXTERNAL').map(({ id }) => id)
  const [tokens, services] =
    external.length === 0
      ? [new Map<number, string>(), []]
      : await Promise.all([shippingMethods.tokens(store.id, external, secrets), shippingMethods.servicesOf(store.id, external)])

  const quotes = await Promise.all(
    methods.map(async (method): Promise<readonly Quote[]> => {
      const at = { destination: request.destination, currency: store.currency }
      if (method.type !== 'EXTERNAL') {
        const price = shippingPrice(method, parcel, at)
        return price === null ? [] : [{ ...PLAIN, shippingMethod: method.id, name: method.name, price }]
      }
      const own = services.filter(({ shippingMethodId }) => shippingMethodId === method.id)
      const requested = requestedOf(store, method, method.callbackUrl ?? '', tokens.get(method.id) ?? '')
      const rates = await ratesOf(shippingServices, requested, questionOf(store, method, parcel, request))
      return externalQuotes(method, rates, own, (external) => shippingPrice(method, parcel, { ...at, external }))
    }),
  )
  const inCurrency = quotes.flat().map((quote) => ({ ...quote, price: convertedCharge(quote.price, currency) }))
  return inCurrency.sort((one, other) => (one.price === other.price ? 0 : one.price < other.price ? -1 : 1))
}

/** Access to the service of a method. */
export const requestedOf = (store: Store, { hasToken }: ShippingMethod, url: string, token: string): ServiceAccess => ({
  url,
  token,
  storeId: store.id,
  storeCode: store.code,
  isOwnToken: hasToken,
})

const PLAIN = { serviceCode: null, service: null, rateId: null, description: null, isFallback: false } as const

/** Null when the service does not answer. */
async function ratesOf(services: ShippingServices, service: ServiceAccess, question: object): Promise<readonly Rate[] | null> {
  try {
    return await services.rates(service, question)
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}

function externalQuotes(
  method: ShippingMethod,
  rates: readonly Rate[] | null,
  services: readonly ShippingService[],
  priceOf: (external: Amount) => Amount | null,
): readonly Quote[] {
  if (rates === null) {
    const price = method.fallbackPrice === null ? null : priceOf(amountOf(method.fallbackPrice))
    return price === null ? [] : [{ ...PLAIN, shippingMethod: method.id, name: method.name, price, isFallback: true }]
  }
  return rates.flatMap((rate): readonly Quote[] => {
    const service = services.find(({ serviceCode }) => serviceCode === rate.serviceCode) ?? null
    const price = priceOf(rate.price)
    if (price === null || service?.enabled === false) return []
    const { id: rateId, description, serviceCode } = rate
    const name = service?.serviceName ?? rate.serviceName
    return [{ shippingMethod: method.id, name, price, serviceCode, service, rateId, description, isFallback: false }]
  })
}

/** Body of the published callback to a service. */
function questionOf(store: Store, method: ShippingMethod, parcel: Parcel, request: QuoteRequest): object {
  const { lines, destination, city, packages, from } = request
  const { address } = store
  return {
    from: from
      ? { ...originOf(from), email: store.email }
      : {
          country: address?.countryCode ?? store.country,
          region: method.state ?? address?.regionCode ?? null,
          municipality_name: method.city,
          city: method.city ?? address?.city ?? null,
          postal: method.postal ?? address?.postal ?? null,
          address: address?.address ?? null,
          name: store.name,
          email: store.email,
        },
    to: {
      country: destination.country,
      region: destination.region,
      municipality: destination.municipality,
      city,
      postal: destination.postal,
    },
    products: lines.map(({ name, sku, quantity, price, weight, requiresShipping }) => ({
      name,
      sku,
      quantity,
      price: wireNumber(price),
      weight: wireNumber(weight),
      shipping_required: requiresShipping,
    })),
    package: { weight: wireNumber(parcel.weight) },
    ...(packages && { packages: packages.map(measuresOf) }),
    weight_unit: store.weightUnit.toLowerCase(),
    currency: store.currency,
  }
}

const originOf = ({ country, region, municipality, city, postal, address, name }: QuoteOrigin) => ({
  country,
  region,
  municipality_name: municipality,
  city,
  postal,
  address,
  name,
})

const measuresOf = (each: QuotePackage) =>
  Object.fromEntries(Object.entries(each).map(([name, measure]) => [name, measure === null ? null : wireNumber(measure)]))

/** What packages weigh together; null where that is not known of each. */
function packedWeight(packages: readonly QuotePackage[] | undefined): Amount | null {
  const weights = packages?.map(({ weight }) => weight) ?? []
  return weights.length === 0 || weights.includes(null) ? null : sumOf(weights.map((weight) => weight ?? 0n))
}

/**
 * Fourteen digits pass through a number unharmed; sums of many lines may have more, and lose their
 * last ones.
 */
const wireNumber = (amount: Amount): number => Number(amount) / 10_000
