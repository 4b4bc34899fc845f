import type { OrderAdditionalField, OrderCustomer, OrderLineTerms, OrderTerms } from '../order/order.ts'
import type { FulfillmentStatus, OrderStatus, ShipmentStatus } from '../order/status/states.ts'

/** A line of a file; products are found by SKU. */
export type ImportedLine = Omit<OrderLineTerms, 'productNumber' | 'variantNumber' | 'imageKey'> & {
  /** Whether its units are to be fulfilled. */
  readonly isOpen: boolean
}

/** An order of a file: history, whose sums are checked. */
export type ImportedOrder = {
  /** Number at its shop. */
  readonly name: string
  /** Id at its shop; null: unknown. */
  readonly externalId: string | null
  /** Its shop, as the file says; null: that of the import. */
  readonly source: string | null
  readonly status: OrderStatus
  readonly fulfillmentStatus: FulfillmentStatus
  readonly shipmentStatus: ShipmentStatus
  readonly terms: Omit<OrderTerms, 'customer'>
  /** Null: an anonymous guest. */
  readonly customer: (Omit<OrderCustomer, 'number' | 'email'> & { readonly email: string }) | null
  readonly lines: readonly ImportedLine[]
  readonly additionalFields: readonly Pick<OrderAdditionalField, 'label' | 'value'>[]
  /** Payments together. */
  readonly paid: string
  readonly refunded: string
  /** Paid back because edits lowered the total; not in `refunded`. */
  readonly balanceRefunded: string
  readonly paymentInformation: string | null
  readonly paymentNotificationId: string | null
  readonly trackingNumber: string | null
  readonly trackingCompany: string | null
  readonly trackingUrl: string | null
  readonly createdAt: Date
  readonly completedAt: Date
  readonly updatedAt: Date
}

/** Characters of the number of an order at its shop, and of its id there. */
export const MAX_ORDER_NAME_LENGTH = 50
/** Characters of the name of a shop that orders come from. */
export const MAX_SOURCE_LENGTH = 50
/** Characters of the name of a line: a product with its variant. */
export const MAX_LINE_NAME_LENGTH = 1_000
/** Coupons of an order, as `CreateOrderInput` takes them. */
export const MAX_IMPORTED_COUPONS = 20
/** No shop of today had orders before. */
export const EARLIEST_ORDER = new Date('1990-01-01T00:00:00Z')
