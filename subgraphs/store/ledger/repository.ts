import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import { type Amount, amountOf } from '../amount.ts'
import { countRows } from '../row-repository.ts'
import type { Tables } from '../tables.ts'
import type { LedgerEntry } from './ledger.ts'

/** An order as the ledger enters it. */
type Sold = { readonly id: number; readonly total: string; readonly currency: string }

export type LedgerRepository = ReturnType<typeof ledgerRepository>

/** Payments, refunds and what apps cost in the database; every call is about one store. */
export const ledgerRepository = (database: Kysely<Tables>) => ({
  /** Oldest first, one more than requested. */
  list: (storeId: number, { size, after, offset }: KeysetRange): Promise<LedgerEntry[]> =>
    database
      .selectFrom('ledger_entry')
      .select(['id', 'order_id as orderId', 'kind', 'amount', 'currency', 'created_at as createdAt'])
      .where('store_id', '=', storeId)
      .where('id', '>', after === null ? 0 : Number(after[0]))
      .orderBy('id')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  count: (storeId: number): Promise<number> => countRows(database, 'ledger_entry', storeId),

  /** Balance in a currency, as exact text. */
  async balance(storeId: number, currency: string): Promise<string> {
    const { balance } = await database
      .selectFrom('ledger_entry')
      .select(({ fn, val }) => fn.coalesce(fn.sum<string>('amount'), val('0')).as('balance'))
      .where('store_id', '=', storeId)
      .where('currency', '=', currency)
      .executeTakeFirstOrThrow()
    return balance
  },

  /** The same of stores, each in its own currency; none for one without entries. */
  ownBalances: (storeIds: readonly number[]): Promise<{ readonly storeId: number; readonly balance: string }[]> =>
    database
      .selectFrom('ledger_entry')
      .innerJoin('store', (join) =>
        join.onRef('store.id', '=', 'ledger_entry.store_id').onRef('store.currency', '=', 'ledger_entry.currency'),
      )
      .select(({ fn }) => ['store_id as storeId', fn.sum<string>('amount').as('balance')])
      .where('store_id', '=', anyOf(storeIds))
      .groupBy('store_id')
      .execute(),

  /** Whether the order was ever paid. */
  async isPaid(storeId: number, orderId: number): Promise<boolean> {
    const found = await database
      .selectFrom('ledger_entry')
      .select('id')
      .where('store_id', '=', storeId)
      .where('order_id', '=', orderId)
      .where('kind', '=', 'PAYMENT')
      .limit(1)
      .executeTakeFirst()
    return found !== undefined
  },

  /** Payments of an order together. */
  async paidOf(storeId: number, orderId: number): Promise<Amount> {
    const [found] = await this.sumsOf(storeId, [orderId])
    return amountOf(found?.paid ?? '0')
  },

  /** Payments less refunds of an order. */
  async netOf(storeId: number, orderId: number): Promise<Amount> {
    const [found] = await this.sumsOf(storeId, [orderId])
    return amountOf(found?.net ?? '0')
  },

  /** Payments of orders, and payments less refunds; none for orders without. */
  sumsOf: (
    storeId: number,
    orderIds: readonly number[],
  ): Promise<{ readonly orderId: number | null; readonly paid: string; readonly net: string }[]> =>
    database
      .selectFrom('ledger_entry')
      .select(({ fn }) => ['order_id as orderId', fn.sum<string>('amount').as('net')])
      .select(sql<string>`coalesce(sum(amount) FILTER (WHERE kind = 'PAYMENT'), 0)`.as('paid'))
      .where('store_id', '=', storeId)
      .where('order_id', '=', anyOf(orderIds))
      .groupBy('order_id')
      .execute(),

  /** Records the payment of a whole order. */
  pay: (storeId: number, { id, total, currency }: Sold, at: Date): Promise<void> =>
    enter(database, { store_id: storeId, order_id: id, kind: 'PAYMENT', amount: total, currency, created_at: at }),

  /** Part of an order went back; `amount` is above 0. */
  payBack: (storeId: number, { id, currency }: Sold, amount: string, at: Date): Promise<void> =>
    enter(database, { store_id: storeId, order_id: id, kind: 'REFUND', amount: `-${amount}`, currency, created_at: at }),

  /** Part of an order that went back came back to the store; `amount` is above 0. */
  returnRefund: (storeId: number, { id, currency }: Sold, amount: string, at: Date): Promise<void> =>
    enter(database, { store_id: storeId, order_id: id, kind: 'REFUND_FAILURE', amount, currency, created_at: at }),

  /** An app was paid for; `amount` is above 0. */
  payApp: (
    storeId: number,
    { amount, currency }: { readonly amount: string; readonly currency: string },
    at: Date,
  ): Promise<void> =>
    enter(database, { store_id: storeId, order_id: null, kind: 'APP_FEE', amount: `-${amount}`, currency, created_at: at }),
})

async function enter(
  database: Kysely<Tables>,
  entry: {
    readonly store_id: number
    readonly order_id: number | null
    readonly kind: LedgerEntry['kind']
    readonly amount: string
    readonly currency: string
    readonly created_at: Date
  },
): Promise<void> {
  await database.insertInto('ledger_entry').values(entry).execute()
}
