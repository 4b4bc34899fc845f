import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import type { DraftContents, DraftOrder, DraftOrderStatus } from './draft-order.ts'

const COLUMNS = [
  'id',
  'status',
  'contents',
  'currency',
  'total',
  'order_id as orderId',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

/** What is written of a draft when it changes. */
type Written = Pick<DraftOrder, 'contents' | 'currency' | 'total'> & {
  readonly emailKey: string | null
  readonly customerId: number | null
}

export type DraftOrderRepository = ReturnType<typeof draftOrderRepository>

/** Draft orders in the database; every call is about one store. */
export const draftOrderRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: async (storeId: number, ids: readonly number[]): Promise<DraftOrder[]> =>
    (await drafts(database, storeId).where('id', '=', anyOf(ids)).execute()).map(draftOf),

  /** Oldest first, one more than requested; null: with any status. */
  list: async (
    storeId: number,
    status: readonly DraftOrderStatus[] | null,
    { size, after, offset }: KeysetRange,
  ): Promise<DraftOrder[]> =>
    (
      await drafts(database, storeId)
        .$if(status !== null, (query) => query.where(isOneOf(status ?? [])))
        .where('id', '>', after === null ? 0 : Number(after[0]))
        .orderBy('id')
        .limit(size + 1)
        .offset(offset)
        .execute()
    ).map(draftOf),

  async count(storeId: number, status: readonly DraftOrderStatus[] | null): Promise<number> {
    const { count } = await database
      .selectFrom('draft_order')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .$if(status !== null, (query) => query.where(isOneOf(status ?? [])))
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** The row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<DraftOrder | null> {
    const found = await drafts(database, storeId).where('id', '=', id).forUpdate().executeTakeFirst()
    return found ? draftOf(found) : null
  },

  async insert(storeId: number, draft: Written, at: Date): Promise<number> {
    const { id } = await database
      .insertInto('draft_order')
      .values({ ...columnsOf(draft), store_id: storeId, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  update: (storeId: number, id: number, draft: Written, at: Date): Promise<void> =>
    change(database, storeId, id, columnsOf(draft), at),

  /** Ends a draft, as the order that it became or without one. */
  end: (storeId: number, id: number, status: DraftOrderStatus, orderId: number | null, at: Date): Promise<void> =>
    change(database, storeId, id, { status, order_id: orderId }, at),
})

const drafts = (database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('draft_order').select(COLUMNS).where('store_id', '=', storeId)

/** Clients may give an empty list, for which SQL has no `IN`: no draft matches. */
const isOneOf = (status: readonly DraftOrderStatus[]) => sql<boolean>`status = ANY (${status}::text[])`

const columnsOf = ({ contents, currency, total, emailKey, customerId }: Written) => ({
  contents: JSON.stringify(contents),
  currency,
  total,
  email_key: emailKey,
  customer_id: customerId,
})

async function change(
  database: Kysely<Tables>,
  storeId: number,
  id: number,
  columns: Partial<ReturnType<typeof columnsOf>> & { readonly status?: DraftOrderStatus; readonly order_id?: number | null },
  at: Date,
): Promise<void> {
  await database
    .updateTable('draft_order')
    .set((set) => ({ ...columns, updated_at: at, version: set('version', '+', 1) }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute()
}

/** A row as it is read: its contents are written by us only, complete. */
const draftOf = (row: Omit<DraftOrder, 'contents'> & { readonly contents: unknown }): DraftOrder => ({
  ...row,
  // The column holds what this noun writes.
  contents: row.contents as DraftContents,
})
