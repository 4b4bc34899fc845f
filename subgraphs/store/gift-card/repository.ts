import { type Kysely, sql } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { amountOf, textOf } from '../amount.ts'
import { countRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { GiftCard, GiftCardShare, GiftCardTransaction } from './gift-card.ts'

const COLUMNS = [
  'id',
  'last_four as lastFour',
  'currency',
  'issued',
  'balance',
  'expires_at as expiresAt',
  'disabled_at as disabledAt',
  'note',
  'created_at as createdAt',
] as const

export type GiftCardRepository = ReturnType<typeof giftCardRepository>

/** Gift cards and their ledger in the database; every call is about one store. */
export const giftCardRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  async findByIds(storeId: number, ids: readonly number[]): Promise<GiftCard[]> {
    if (ids.length === 0) return []
    return database.selectFrom('gift_card').select(COLUMNS).where('store_id', '=', storeId).where('id', 'in', ids).execute()
  },

  /**
   * The same, locked until the transaction ends, in the order of their ids: two orders with the same
   * cards do not wait for each other.
   */
  async lock(storeId: number, ids: readonly number[]): Promise<GiftCard[]> {
    if (ids.length === 0) return []
    return database
      .selectFrom('gift_card')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', 'in', ids)
      .orderBy('id')
      .forNoKeyUpdate()
      .execute()
  },

  /** The card with this hash of a code; null when there is none. */
  async byCode(storeId: number, codeHash: Buffer): Promise<GiftCard | null> {
    const found = await database
      .selectFrom('gift_card')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('code_hash', '=', codeHash)
      .executeTakeFirst()
    return found ?? null
  },

  /** Oldest first, one more than requested. */
  list: (storeId: number, { size, after, offset }: KeysetRange): Promise<GiftCard[]> =>
    database
      .selectFrom('gift_card')
      .select(COLUMNS)
      .where('store_id', '=', storeId)
      .where('id', '>', after === null ? 0 : Number(after[0]))
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  count: (storeId: number): Promise<number> => countRows(database, 'gift_card', storeId),

  /** Ledgers of several cards, oldest first, of each one entry more than requested. */
  async transactionsOf(
    storeId: number,
    giftCardIds: readonly number[],
    { size, after, offset }: KeysetRange,
  ): Promise<GiftCardTransaction[]> {
    const { rows } = await sql<GiftCardTransaction>`
      SELECT found.id, found.gift_card_id AS "giftCardId", found.kind, found.amount, found.order_id AS "orderId",
        found.created_at AS "createdAt"
      FROM unnest(${giftCardIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT * FROM gift_card_transaction
        WHERE store_id = ${storeId} AND gift_card_id = requested.id AND id > ${after === null ? 0 : Number(after[0])}
        ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
      ) AS found
      ORDER BY found.id`.execute(database)
    return rows
  },

  /** Entries of these ledgers; without cards that do not exist. */
  async transactionCounts(
    storeId: number,
    giftCardIds: readonly number[],
  ): Promise<{ readonly giftCardId: number; readonly count: number }[]> {
    const rows = await database
      .selectFrom('gift_card_transaction')
      .select(({ fn }) => ['gift_card_id as giftCardId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('gift_card_id', 'in', giftCardIds)
      .groupBy('gift_card_id')
      .execute()
    return rows.map(({ giftCardId, count }) => ({ giftCardId, count: Number(count) }))
  },

  /** Null when another card of the store has the code. */
  async insert(
    storeId: number,
    codeHash: Buffer,
    card: Pick<GiftCard, 'lastFour' | 'currency' | 'expiresAt' | 'note'> & { readonly amount: string },
    at: Date,
  ): Promise<number | null> {
    const { lastFour, currency, amount, expiresAt, note } = card
    const inserted = await database
      .insertInto('gift_card')
      .values({
        ...{ store_id: storeId, code_hash: codeHash, last_four: lastFour, currency, issued: amount, balance: amount },
        ...{ expires_at: expiresAt, note, created_at: at },
      })
      .onConflict((conflict) => conflict.columns(['store_id', 'code_hash']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!inserted) return null
    await database
      .insertInto('gift_card_transaction')
      .values({ store_id: storeId, gift_card_id: inserted.id, kind: 'ISSUE', amount, created_at: at })
      .execute()
    return inserted.id
  },

  /** Whether there is one; one that is disabled already keeps its time. */
  async disable(storeId: number, id: number, at: Date): Promise<boolean> {
    const { numUpdatedRows } = await database
      .updateTable('gift_card')
      .set(({ fn, val }) => ({ disabled_at: fn.coalesce('disabled_at', val(at)) }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  /** Changes the balances of locked cards, and enters it; amounts are above 0, without a sign. */
  async enter(
    storeId: number,
    entry: { readonly kind: 'REDEMPTION' | 'RETURN'; readonly orderId: number; readonly at: Date },
    shares: readonly GiftCardShare[],
  ): Promise<void> {
    if (shares.length === 0) return
    const ids = shares.map(({ giftCardId }) => giftCardId)
    const amounts = shares.map(({ amount }) => textOf(entry.kind === 'REDEMPTION' ? -amount : amount))
    await sql`
      WITH share (id, amount) AS (SELECT * FROM unnest(${ids}::integer[], ${amounts}::numeric[])),
        changed AS (
          UPDATE gift_card SET balance = balance + share.amount FROM share WHERE store_id = ${storeId} AND gift_card.id = share.id
        )
      INSERT INTO gift_card_transaction (store_id, gift_card_id, kind, amount, order_id, created_at)
      SELECT ${storeId}, id, ${entry.kind}, amount, ${entry.orderId}, ${entry.at} FROM share`.execute(database)
  },

  /** What cards paid of an order and have not got back, in the order in which they paid. */
  async unreturnedBy(storeId: number, orderId: number): Promise<GiftCardShare[]> {
    const rows = await database
      .selectFrom('gift_card_transaction')
      .select(({ fn }) => ['gift_card_id as giftCardId', fn.sum<string>('amount').as('amount')])
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .groupBy('gift_card_id')
      .orderBy((order) => order.fn.min('id'))
      .execute()
    return rows.map(({ giftCardId, amount }) => ({ giftCardId, amount: -amountOf(amount) }))
  },
})
