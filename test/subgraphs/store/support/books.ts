import { expect } from 'vitest'
import type { StoreStack } from './store.ts'

type Books = Readonly<Record<'authorized' | 'captured' | 'voided' | 'refunded' | 'failed' | 'entered' | 'foreign', number>>

/**
 * Expects that the books of every order balance: authorized = captured + voided + open, captured =
 * refunded + remaining, and the ledger has no entry of another currency and pays back no more than came.
 * `throughGateway`: nothing was paid or paid back by hand, so the ledger less what remains is zero.
 */
export async function expectBalancedBooks(
  { sql }: Pick<StoreStack, 'sql'>,
  { throughGateway = false }: { readonly throughGateway?: boolean } = {},
): Promise<void> {
  const orders = await sql(
    `SELECT "order".id, sums.*, entries.* FROM store."order"
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS payments, coalesce(sum(authorized), 0)::float8 AS authorized, coalesce(sum(captured), 0)::float8 AS captured,
         coalesce(sum(voided), 0)::float8 AS voided, coalesce(sum(refunded), 0)::float8 AS refunded, coalesce(sum(refunds_failed), 0)::float8 AS failed
       FROM store.payment WHERE payment.store_id = "order".store_id AND order_id = "order".id) sums
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(amount), 0)::float8 AS entered, count(*) FILTER (WHERE ledger_entry.currency <> "order".currency)::int AS foreign
       FROM store.ledger_entry WHERE ledger_entry.store_id = "order".store_id AND order_id = "order".id) entries`,
  )
  for (const { id, payments, ...books } of orders) {
    const { authorized, captured, voided, refunded, failed, entered, foreign } = books as Books
    const open = authorized - captured - voided
    const remaining = captured - (refunded - failed)
    const of = `order ${id}: ${JSON.stringify(books)}`
    for (const amount of [open, remaining, entered]) expect(amount, of).toBeGreaterThanOrEqual(-1e-9)
    expect(foreign, of).toBe(0)
    if (throughGateway && Number(payments) > 0) expect(entered - remaining, of).toBeCloseTo(0, 4)
  }
}
