/** Value of the stock at a location; amounts are exact decimals in the currency of the store. */
export type LocationStockValue = {
  /** Null: items that are not tracked per location. */
  readonly locationNumber: number | null
  readonly units: string
  /** Units whose cost is unknown. */
  readonly unitsWithoutCost: string
  /** Of the units whose cost is known; null: there are none. */
  readonly cost: string | null
  readonly price: string
}
