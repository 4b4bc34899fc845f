/**
 * Pieces of an item: a thousand million fit a 32-bit number, and every sum over locations fits
 * twice.
 */
export const MAX_STOCK = 1_000_000_000

/** Item with stock: a product, or one of its variants. */
export type StockItem = { readonly productId: number; readonly variantId: number | null }

/** Pieces of an item at a location. */
export type InventoryLevel = StockItem & {
  readonly id: number
  readonly locationId: number
  readonly stock: number
  readonly updatedAt: Date
}

/** A location to take units from or return them to, by priority. */
export type StockSource = { readonly locationId: number; readonly stock: number }

/** Units at a location; null: of an item without stock per location. */
export type Allocation = { readonly locationId: number | null; readonly quantity: number }

/** An item with less stock than wanted. */
export type Shortage = StockItem & { readonly wanted: number; readonly available: number }

/** Names an item within a store. */
export const keyOf = ({ productId, variantId }: StockItem): string => `${productId}/${variantId ?? ''}`

/**
 * Takes `quantity` from the sources in their order, the preferred location first. All from one
 * location where one has enough, to send one parcel. Null when all together have too little.
 */
export function allocate(
  sources: readonly StockSource[],
  quantity: number,
  preferred: number | null,
): readonly Allocation[] | null {
  const ordered = sources.toSorted((one, other) => Number(other.locationId === preferred) - Number(one.locationId === preferred))
  const enough = ordered.find(({ stock }) => stock >= quantity)
  if (enough) return [{ locationId: enough.locationId, quantity }]
  const taken: Allocation[] = []
  let left = quantity
  for (const { locationId, stock } of ordered) {
    const part = Math.min(stock, left)
    if (part > 0) taken.push({ locationId, quantity: part })
    left -= part
  }
  return left === 0 ? taken : null
}
