import { type Amount, amountOf, minorUnitOf, ONE, percentOf, rounded, sumOf } from '../amount.ts'
import type { OrderDestination } from '../destination.ts'
import type { ShippingBase, ShippingFee, ShippingRule, ShippingTable } from './shipping-method.ts'
import { zoneDepth } from './zone.ts'

export type ParcelLine = {
  readonly price: Amount
  readonly quantity: number
  /** Of one unit, in the store's unit of weight. */
  readonly weight: Amount
  /** False for downloads. */
  readonly requiresShipping: boolean
}

/** Goods to ship: only lines that require shipping count. */
export type Parcel = {
  /** Units. */
  readonly quantity: number
  readonly weight: Amount
  /** As listed, before any discount: a coupon must not make shipping dearer. */
  readonly price: Amount
  /**
   * From where goods leave, in kilometres; null: not known, and tables by distance have no price.
   */
  readonly distance: Amount | null
}

/** Null where nothing has to be sent. */
export function parcelOf(lines: readonly ParcelLine[], distance: Amount | null): Parcel | null {
  const sent = lines.filter(({ requiresShipping }) => requiresShipping)
  if (sent.length === 0) return null
  return {
    quantity: sent.reduce((units, { quantity }) => units + quantity, 0),
    weight: sumOf(sent.map(({ weight, quantity }) => weight * BigInt(quantity))),
    price: sumOf(sent.map(({ price, quantity }) => price * BigInt(quantity))),
    distance,
  }
}

/**
 * Rate of a method for a parcel, in whole minor units of the currency; null: it does not ship
 * there, does not take this, or is disabled. `external` is the rate of the service of an EXTERNAL
 * method. CORREOS_CHILE, CHILEXPRESS and UPS have no rates here: carriers are connected as
 * EXTERNAL.
 */
export function shippingPrice(
  method: ShippingRule,
  parcel: Parcel,
  {
    destination,
    currency,
    external = null,
  }: { readonly destination: OrderDestination; readonly currency: string; readonly external?: Amount | null },
): Amount | null {
  if (!method.enabled) return null
  const price = basePrice(method, parcel, destination, external)
  if (price === null) return null
  const { freeShipping, freeShippingFrom } = method
  if (freeShipping && (freeShippingFrom === null || parcel.price >= amountOf(freeShippingFrom))) return 0n
  const unit = minorUnitOf(currency)
  return rounded(price, unit) + sumOf(method.fees.map((fee) => feeOn(parcel, fee, unit)))
}

function basePrice(
  { type, tables }: ShippingRule,
  parcel: Parcel,
  destination: OrderDestination,
  external: Amount | null,
): Amount | null {
  switch (type) {
    case 'FREE':
    case 'FLAT':
      return 0n
    case 'TABLES':
      return tablePrice(tables, parcel, destination)
    case 'EXTERNAL':
      return external
    case 'CORREOS_CHILE':
    case 'CHILEXPRESS':
    case 'UPS':
      return null
  }
}

/**
 * The table whose location names the destination most exactly; of equal ones the first that has a price.
 */
function tablePrice(tables: readonly ShippingTable[], parcel: Parcel, destination: OrderDestination): Amount | null {
  const depths = tables.map(({ locations }) =>
    locations.length === 0 ? 0 : Math.max(...locations.map((zone) => zoneDepth(zone, destination) ?? -1)),
  )
  const deepest = Math.max(-1, ...depths)
  if (deepest < 0) return null
  for (const [index, table] of tables.entries()) {
    if (depths[index] !== deepest) continue
    const price = stepPrice(table, measureOf(table.basedOn, parcel))
    if (price !== null) return price
  }
  return null
}

/** The step with the highest amount that is reached; null below the first. */
function stepPrice({ values }: ShippingTable, measure: Amount | null): Amount | null {
  if (measure === null) return null
  const reached = values.findLast(({ amount }) => amountOf(amount) <= measure)
  return reached ? amountOf(reached.price) : null
}

function measureOf(base: ShippingBase, parcel: Parcel): Amount | null {
  switch (base) {
    case 'WEIGHT':
      return parcel.weight
    case 'PRICE':
      return parcel.price
    case 'QUANTITY':
      return BigInt(parcel.quantity) * ONE
    case 'DISTANCE':
      return parcel.distance
  }
}

const feeOn = ({ price, quantity }: Parcel, { value, type }: ShippingFee, unit: Amount): Amount =>
  type === 'FIXED' ? rounded(amountOf(value) * BigInt(quantity), unit) : percentOf(price, amountOf(value), unit)
