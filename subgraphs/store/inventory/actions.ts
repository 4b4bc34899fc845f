import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { UnitOfWork } from '../write.ts'
import { keyOf, MAX_STOCK, type StockItem } from './inventory.ts'
import { type Holder, inventoryRepository, type Moved } from './repository.ts'
import { notifyOfLevels } from './stock.ts'

type Named = {
  readonly productId: string
  readonly variantId?: string | null | undefined
  readonly locationId?: string | null | undefined
}

/** Sets the stock of an item at a location. */
export async function setInventoryLevel(
  unit: UnitOfWork,
  input: Named & { readonly locationId: string; readonly stock: number; readonly stockUnlimited?: boolean | null | undefined },
) {
  const found = await lockedItem(unit, input)
  if ('failure' in found) return found.failure
  const { holder, locationId } = found
  if (locationId === null) return notFoundError('location', input.locationId)
  const { query, storeId, now } = unit
  const inventory = inventoryRepository(query)
  const elsewhere = (await inventory.levels(storeId, [holder.productId]))
    .filter((level) => keyOf(level) === keyOf(holder) && level.locationId !== locationId)
    .reduce((sum, level) => sum + level.stock, 0)
  const isUnlimited = input.stockUnlimited ?? holder.isUnlimited
  if (!isUnlimited && (input.stock < 0 || input.stock + elsewhere > MAX_STOCK)) {
    return validationError([problem('stock', `0 to ${MAX_STOCK - elsewhere}`, input.stock)])
  }
  const stock = Math.min(Math.max(input.stock, 0), MAX_STOCK - elsewhere)
  const inventoryLevel = await inventory.set(storeId, locationId, holder, stock, now)
  await inventory.sumUp(storeId, [holder.productId])
  if (isUnlimited !== holder.isUnlimited) await inventory.setUnlimited(storeId, holder, isUnlimited)
  notify(unit, holder, { id: inventoryLevel, locationId })
  return { __typename: 'SetInventoryLevelSuccess' as const, inventoryLevel }
}

/** Adds pieces to a stock, or takes them away. */
export async function adjustInventory(unit: UnitOfWork, input: Named & { readonly delta: number }) {
  if (input.delta === 0 || Math.abs(input.delta) > MAX_STOCK) {
    return validationError([problem('delta', `-${MAX_STOCK} to ${MAX_STOCK}, and not 0`, input.delta)])
  }
  const found = await lockedItem(unit, input)
  if ('failure' in found) return found.failure
  const { holder, locationId } = found
  const { query, storeId, now } = unit
  const inventory = inventoryRepository(query)
  const levels = (await inventory.levels(storeId, [holder.productId])).filter((level) => keyOf(level) === keyOf(holder))
  if (locationId === null && levels.length > 0) {
    return validationError([problem('locationId', 'one of the locations, because its stock is kept per location', null)])
  }
  const before = locationId === null ? holder.stock : (levels.find((level) => level.locationId === locationId)?.stock ?? 0)
  const elsewhere = levels.filter((level) => level.locationId !== locationId).reduce((sum, level) => sum + level.stock, 0)
  const after = before + input.delta
  if (after < 0) return insufficientStock([{ ...itemOf(holder), wanted: -input.delta, available: before }])
  if (after + elsewhere > MAX_STOCK) {
    return validationError([problem('delta', `at most ${MAX_STOCK - elsewhere - before}`, input.delta)])
  }

  const inventoryLevel = locationId === null ? null : await inventory.set(storeId, locationId, holder, after, now)
  if (locationId === null) await inventory.addToHolders(storeId, [{ ...itemOf(holder), locationId, delta: input.delta }])
  else await inventory.sumUp(storeId, [holder.productId])
  notify(unit, holder, inventoryLevel === null || locationId === null ? null : { id: inventoryLevel, locationId })
  return { __typename: 'AdjustInventorySuccess' as const, stock: after + elsewhere, inventoryLevel }
}

/** An `InsufficientStock` of the schema; `shortages` is not empty. */
export const insufficientStock = (
  shortages: readonly (StockItem & { readonly wanted: number; readonly available: number })[],
) => ({
  __typename: 'InsufficientStock' as const,
  message: shortages
    .map(({ productId, variantId, wanted, available }) => {
      const what = variantId === null ? `product ${productId}` : `variant ${variantId} of product ${productId}`
      return `Expected ${wanted} of ${what} in stock, but there are ${available}.`
    })
    .join(' '),
  items: shortages.map(({ productId, variantId, wanted, available }) => ({
    productNumber: productId,
    variantNumber: variantId,
    wanted,
    available,
  })),
})

/** What an input names, locked: an item of this store, and a location or none. */
async function lockedItem({ query, storeId }: UnitOfWork, { productId, variantId, locationId }: Named) {
  const location = locationId == null ? null : (decodeId(locationId, 'Location') ?? 0)
  if (location !== null) {
    const exists = await inventoryRepository(query).hasLocation(storeId, location)
    if (!exists) return { failure: notFoundError('location', locationId ?? '') }
  }
  const product = decodeId(productId, 'Product') ?? 0
  const holders = await inventoryRepository(query).lock(storeId, [product])
  const own = holders.find((holder) => holder.variantId === null)
  if (!own) return { failure: notFoundError('product', productId) }
  if (variantId == null) {
    if (!own.hasVariants) return { holder: own, locationId: location }
    return { failure: validationError([problem('variantId', 'one of the variants, because the product has some', null)]) }
  }
  const row = decodeId(variantId, 'ProductVariant')
  const holder = holders.find((each) => each.variantId === row)
  return row === null || !holder
    ? { failure: notFoundError('variant of this product', variantId) }
    : { holder, locationId: location }
}

const itemOf = ({ productId, variantId }: Holder): StockItem => ({ productId, variantId })

/** Emits the stock of an item, and the level at the changed location. */
function notify(unit: UnitOfWork, { productId }: StockItem, level: Omit<Moved, 'productId'> | null): void {
  unit.emit({ event: 'product_stock_updated', entity: 'Product', id: productId })
  if (level) notifyOfLevels(unit, [{ ...level, productId }])
}
