import type { Zone } from './zone.ts'

export type ShippingMethodType = 'FREE' | 'TABLES' | 'CORREOS_CHILE' | 'CHILEXPRESS' | 'FLAT' | 'UPS' | 'EXTERNAL'
export type ShippingBase = 'WEIGHT' | 'PRICE' | 'QUANTITY' | 'DISTANCE'

/** Prices for some places. Without locations: for all that no location of another table names. */
export type ShippingTable = {
  readonly basedOn: ShippingBase
  /** From each amount of the base on, sending costs this; lowest first. */
  readonly values: readonly { readonly amount: string; readonly price: string }[]
  readonly locations: readonly Zone[]
}

/**
 * Comes on top: money for every unit sent, or a percentage of the goods. A FLAT method is nothing
 * but its fees.
 */
export type ShippingFee = { readonly type: 'FIXED' | 'PERCENTAGE'; readonly value: string }

/** Rule for the rate of a shipping method. */
export type ShippingRule = {
  readonly type: ShippingMethodType
  readonly enabled: boolean
  /** Costs nothing, if `freeShippingFrom` is reached. */
  readonly freeShipping: boolean
  /** What the goods must cost for that; null: whatever they cost. */
  readonly freeShippingFrom: string | null
  readonly fees: readonly ShippingFee[]
  readonly tables: readonly ShippingTable[]
}

export type ShippingMethod = ShippingRule & {
  readonly id: number
  readonly name: string
  /** Of an EXTERNAL method, as the following fields: URL of the service for rates. */
  readonly callbackUrl: string | null
  readonly fetchServicesUrl: string | null
  readonly hasToken: boolean
  /** Rate while the service does not answer; null: it is not offered then. */
  readonly fallbackPrice: string | null
  /** Where goods leave from. */
  readonly state: string | null
  readonly city: string | null
  readonly postal: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A service of an external method. */
export type ShippingService = {
  readonly id: number
  readonly shippingMethodId: number
  readonly serviceCode: string
  readonly serviceName: string
  /** As its provider named it. */
  readonly originalServiceName: string
  readonly enabled: boolean
}
