import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { insufficientStock } from '../inventory/actions.ts'
import { keyOf, MAX_STOCK } from '../inventory/inventory.ts'
import { inventoryRepository } from '../inventory/repository.ts'
import { lockStock, moveStock } from '../inventory/stock.ts'
import { locationRepository } from '../location/repository.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import {
  type InventoryTransfer,
  type InventoryTransferLine,
  inTransit,
  MAX_OPEN_TRANSFERS,
  notAllowed,
  productsOf,
  type ReceivedTransferLine,
  receiptsOf,
  type TransferLineInput,
  transferItems,
  transferProblems,
} from './inventory-transfer.ts'
import { inventoryTransferRepository } from './repository.ts'

const success = (inventoryTransfer: number) => ({ __typename: 'InventoryTransferSuccess' as const, inventoryTransfer })

/** Writes down a transfer; no stock moves. */
export async function createInventoryTransfer(
  { query, storeId, now }: UnitOfWork,
  input: {
    readonly sourceId: string
    readonly destinationId: string
    readonly lines: readonly TransferLineInput[]
    readonly note?: string | null | undefined
  },
) {
  const problems = transferProblems(input)
  if (problems.length > 0) return validationError(problems)
  const [sourceId, destinationId] = [decodeId(input.sourceId, 'Location') ?? 0, decodeId(input.destinationId, 'Location') ?? 0]
  if (sourceId === destinationId && sourceId !== 0)
    return validationError([problem('destinationId', 'another location than the source', input.destinationId)])
  const locations = locationRepository(query)
  // Against deletions of locations, and other transfers of this store: they are counted.
  await locations.lock(storeId)
  const known = new Set((await locations.findByIds(storeId, [sourceId, destinationId])).map(({ id }) => id))
  if (!known.has(sourceId)) return notFoundError('location', input.sourceId)
  if (!known.has(destinationId)) return notFoundError('location', input.destinationId)
  const found = transferItems(input.lines, await inventoryRepository(query).holders(storeId, productsOf(input.lines)))
  if ('missing' in found) return notFoundError(found.missing, found.id)
  if ('problems' in found) return validationError(found.problems)
  const fields = { sourceId, destinationId, note: input.note?.trim() ? input.note : null }
  const bounds = { at: now, maxOpen: MAX_OPEN_TRANSFERS }
  const id = await inventoryTransferRepository(query).insert(storeId, fields, found.items, bounds)
  return id === null
    ? conflictError(`Expected at most ${MAX_OPEN_TRANSFERS} open transfers: receive or cancel one first.`)
    : success(id)
}

/** Sends a draft: its units leave the source. */
export async function sendInventoryTransfer(unit: UnitOfWork, id: string, input: Versioned) {
  const found = await lockTransfer(unit, id, input)
  if ('failure' in found) return found.failure
  const { transfer, lines } = found
  if (transfer.status !== 'DRAFT') return notAllowed(transfer.status, 'DRAFT')
  const { holders, stored } = await lockStock(
    unit,
    lines.map(({ productId }) => productId),
  )
  const known = new Map(holders.map((holder) => [keyOf(holder), holder]))
  const at = new Map(
    stored.filter(({ locationId }) => locationId === transfer.sourceId).map((level) => [keyOf(level), level.stock]),
  )
  const short = lines
    .map((line) => ({ ...line, wanted: line.quantity, available: known.has(keyOf(line)) ? (at.get(keyOf(line)) ?? 0) : 0 }))
    .filter(({ wanted, available }) => available < wanted)
  if (short.length > 0) return insufficientStock(short)
  const unlimited = lines.find((line) => known.get(keyOf(line))?.isUnlimited)
  if (unlimited) return validationError([problem('id', 'a transfer of items with limited stock', unlimited.productId)])
  await moveStock(
    unit,
    lines.map((line) => ({ ...itemOf(line), locationId: transfer.sourceId, delta: -line.quantity })),
  )
  return moved(unit, transfer, 'IN_TRANSIT')
}

/** Receives units that are in transit. */
export async function receiveInventoryTransfer(
  unit: UnitOfWork,
  id: string,
  input: { readonly expectedVersion: number; readonly lines?: readonly ReceivedTransferLine[] | null | undefined },
) {
  const found = await lockTransfer(unit, id, input)
  if ('failure' in found) return found.failure
  const { transfer, lines } = found
  if (transfer.status !== 'IN_TRANSIT') return notAllowed(transfer.status, 'IN_TRANSIT')
  const checked = receiptsOf(lines, input.lines ?? null)
  if ('problems' in checked) return validationError(checked.problems)
  const { receipts } = checked
  const arrived = receipts.map(({ line, received }) => ({ line, units: received }))
  const refusal = await put(unit, transfer.destinationId, arrived)
  if (refusal) return refusal
  await inventoryTransferRepository(unit.query).receive(unit.storeId, transfer.id, receipts)
  const open = lines.reduce((sum, line) => sum + inTransit(line), 0)
  const accounted = receipts.reduce((sum, { received, missing }) => sum + received + missing, 0)
  return moved(unit, transfer, accounted === open ? 'RECEIVED' : 'IN_TRANSIT')
}

/** Cancels a transfer; what is in transit goes back to the source. */
export async function cancelInventoryTransfer(unit: UnitOfWork, id: string, input: Versioned) {
  const found = await lockTransfer(unit, id, input)
  if ('failure' in found) return found.failure
  const { transfer, lines } = found
  if (transfer.status === 'CANCELED') return success(transfer.id)
  if (transfer.status === 'RECEIVED') return notAllowed(transfer.status, 'DRAFT or IN_TRANSIT')
  if (transfer.status === 'IN_TRANSIT') {
    const back = lines.map((line) => ({ line, units: inTransit(line) }))
    const refusal = await put(unit, transfer.sourceId, back)
    if (refusal) return refusal
    await inventoryTransferRepository(unit.query).returnRest(unit.storeId, transfer.id)
  }
  return moved(unit, transfer, 'CANCELED')
}

/**
 * Adds units to the stock at a location. Units of an item that was deleted count nowhere. Null, or
 * why it is not possible: nothing is written then.
 */
async function put(
  unit: UnitOfWork,
  locationId: number | null,
  parts: readonly { readonly line: InventoryTransferLine; readonly units: number }[],
) {
  const { query, storeId, now } = unit
  const given = parts.filter(({ units }) => units > 0)
  const { holders } = await lockStock(
    unit,
    given.map(({ line }) => line.productId),
  )
  const known = new Map(holders.map((holder) => [keyOf(holder), holder]))
  const changes = given
    .filter(({ line }) => known.has(keyOf(line)))
    .map(({ line, units }) => ({ ...itemOf(line), locationId, delta: units }))
  const full = changes.find((change) => (known.get(keyOf(change))?.stock ?? 0) + change.delta > MAX_STOCK)
  if (full) return validationError([problem('lines', `units with which the stock is at most ${MAX_STOCK}`, full.delta)])
  // An open transfer has both of its locations: they cannot be deleted.
  if (locationId !== null) await inventoryRepository(query).ensure(storeId, locationId, changes, now)
  await moveStock(unit, changes)
  return null
}

/** A transfer and its lines, locked, with the version that is expected. */
async function lockTransfer({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const transfers = inventoryTransferRepository(query)
  const transfer = await transfers.lock(storeId, decodeId(id, 'InventoryTransfer') ?? 0)
  if (!transfer) return { failure: notFoundError('inventory transfer', id) }
  const stale = staleVersion(expectedVersion, transfer.version)
  return stale ? { failure: stale } : { transfer, lines: await transfers.linesOf(storeId, [transfer.id]) }
}

async function moved({ query, storeId, now }: UnitOfWork, { id }: InventoryTransfer, status: InventoryTransfer['status']) {
  await inventoryTransferRepository(query).move(storeId, id, { status, at: now })
  return success(id)
}

const itemOf = ({ productId, variantId }: InventoryTransferLine) => ({ productId, variantId })
