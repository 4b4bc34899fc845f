import type { ExchangeRate } from '../store-currency/exchange.ts'
import type { FulfillmentStatus, OrderStatus, ShipmentStatus } from './status/states.ts'

/** How goods come to the customer. */
export type ShippingOption = 'DELIVERY' | 'STORE_PICKUP' | 'NO_SHIPPING'

/** Unknown parts are null. Decimals are exact text. */
export type OrderAddress = {
  readonly name: string | null
  readonly surname: string | null
  readonly taxid: string | null
  readonly address: string | null
  readonly streetNumber: string | null
  readonly complement: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly neighbourhood: string | null
  readonly municipality: string | null
  readonly region: string | null
  readonly regionCode: string | null
  /** Its English name. */
  readonly country: string | null
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string | null
  readonly latitude: string | null
  readonly longitude: string | null
  readonly pickupPlaceName: string | null
}

/** Buyer, as known when the order was made. */
export type OrderCustomer = {
  /** Row of the customer, which may have been deleted. */
  readonly number: number
  readonly email: string | null
  readonly phone: string | null
  readonly phonePrefix: string | null
  readonly ip: string | null
  readonly fullname: string | null
}

export type BillingInformation = {
  readonly businessActivity: string | null
  readonly companyName: string | null
  readonly taxpayerType: string | null
}

export type TrafficSource = {
  readonly createdFrom: string | null
  readonly createdFromAppCode: string | null
  readonly sourceName: string | null
  readonly medium: string | null
  readonly campaign: string | null
  readonly referralUrl: string | null
  readonly referralCode: string | null
  readonly userAgent: string | null
  readonly firstPageVisited: string | null
  readonly firstPageVisitedAt: string | null
  readonly referralSource: string | null
}

/** A promotion that counts for an order. */
export type OrderPromotion = { readonly number: number; readonly name: string; readonly amount: string }

/** A charged tax, and its amount. */
export type OrderTax = {
  readonly number: number
  readonly name: string
  readonly country: string | null
  readonly region: string | null
  readonly rate: string
  readonly fixed: boolean
  readonly includedInPrice: boolean
  readonly amount: string
}

/** What an order comes to: exact decimals. */
export type OrderAmounts = {
  readonly subtotal: string
  readonly tax: string
  readonly shipping: string
  readonly shippingTax: string
  readonly discount: string
  readonly shippingDiscount: string
  readonly giftCardsDiscount: string
  readonly total: string
}

/**
 * Fields of an order that are set at its creation. Rows that may have been deleted are called
 * numbers.
 */
export type OrderTerms = OrderAmounts & {
  readonly currency: string
  /** So many units of `currency` were worth `currencyRateBase` of the store's; null: it is the store's. */
  readonly currencyRate: string | null
  readonly currencyRateBase: string | null
  readonly locale: string | null
  readonly shippingRequired: boolean
  readonly shippingOption: ShippingOption
  readonly sameDayDelivery: boolean
  readonly shippingMethodNumber: number | null
  readonly shippingServiceNumber: number | null
  readonly shippingMethodName: string | null
  readonly externalShippingRateId: string | null
  readonly externalShippingRateDescription: string | null
  readonly pickupLocationNumber: number | null
  readonly paymentMethodNumber: number | null
  readonly paymentMethodName: string | null
  readonly paymentMethodType: string | null
  readonly coupons: readonly string[]
  readonly promotions: readonly OrderPromotion[]
  readonly shippingTaxes: readonly OrderTax[]
  readonly customer: OrderCustomer | null
  readonly shippingAddress: OrderAddress | null
  readonly billingAddress: OrderAddress | null
  readonly pickupAddress: OrderAddress | null
  readonly billingInformation: BillingInformation | null
  readonly source: TrafficSource | null
  readonly additionalInformation: string | null
}

/** Where an imported order comes from. */
export type OrderOrigin = {
  readonly orderId: number
  /** Shop, as the import said. */
  readonly source: string
  /** Number at that shop. */
  readonly name: string
  /** Id at that shop; null: unknown. */
  readonly externalId: string | null
}

/** An order. */
export type Order = OrderTerms & {
  readonly id: number
  readonly status: OrderStatus
  readonly fulfillmentStatus: FulfillmentStatus
  readonly shipmentStatus: ShipmentStatus
  readonly refunded: string
  /** Paid back because edits lowered the total; not in `refunded`. */
  readonly balanceRefunded: string
  readonly shippingBranch: { readonly number: number; readonly name: string | null } | null
  readonly paymentInformation: string | null
  readonly paymentNotificationId: string | null
  readonly trackingNumber: string | null
  readonly trackingCompany: string | null
  readonly trackingUrl: string | null
  /** Part of the addresses that a customer gets; unguessable. */
  readonly token: string
  readonly recoveredFromNumber: number | null
  readonly createdAt: Date
  readonly completedAt: Date | null
  readonly updatedAt: Date
  readonly version: number
}

/** Line, as it was at the time of the order. */
export type OrderLineTerms = {
  readonly productNumber: number
  readonly variantNumber: number | null
  readonly sku: string | null
  readonly name: string
  /** Key of a stored picture; null without one. */
  readonly imageKey: string | null
  readonly quantity: number
  /** Of one unit. */
  readonly price: string
  /** Discount on the whole line, with its share of the discount on the order. */
  readonly discount: string
  /** Of one unit. */
  readonly weight: string
  readonly subtotal: string
  readonly tax: string
  readonly total: string
  readonly taxes: readonly OrderTax[]
}

export type OrderLine = OrderLineTerms & {
  readonly id: number
  readonly orderId: number
  /** When an edit added it to an order that was fulfilled; null: it is fulfilled with its order. */
  readonly addedAt: Date | null
}

/** An answer to a question of the checkout, or a note of an app. */
export type OrderAdditionalField = {
  readonly id: number
  readonly orderId: number
  readonly label: string
  readonly value: string | null
  readonly area: string | null
}

export const MAX_LINES = 500
export const MAX_UNITS = 1_000_000
export const MAX_ADDITIONAL_FIELDS = 100
/** Characters of notes, and of messages of a gateway. */
export const MAX_NOTE_LENGTH = 5_000

/** How amounts of an order were converted; null: it is in the currency of the store. */
export const exchangeOf = ({
  currencyRate,
  currencyRateBase,
}: Pick<Order, 'currencyRate' | 'currencyRateBase'>): ExchangeRate | null =>
  currencyRate === null || currencyRateBase === null ? null : { rate: currencyRate, base: currencyRateBase }
