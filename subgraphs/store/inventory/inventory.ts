/**
 * Pieces of an item: a thousand million fit a 32-bit number, and every sum over locations fits
 * twice.
 */
export const MAX_STOCK = 1_000_000_000

/** What is counted: a product, or one of its variants. */
export type StockItem = { readonly productId: number; readonly variantId: number | null }

/** Pieces of an item at a location. */
export type InventoryLevel = StockItem & {
  readonly id: number
  readonly locationId: number
  readonly stock: number
  readonly updatedAt: Date
}

/** A place that pieces can be taken from or put to, the first to be asked first. */
export type StockSource = { readonly locationId: number; readonly stock: number }

/** Pieces at a location; null: of an item whose stock is not kept per location. */
export type Allocation = { readonly locationId: number | null; readonly quantity: number }

/** Something of which there is less than was wanted. */
export type Shortage = StockItem & { readonly wanted: number; readonly available: number }

/** Names an item within a store. */
export const keyOf = ({ productId, variantId }: StockItem): string => `${productId}/${variantId ?? ''}`

/**
 * Takes `quantity` from the sources in their order, from the preferred location first. Whole from
 * one place where one has enough: nobody wants two parcels. Null when there is not enough in all of
 * them.
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
