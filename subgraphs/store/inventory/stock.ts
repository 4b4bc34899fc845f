import type { StoreQuery, UnitOfWork } from '../write.ts'
import { allocationRepository, type StoredAllocation } from './allocation-repository.ts'
import { type Allocation, allocate, keyOf, type Shortage, type StockItem } from './inventory.ts'
import { type Holder, inventoryRepository, type LevelChange, type Moved, type StoredLevel } from './repository.ts'

/** Units to reserve. */
export type WantedStock = StockItem & { readonly quantity: number }

/**
 * Units to reserve for an order line. Lines of missing items, or with unlimited stock, reserve
 * nothing.
 */
export type WantedLineStock = WantedStock & {
  readonly orderLineId: number
  /** Preferred location if it has enough; null: any. */
  readonly preferredLocationId: number | null
}

/** Pieces of what a line holds; `quantity` null: all of them. */
export type ReturnedStock = {
  readonly orderLineId: number
  readonly quantity: number | null
  /** A location, where they came from (the default), or nowhere: they are lost to the stock. */
  readonly to?: number | 'origin' | 'nowhere'
}

/** Locked stock of products. */
export type LockedStock = { readonly holders: readonly Holder[]; readonly stored: readonly StoredLevel[] }

/** Locks the stock of products until the transaction ends. */
export async function lockStock(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  products: readonly number[],
): Promise<LockedStock> {
  const inventory = inventoryRepository(query)
  const productIds = [...new Set(products)]
  if (productIds.length === 0) return { holders: [], stored: [] }
  // Reads the reservations after locking.
  const [holders, stored] = await Promise.all([inventory.lock(storeId, productIds), inventory.levels(storeId, productIds)])
  return { holders, stored }
}

/**
 * Reserves the stock of order lines, all or nothing: shortages are returned in the order of the
 * lines. Two lines of one item share its stock.
 */
export async function reserveStock(
  unit: UnitOfWork,
  { holders, stored }: LockedStock,
  wanted: readonly WantedLineStock[],
): Promise<readonly Shortage[]> {
  const { query, storeId } = unit
  const { shortages, taken } = takenFrom(holders, stored, wanted)
  if (shortages.length > 0 || taken.length === 0) return shortages
  await Promise.all([
    moveStock(
      unit,
      taken.map(({ want: { productId, variantId }, locationId, quantity }) => ({
        productId,
        variantId,
        locationId,
        delta: -quantity,
      })),
    ),
    allocationRepository(query).reserve(
      storeId,
      taken.map(({ want: { productId, variantId, orderLineId }, locationId, quantity }) => ({
        productId,
        variantId,
        orderLineId,
        locationId,
        quantity,
      })),
    ),
  ])
  return []
}

/** Shortages at this moment; nothing is reserved. */
export async function shortagesNow({ query, storeId }: StoreQuery, wanted: readonly WantedStock[]): Promise<readonly Shortage[]> {
  const inventory = inventoryRepository(query)
  const productIds = [...new Set(wanted.map(({ productId }) => productId))]
  if (productIds.length === 0) return []
  const [holders, stored] = await Promise.all([inventory.holders(storeId, productIds), inventory.levels(storeId, productIds)])
  const preferring = wanted.map((want) => ({ ...want, preferredLocationId: null }))
  return takenFrom(holders, stored, preferring).shortages
}

/**
 * Releases reservations of order lines to their locations; the main location replaces a deleted
 * one. More than the reservation is never released.
 */
export async function releaseStock(unit: UnitOfWork, returned: readonly ReturnedStock[]): Promise<void> {
  if (returned.length === 0) return
  const { query, storeId } = unit
  const allocations = allocationRepository(query)
  const lines = returned.map(({ orderLineId }) => orderLineId)
  const productIds = [...new Set((await allocations.heldBy(storeId, lines)).map(({ productId }) => productId))]
  if (productIds.length === 0) return
  // Reads reservations again: another transaction may have released them while this one waited.
  const [locked, held] = await Promise.all([lockStock(unit, productIds), allocations.heldBy(storeId, lines)])
  const holders = new Set(locked.holders.map(keyOf))
  const levels = Map.groupBy(locked.stored, keyOf)
  const parts = partsOf(held, returned)
  const destinations = new Map(returned.map(({ orderLineId, to = 'origin' }) => [orderLineId, to]))
  const changes: LevelChange[] = []
  for (const { productId, variantId, locationId, quantity, orderLineId } of parts) {
    const item = { productId, variantId }
    const to = destinations.get(orderLineId) ?? 'origin'
    if (!holders.has(keyOf(item)) || to === 'nowhere') continue
    const stored = levels.get(keyOf(item))
    if (typeof to === 'number' && stored) await inventoryRepository(query).ensure(storeId, to, [item], unit.now)
    const home = typeof to === 'number' && stored ? to : homeOf(stored, locationId)
    changes.push({ ...item, locationId: home, delta: quantity })
  }
  await Promise.all([moveStock(unit, changes), allocations.release(storeId, parts)])
}

/**
 * After an absolute stock of an item with levels was set: the main location gets the difference,
 * and others provide what it lacks.
 */
export async function settleStock(unit: UnitOfWork, item: StockItem, stock: number): Promise<void> {
  const { query, storeId, now } = unit
  const inventory = inventoryRepository(query)
  const stored = (await inventory.levels(storeId, [item.productId])).filter((level) => keyOf(level) === keyOf(item))
  const [main] = stored
  if (!main) return
  const delta = stock - stored.reduce((sum, level) => sum + level.stock, 0)
  const taken =
    delta < 0 ? (allocate(stored, -delta, main.locationId) ?? []) : [{ locationId: main.locationId, quantity: -delta }]
  const changes = taken.map(({ locationId, quantity }) => ({ ...item, locationId, delta: -quantity }))
  notifyOfLevels(unit, await inventory.addToLevels(storeId, changes, now))
}

/** Emits the changed stock at locations. */
export function notifyOfLevels({ emit }: Pick<UnitOfWork, 'emit'>, moved: readonly Moved[]): void {
  for (const { id, productId, locationId } of moved) {
    emit({ event: 'inventory_level_changed', entity: 'Product', id: productId, inventoryLevelId: id, locationId })
  }
}

/**
 * Before a location is deleted: locks its products. The returned function sets their stock to the
 * sum at other locations; without any, nothing.
 */
export async function recountAfterLocation(
  { query, storeId }: UnitOfWork,
  locationId: number,
): Promise<{ readonly recount: () => Promise<void> }> {
  const inventory = inventoryRepository(query)
  await inventory.lockLocation(storeId, locationId)
  const items = await inventory.itemsAt(storeId, locationId)
  const productIds = [...new Set(items.map(({ productId }) => productId))]
  if (productIds.length === 0) return { recount: () => Promise.resolve() }
  const holders = new Map((await inventory.lock(storeId, productIds)).map((holder) => [keyOf(holder), holder]))
  return {
    async recount() {
      await inventory.sumUp(storeId, productIds)
      const left = new Set((await inventory.levels(storeId, productIds)).map(keyOf))
      const emptied = items.filter((item) => !left.has(keyOf(item)))
      await inventory.addToHolders(
        storeId,
        emptied.map((item) => ({ ...item, locationId: null, delta: -(holders.get(keyOf(item))?.stock ?? 0) })),
      )
    },
  }
}

/** Adds units to items at their locations, or takes them away, with events. Lock their stock first. */
export async function moveStock(unit: UnitOfWork, changes: readonly LevelChange[]): Promise<void> {
  const { query, storeId, now, emit } = unit
  const inventory = inventoryRepository(query)
  const [moved] = await Promise.all([inventory.addToLevels(storeId, changes, now), inventory.addToHolders(storeId, changes)])
  for (const productId of new Set(changes.map(({ productId }) => productId))) {
    emit({ event: 'product_stock_updated', entity: 'Product', id: productId })
  }
  notifyOfLevels(unit, moved)
}

/** Units per location by priority; null stands for an item without levels. */
const stockOf = (own: number, cached: readonly StoredLevel[] | undefined): Map<number | null, number> =>
  cached
    ? new Map(cached.filter(({ isSource }) => isSource).map(({ locationId, stock }) => [locationId, stock]))
    : new Map([[null, own]])

/** Assigns wanted units to locations, and returns shortages. Lines of one item share its stock. */
function takenFrom<Want extends WantedStock & Pick<WantedLineStock, 'preferredLocationId'>>(
  holders: readonly Holder[],
  stored: readonly StoredLevel[],
  wanted: readonly Want[],
): { readonly shortages: readonly Shortage[]; readonly taken: readonly (Allocation & { readonly want: Want })[] } {
  const rows = new Map(holders.map((holder) => [keyOf(holder), holder]))
  const levels = Map.groupBy(stored, keyOf)
  const left = new Map<string, Map<number | null, number>>()
  const shortages = new Map<string, Shortage>()
  const taken: (Allocation & { readonly want: Want })[] = []
  for (const want of wanted) {
    const key = keyOf(want)
    const holder = rows.get(key)
    if (!holder || holder.isUnlimited) continue
    const stock = left.get(key) ?? stockOf(holder.stock, levels.get(key))
    left.set(key, stock)
    const parts = partsFrom(stock, want)
    if (parts === null) {
      const all = wanted.filter((each) => keyOf(each) === key).reduce((sum, { quantity }) => sum + quantity, 0)
      const available = [...stockOf(holder.stock, levels.get(key)).values()].reduce((sum, pieces) => sum + pieces, 0)
      const { productId, variantId } = want
      shortages.set(key, { productId, variantId, wanted: all, available })
      continue
    }
    for (const { locationId, quantity } of parts) {
      stock.set(locationId, (stock.get(locationId) ?? 0) - quantity)
      taken.push({ locationId, quantity, want })
    }
  }
  return { shortages: [...shortages.values()], taken }
}

function partsFrom(
  stock: ReadonlyMap<number | null, number>,
  { quantity, preferredLocationId }: Pick<WantedLineStock, 'quantity' | 'preferredLocationId'>,
): readonly Allocation[] | null {
  const own = stock.get(null)
  if (own !== undefined) return own >= quantity ? [{ locationId: null, quantity }] : null
  // Null only stands for items that are counted nowhere.
  const sources = [...stock].map(([locationId, pieces]) => ({ locationId: locationId as number, stock: pieces }))
  return allocate(sources, quantity, preferredLocationId)
}

/** The pieces of allocations that are to be put back. */
function partsOf(held: readonly StoredAllocation[], returned: readonly ReturnedStock[]): readonly StoredAllocation[] {
  const left = new Map(returned.map(({ orderLineId, quantity }) => [orderLineId, quantity ?? Number.POSITIVE_INFINITY]))
  return held.flatMap((each) => {
    const wanted = left.get(each.orderLineId) ?? 0
    const quantity = Math.min(each.quantity, wanted)
    left.set(each.orderLineId, wanted - quantity)
    return quantity > 0 ? [{ ...each, quantity }] : []
  })
}

/** Location to return units of a location to; null: the item has no levels. */
const homeOf = (stored: readonly StoredLevel[] | undefined, locationId: number | null): number | null =>
  stored?.find((level) => level.locationId === locationId)?.locationId ?? stored?.[0]?.locationId ?? null
