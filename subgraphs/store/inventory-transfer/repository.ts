import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { StockItem } from '../inventory/inventory.ts'
import type { Tables } from '../tables.ts'
import type { InventoryTransfer, InventoryTransferLine, InventoryTransferStatus, Receipt } from './inventory-transfer.ts'

const COLUMNS = [
  'id',
  'status',
  'source_id as sourceId',
  'destination_id as destinationId',
  'note',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'sent_at as sentAt',
  'finished_at as finishedAt',
  'version',
] as const

export type InventoryTransferRepository = ReturnType<typeof inventoryTransferRepository>

/** Inventory transfers in the database; every call is about one store. */
export const inventoryTransferRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<InventoryTransfer[]> =>
    transfers(database, storeId).where('id', '=', anyOf(ids)).execute(),

  /** Newest first, one more than requested; null: with any status. */
  list: (
    storeId: number,
    status: readonly InventoryTransferStatus[] | null,
    { size, after, offset }: KeysetRange,
  ): Promise<InventoryTransfer[]> =>
    transfers(database, storeId)
      .$if(status !== null, (query) => query.where(sql<boolean>`status = ANY(${status}::text[])`))
      .$if(after !== null, (query) => query.where('id', '<', Number(after?.[0])))
      .orderBy('id', 'desc')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  async count(storeId: number, status: readonly InventoryTransferStatus[] | null): Promise<number> {
    const { count } = await database
      .selectFrom('inventory_transfer')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .$if(status !== null, (query) => query.where(sql<boolean>`status = ANY(${status}::text[])`))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The row until the transaction ends; null when there is none. */
  lock: async (storeId: number, id: number): Promise<InventoryTransfer | null> =>
    (await transfers(database, storeId).where('id', '=', id).forUpdate().executeTakeFirst()) ?? null,

  /** Lines of transfers, in the order of the input. */
  linesOf: (storeId: number, transferIds: readonly number[]): Promise<InventoryTransferLine[]> =>
    database
      .selectFrom('inventory_transfer_line')
      .select([
        'id',
        'transfer_id as transferId',
        'product_id as productId',
        'variant_id as variantId',
        ...(['quantity', 'received', 'missing', 'returned', 'reason'] as const),
      ])
      .where('store_id', '=', storeId)
      .where('transfer_id', '=', anyOf(transferIds))
      .orderBy('transfer_id')
      .orderBy('id')
      .execute(),

  /** Writes a draft; null: the store has as many open transfers as it may. Locations are locked. */
  async insert(
    storeId: number,
    {
      sourceId,
      destinationId,
      note,
    }: { readonly sourceId: number; readonly destinationId: number; readonly note: string | null },
    items: readonly (StockItem & { readonly quantity: number })[],
    { at, maxOpen }: { readonly at: Date; readonly maxOpen: number },
  ): Promise<number | null> {
    const { open } = await database
      .selectFrom('inventory_transfer')
      .select(({ fn }) => fn.countAll<string>().as('open'))
      .where('store_id', '=', storeId)
      .where('finished_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (Number(open) >= maxOpen) return null
    const { id } = await database
      .insertInto('inventory_transfer')
      .values({ store_id: storeId, source_id: sourceId, destination_id: destinationId, note, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    await database
      .insertInto('inventory_transfer_line')
      .values(
        items.map(({ productId, variantId, quantity }) => ({
          store_id: storeId,
          transfer_id: id,
          product_id: productId,
          variant_id: variantId,
          quantity,
        })),
      )
      .execute()
    return id
  },

  /** Gives a locked transfer a status, with the time when it is sent or ends. */
  async move(
    storeId: number,
    id: number,
    { status, at }: { readonly status: InventoryTransferStatus; readonly at: Date },
  ): Promise<void> {
    await database
      .updateTable('inventory_transfer')
      .set((set) => ({
        status,
        updated_at: at,
        version: set('version', '+', 1),
        ...(status === 'IN_TRANSIT' && { sent_at: set.fn.coalesce('sent_at', set.val(at)) }),
        ...((status === 'RECEIVED' || status === 'CANCELED') && { finished_at: at }),
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Adds what arrived and what is missing to the lines of a locked transfer. */
  async receive(storeId: number, transferId: number, receipts: readonly Receipt[]): Promise<void> {
    await sql`
      UPDATE inventory_transfer_line AS line SET received = line.received + part.received, missing = line.missing + part.missing,
        reason = coalesce(part.reason, line.reason)
      FROM unnest(${receipts.map(({ line }) => line.id)}::integer[], ${receipts.map(({ received }) => received)}::integer[],
        ${receipts.map(({ missing }) => missing)}::integer[], ${receipts.map(({ reason }) => reason)}::text[]) AS part (id, received, missing, reason)
      WHERE line.store_id = ${storeId} AND line.transfer_id = ${transferId} AND line.id = part.id`.execute(database)
  },

  /** All units of a locked transfer that are in transit have gone back. */
  async returnRest(storeId: number, transferId: number): Promise<void> {
    await database
      .updateTable('inventory_transfer_line')
      .set({ returned: sql`quantity - received - missing` })
      .where('store_id', '=', storeId)
      .where('transfer_id', '=', transferId)
      .execute()
  },
})

const transfers = (database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('inventory_transfer').select(COLUMNS).where('store_id', '=', storeId)
