import type { StoreQuery, UnitOfWork } from '../write.ts'
import { allocationRepository, type StoredAllocation } from './allocation-repository.ts'
import { type Allocation, allocate, keyOf, type Shortage, type StockItem } from './inventory.ts'
import { type Holder, inventoryRepository, type LevelChange, type Moved, type StoredLevel } from './repository.ts'

/** Pieces that somebody wants. */
export type WantedStock = StockItem & { readonly quantity: number }

/**
 * Pieces that a line of an order wants. Lines of things that do not exist, or never run out, hold
 * nothing.
 */
export type WantedLineStock = WantedStock & {
  readonly orderLineId: number
  /** Where they are taken from if that has enough; null: wherever they are. */
  readonly preferredLocationId: number | null
}

/** Pieces of what a line holds; `quantity` null: all of them. */
export type ReturnedStock = { readonly orderLineId: number; readonly quantity: number | null }

/** The stock of products while nobody else can change it. */
export type LockedStock = { readonly holders: readonly Holder[]; readonly stored: readonly StoredLevel[] }

/** Keeps everybody else from the stock of products until the transaction ends. */
export async function lockStock(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  products: readonly number[],
): Promise<LockedStock> {
  const inventory = inventoryRepository(query)
  const productIds = [...new Set(products)]
  if (productIds.length === 0) return { holders: [], stored: [] }
  // What is kept is read when all is locked.
  const [holders, stored] = await Promise.all([inventory.lock(storeId, productIds), inventory.levels(storeId, productIds)])
  return { holders, stored }
}

/**
 * Takes what lines of orders want out of the stock of their products, all of it or nothing: what is
 * short is told, in the order it was wanted. Two lines of one item share its stock.
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
    apply(
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

/** What there is too little of at this moment; nothing is taken. */
export async function shortagesNow({ query, storeId }: StoreQuery, wanted: readonly WantedStock[]): Promise<readonly Shortage[]> {
  const inventory = inventoryRepository(query)
  const productIds = [...new Set(wanted.map(({ productId }) => productId))]
  if (productIds.length === 0) return []
  const [holders, stored] = await Promise.all([inventory.holders(storeId, productIds), inventory.levels(storeId, productIds)])
  const preferring = wanted.map((want) => ({ ...want, preferredLocationId: null }))
  return takenFrom(holders, stored, preferring).shortages
}

/**
 * Puts back what lines of orders hold, where it came from; the main location stands in for one that
 * is gone. Of a line that holds less than it is to give back, all is put back.
 */
export async function releaseStock(unit: UnitOfWork, returned: readonly ReturnedStock[]): Promise<void> {
  if (returned.length === 0) return
  const { query, storeId } = unit
  const allocations = allocationRepository(query)
  const lines = returned.map(({ orderLineId }) => orderLineId)
  const productIds = [...new Set((await allocations.heldBy(storeId, lines)).map(({ productId }) => productId))]
  if (productIds.length === 0) return
  // What they hold is read again: another transaction may have put it back while this one waited.
  const [locked, held] = await Promise.all([lockStock(unit, productIds), allocations.heldBy(storeId, lines)])
  const holders = new Set(locked.holders.map(keyOf))
  const levels = Map.groupBy(locked.stored, keyOf)
  const parts = partsOf(held, returned)
  const changes = parts
    .filter((each) => holders.has(keyOf(each)))
    .map(({ productId, variantId, locationId, quantity }) => ({
      productId,
      variantId,
      locationId: homeOf(levels.get(keyOf({ productId, variantId })), locationId),
      delta: quantity,
    }))
  await Promise.all([apply(unit, changes), allocations.release(storeId, parts)])
}

/**
 * After a product or variant was given a stock where that is kept per location: the main location
 * gets the difference, and others give what it lacks.
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

/** Tells of stock at locations that has changed. */
export function notifyOfLevels({ emit }: Pick<UnitOfWork, 'emit'>, moved: readonly Moved[]): void {
  for (const { id, productId, locationId } of moved) {
    emit({ event: 'inventory_level_changed', entity: 'Product', id: productId, inventoryLevelId: id, locationId })
  }
}

/**
 * Before a location goes: its products are locked. What is given back makes them say what is left
 * elsewhere, once it is gone: with the last location, nothing.
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

async function apply(unit: UnitOfWork, changes: readonly LevelChange[]): Promise<void> {
  const { query, storeId, now, emit } = unit
  const inventory = inventoryRepository(query)
  const [moved] = await Promise.all([inventory.addToLevels(storeId, changes, now), inventory.addToHolders(storeId, changes)])
  for (const productId of new Set(changes.map(({ productId }) => productId))) {
    emit({ event: 'product_stock_updated', entity: 'Product', id: productId })
  }
  notifyOfLevels(unit, moved)
}

/**
 * Pieces per location that may be taken from, the first to be asked first; null stands for an item
 * without levels.
 */
const stockOf = (own: number, cached: readonly StoredLevel[] | undefined): Map<number | null, number> =>
  cached
    ? new Map(cached.filter(({ isSource }) => isSource).map(({ locationId, stock }) => [locationId, stock]))
    : new Map([[null, own]])

/**
 * What wants take from where, and what there is too little of. Wants of one item share its stock.
 */
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

/**
 * Where pieces that came from a location go back to; null: the item's stock is not kept per
 * location.
 */
const homeOf = (stored: readonly StoredLevel[] | undefined, locationId: number | null): number | null =>
  stored?.find((level) => level.locationId === locationId)?.locationId ?? stored?.[0]?.locationId ?? null
