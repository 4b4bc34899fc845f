import type { OrderStatus, ShipmentStatus } from '../order/states.ts'

/** What everybody may know of a store. */
export type Shop = {
  readonly id: number
  readonly code: string
  readonly name: string
  readonly currency: string
  readonly logo: string | null
}

/** What everybody may know of a product that is on sale. Decimals are exact text. */
export type ShopProduct = {
  readonly id: number
  readonly name: string
  /** What one piece costs, the discount taken off. */
  readonly price: string
  readonly permalink: string
  /** Key of the file of its first picture; null without one. */
  readonly imageKey: string | null
}

/** What whoever has the link of an order may know of it. Decimals are exact text. */
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
export type ShopOrderLine = { readonly name: string; readonly quantity: number; readonly total: string }
