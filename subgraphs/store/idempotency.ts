import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { badInput } from '../../platform/graphql/errors.ts'
import type { Tables } from './tables.ts'

/** A mutation with an idempotency key: `fingerprint` is the SHA-256 hash of its name and input. */
export type IdempotentRequest = { readonly storeId: number; readonly key: string; readonly fingerprint: Buffer }

/** Result of a mutation as plain JSON: rows by their ids, so that it can be stored and returned again. */
export type MutationResult = { readonly __typename: string }

/** Hours for which a key is stored; the same key later is a new request. */
const KEY_LIFETIME_HOURS = 24
const MAX_KEY_LENGTH = 255

/** The request with its fingerprint; null without a key. Throws BAD_USER_INPUT for an invalid key. */
export function idempotentRequest(
  storeId: number,
  { name, input, key }: { readonly name: string; readonly input: unknown; readonly key: string | null | undefined },
): IdempotentRequest | null {
  if (key == null) return null
  if (key.length === 0 || key.length > MAX_KEY_LENGTH || !/^[\x20-\x7e]*$/.test(key)) {
    throw badInput('idempotencyKey', `1 to ${MAX_KEY_LENGTH} printable ASCII characters`, key)
  }
  return {
    storeId,
    key,
    fingerprint: createHash('sha256')
      .update(JSON.stringify([name, input]))
      .digest(),
  }
}

/**
 * Inserts the key, or returns the result stored under it: `new`, `other` for a key of another
 * request, or the result. Waits for another transaction that holds the key.
 */
export async function reserveKey(
  query: Transaction<Tables>,
  { storeId, key, fingerprint }: IdempotentRequest,
  now: Date,
): Promise<'new' | 'other' | MutationResult> {
  const { rows } = await sql`
    INSERT INTO idempotency_key AS kept (store_id, key, fingerprint, created_at) VALUES (${storeId}, ${key}, ${fingerprint}, ${now})
    ON CONFLICT (store_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, outcome = NULL, created_at = excluded.created_at
      WHERE kept.created_at < ${new Date(now.getTime() - KEY_LIFETIME_HOURS * 3_600_000)}
    RETURNING 1`.execute(query)
  if (rows.length > 0) return 'new'
  const stored = await query
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'outcome'])
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  // The column holds what `storeResult` writes.
  return stored.fingerprint.equals(fingerprint) ? (stored.outcome as MutationResult) : 'other'
}

/** Stores the result under a key that `reserveKey` inserted. */
export const storeResult = (query: Transaction<Tables>, { storeId, key }: IdempotentRequest, result: MutationResult) =>
  query
    .updateTable('idempotency_key')
    .set({ outcome: JSON.stringify(result) })
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .execute()
