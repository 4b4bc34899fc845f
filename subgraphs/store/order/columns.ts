import { addressOf } from './customer/address.ts'
import type { BillingInformation, Order, OrderCustomer, OrderPromotion, OrderTax, TrafficSource } from './order.ts'

/** The columns of an order, named as its fields; `customer` is completed from two of them. */
export const ORDER_COLUMNS = [
  'id',
  'status',
  'fulfillment_status as fulfillmentStatus',
  'shipment_status as shipmentStatus',
  'currency',
  'currency_rate as currencyRate',
  'currency_rate_base as currencyRateBase',
  'locale',
  'subtotal',
  'tax',
  'shipping',
  'shipping_tax as shippingTax',
  'discount',
  'shipping_discount as shippingDiscount',
  'gift_cards_discount as giftCardsDiscount',
  'total',
  'refunded',
  'balance_refunded as balanceRefunded',
  'shipping_required as shippingRequired',
  'shipping_option as shippingOption',
  'same_day_delivery as sameDayDelivery',
  'shipping_method_id as shippingMethodNumber',
  'shipping_service_id as shippingServiceNumber',
  'shipping_method_name as shippingMethodName',
  'shipping_branch as shippingBranch',
  'pickup_location_id as pickupLocationNumber',
  'payment_method_id as paymentMethodNumber',
  'payment_method_name as paymentMethodName',
  'payment_method_type as paymentMethodType',
  'payment_information as paymentInformation',
  'payment_notification_id as paymentNotificationId',
  'additional_information as additionalInformation',
  'external_shipping_rate_id as externalShippingRateId',
  'external_shipping_rate_description as externalShippingRateDescription',
  'customer_id as customerId',
  'customer',
  'shipping_address as shippingAddress',
  'billing_address as billingAddress',
  'pickup_address as pickupAddress',
  'billing_information as billingInformation',
  'source',
  'coupons',
  'promotions',
  'shipping_taxes as shippingTaxes',
  'tracking_number as trackingNumber',
  'tracking_company as trackingCompany',
  'tracking_url as trackingUrl',
  'token',
  'recovered_from as recoveredFromNumber',
  'created_at as createdAt',
  'completed_at as completedAt',
  'updated_at as updatedAt',
  'version',
] as const

/** A row as it is read: its jsonb columns are not judged yet. */
export type OrderRow = Omit<Order, Stored | 'shippingOption'> & {
  readonly [Field in Stored]: unknown
} & { readonly customerId: number | null; readonly shippingOption: Order['shippingOption'] | null }

type Stored =
  | 'customer'
  | 'shippingAddress'
  | 'billingAddress'
  | 'pickupAddress'
  | 'shippingBranch'
  | 'billingInformation'
  | 'source'
  | 'promotions'
  | 'shippingTaxes'

/** The order that a row is. */
export function orderOf({ customerId, ...row }: OrderRow): Order {
  return {
    ...row,
    shippingOption: row.shippingOption ?? (row.shippingRequired ? 'DELIVERY' : 'NO_SHIPPING'),
    customer:
      customerId === null ? null : { number: customerId, ...textsIn<Omit<OrderCustomer, 'number'>>(row.customer, CUSTOMER) },
    shippingAddress: addressOf(row.shippingAddress),
    billingAddress: addressOf(row.billingAddress),
    pickupAddress: addressOf(row.pickupAddress),
    shippingBranch: branchIn(row.shippingBranch),
    billingInformation: isObject(row.billingInformation) ? textsIn<BillingInformation>(row.billingInformation, BILLING) : null,
    source: isObject(row.source) ? textsIn<TrafficSource>(row.source, SOURCE) : null,
    // Lists are written by us only, complete.
    promotions: row.promotions as readonly OrderPromotion[],
    // The column holds what this noun writes.
    shippingTaxes: row.shippingTaxes as readonly OrderTax[],
  }
}

const CUSTOMER = ['email', 'phone', 'phonePrefix', 'ip', 'fullname'] as const
const BILLING = ['businessActivity', 'companyName', 'taxpayerType'] as const
const SOURCE = [
  'createdFrom',
  'createdFromAppCode',
  'sourceName',
  'medium',
  'campaign',
  'referralUrl',
  'referralCode',
  'userAgent',
  'firstPageVisited',
  'firstPageVisitedAt',
  'referralSource',
] as const

const isObject = (stored: unknown): stored is Readonly<Record<string, unknown>> => typeof stored === 'object' && stored !== null

/** The texts of an object; null for other values. */
const textsIn = <Type extends object>(stored: unknown, fields: readonly (keyof Type & string)[]) =>
  Object.fromEntries(
    fields.map((field) => {
      const value = isObject(stored) ? stored[field] : null
      return [field, typeof value === 'string' ? value : null]
    }),
    // One entry for each of `fields`.
  ) as Type

function branchIn(stored: unknown): Order['shippingBranch'] {
  if (!isObject(stored) || !Number.isInteger(stored.number)) return null
  // Checked above.
  return { number: stored.number as number, name: typeof stored.name === 'string' ? stored.name : null }
}
