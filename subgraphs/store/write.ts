import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { transaction } from '../../platform/database/transaction.ts'
import { appendAll } from '../../platform/events/outbox.ts'
import { badInput } from '../../platform/graphql/errors.ts'
import type { SecretCipher } from '../../platform/secrets/cipher.ts'
import { deliveredOf, type StoreEvent, topicOf } from './events.ts'
import type { Tables } from './tables.ts'

/** One change of one store: a transaction, and what belongs to it. */
export type UnitOfWork = {
  readonly query: Transaction<Tables>
  readonly storeId: number
  readonly now: Date
  /** Tells of an event if and only if the transaction commits. */
  readonly emit: (event: StoreEvent) => void
  /** What secrets of the store are encrypted with. */
  readonly secrets: SecretCipher
}

/** One store's rows, within a change or not. */
export type StoreQuery = { readonly query: Kysely<Tables>; readonly storeId: number }

/**
 * What a mutation answers, as plain JSON: rows by their ids, so that it can be kept and told again.
 */
type Written = { readonly __typename: string }

/**
 * An outcome that is a failure, which undoes the transaction: the names that the schema gives to
 * failures.
 */
const isFailure = ({ __typename }: Written): boolean => !__typename.endsWith('Success')

/** For how long a key is remembered; a client that repeats later means something new. */
const REMEMBERED_HOURS = 24
const MAX_KEY_LENGTH = 255
/**
 * Two writers who lock each other, want the same permalink, or of whom one deletes what the other
 * refers to: how often one of them begins again.
 */
const MAX_ATTEMPTS = 5

/**
 * Undoes the transaction, and carries what is to be said instead. Not an Error: nothing is at
 * fault, and no stack is wanted.
 */
class RollbackSignal {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/**
 * Notes, in the transaction, to whom events have to be sent. They are in the order in which they
 * happened; there is at least one.
 */
export type Announce = (unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>, delivered: readonly StoreEvent[]) => Promise<void>

/**
 * Runs a change in one transaction: all of it, or, when its outcome is a failure, nothing. With an
 * idempotency key, a repetition changes nothing and has the outcome of the first; another input
 * under the same key is a conflict. `input` is what tells inputs apart. Throws BAD_USER_INPUT for a
 * key that is none.
 */
export async function write<Result extends Written>(
  database: Kysely<Tables>,
  {
    storeId,
    now,
    announce,
    secrets,
  }: { readonly storeId: number; readonly now: Date; readonly announce: Announce; readonly secrets: SecretCipher },
  { name, input, key }: { readonly name: string; readonly input: unknown; readonly key: string | null | undefined },
  change: (unit: UnitOfWork) => Promise<Result>,
): Promise<Result | ReturnType<typeof conflictError>> {
  if (key != null && (key.length === 0 || key.length > MAX_KEY_LENGTH || !/^[\x20-\x7e]*$/.test(key))) {
    throw badInput('idempotencyKey', `1 to ${MAX_KEY_LENGTH} printable ASCII characters`, key)
  }
  const fingerprint =
    key == null
      ? null
      : createHash('sha256')
          .update(JSON.stringify([name, input]))
          .digest()

  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(database, async (query) => {
        if (key != null && fingerprint) {
          const before = await reserve(query, { storeId, key, fingerprint, now })
          if (before === 'other') return conflictError('This idempotency key has been used for something else; take a new one.')
          // Written under the same key by the same mutation.
          if (before !== 'new') return before as Result
        }
        const events: StoreEvent[] = []
        const written = await change({ query, storeId, now, secrets, emit: (event) => void events.push(event) })
        if (isFailure(written)) throw new RollbackSignal(written)
        const sent = deliveredOf(events)
        await Promise.all([
          key != null && keep(query, { storeId, key, result: written }),
          sent.length > 0 && announce({ query, storeId, now }, sent),
          // Last: the topic stays locked until the commit.
          appendAll(query, topicOf(storeId), sent),
        ])
        return written
      })
    } catch (thrown) {
      // Written under the same key by the same mutation.
      if (thrown instanceof RollbackSignal) return thrown.result as Result
      if (attempt === MAX_ATTEMPTS || !isRetryable(thrown)) throw thrown
    }
  }
}

/**
 * Runs a part of a change that can fail for itself: when its outcome is a failure, what it did is
 * undone and the rest stays. Several in a row, not within each other.
 */
export async function withSavepoint<Result extends Written>(
  unit: UnitOfWork,
  change: (within: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const events: StoreEvent[] = []
  await sql`SAVEPOINT part`.execute(unit.query)
  const response = await change({ ...unit, emit: (event) => void events.push(event) })
  if (isFailure(response)) await sql`ROLLBACK TO SAVEPOINT part`.execute(unit.query)
  else for (const event of events) unit.emit(event)
  await sql`RELEASE SAVEPOINT part`.execute(unit.query)
  return response
}

/**
 * Takes the key for this change; or gives what was done under it. Waits for another transaction
 * that holds the key.
 */
async function reserve(
  query: Transaction<Tables>,
  {
    storeId,
    key,
    fingerprint,
    now,
  }: { readonly storeId: number; readonly key: string; readonly fingerprint: Buffer; readonly now: Date },
): Promise<'new' | 'other' | Written> {
  const { rows } = await sql`
    INSERT INTO idempotency_key AS kept (store_id, key, fingerprint, created_at) VALUES (${storeId}, ${key}, ${fingerprint}, ${now})
    ON CONFLICT (store_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, outcome = NULL, created_at = excluded.created_at
      WHERE kept.created_at < ${new Date(now.getTime() - REMEMBERED_HOURS * 3_600_000)}
    RETURNING 1`.execute(query)
  if (rows.length > 0) return 'new'
  const before = await query
    .selectFrom('idempotency_key')
    .select(['fingerprint', 'outcome'])
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  // The column holds what `keep` writes.
  return before.fingerprint.equals(fingerprint) ? (before.outcome as Written) : 'other'
}

/** Notes what was done under a key that `reserve` took. */
const keep = (
  query: Transaction<Tables>,
  { storeId, key, result }: { readonly storeId: number; readonly key: string; readonly result: Written },
) =>
  query
    .updateTable('idempotency_key')
    .set({ outcome: JSON.stringify(result) })
    .where('store_id', '=', storeId)
    .where('key', '=', key)
    .execute()

/** A `ConflictError` of the schema. */
export const conflictError = (message: string, currentVersion: number | null = null) => ({
  __typename: 'ConflictError' as const,
  message,
  currentVersion,
})

/** A conflict when a version was expected and is not the one there is; null otherwise. */
export const staleVersion = (expected: number | null | undefined, current: number) =>
  expected == null || expected === current
    ? null
    : conflictError(
        `Expected version ${expected}, but it has been changed since and is at version ${current}: read it again.`,
        current,
      )

/** Whether this is a violation of the unique constraint or index with this name. */
export const violates = (error: unknown, constraint: string): boolean =>
  // A field of PostgreSQL's errors.
  codeOf(error) === '23505' && (error as { constraint?: string }).constraint === constraint

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null)

/** Whether the same transaction may well succeed when it is run again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error)
  if (code === '40001' || code === '40P01') return true
  // What was referred to was there when it was looked for, and has been deleted since: the next
  // time it is not found, which is an answer.
  if (code === '23503') return true
  // A field of PostgreSQL's errors.
  return code === '23505' && /_permalink_key$/.test(String((error as { constraint?: string }).constraint))
}
