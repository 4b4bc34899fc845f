import type { OrderStatus, ShipmentStatus } from '../order/status/states.ts'

/** Public data of a store. */
export type Shop = {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly currency: string
  readonly logo: string | null
}

/** Public data of a published product. Decimals are exact text. */
export type ShopProduct = {
  readonly id: number
  readonly name: string
  /** Price of one unit, less the discount. */
  readonly price: string
  readonly permalink: string
  /** Key of the file of its first picture; null without one. */
  readonly imageKey: string | null
}

/** Data of an order for the holder of its link. Decimals are exact text. */
export type ShopOrder = {
  readonly storeId: number
  readonly number: number
  readonly status: OrderStatus
  readonly shipmentStatus: ShipmentStatus
  readonly currency: string
  readonly shipping: string
  /** With its taxes, after its discount. */
  readonly shippingTotal: string
  readonly giftCardsDiscount: string
  readonly total: string
  readonly trackingCompany: string | null
  readonly trackingNumber: string | null
  readonly trackingUrl: string | null
  readonly createdAt: Date
}

/** Something that is bought. */
export type ShopOrderLine = {
  readonly name: string
  readonly quantity: number
  readonly total: string
  /** Null when it was deleted. */
  readonly productId: number | null
  readonly isReviewed: boolean
}
