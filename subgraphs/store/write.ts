import type { Kysely, Transaction } from 'kysely'
import { transaction } from '../../platform/database/transaction.ts'
import { appendAll } from '../../platform/events/outbox.ts'
import type { SecretCipher } from '../../platform/secrets/cipher.ts'
import type { AuditActor } from './audit-entry/audit-actor.ts'
import { openAuditLog } from './audit-entry/repository.ts'
import { deliveredOf, type StoreEvent, topicOf } from './events.ts'
import { idempotentRequest, type MutationResult, reserveKey, storeResult } from './idempotency.ts'
import type { Tables } from './tables.ts'
import { retryStoreTransaction } from './transaction-retry.ts'

/** One transaction of one store, and what belongs to it. */
export type UnitOfWork = {
  readonly query: Transaction<Tables>
  readonly storeId: number
  readonly now: Date
  /** Emits an event when the transaction commits, and only then. */
  readonly emit: (event: StoreEvent) => void
  /** Encrypts and decrypts secrets of the store. */
  readonly secrets: SecretCipher
}

/** Database and store of a query, inside a transaction or not. */
export type StoreQuery = { readonly query: Kysely<Tables>; readonly storeId: number }

/** Whether a result rolls its transaction back: every type but `…Success`, by the schema's names. */
export const isFailure = ({ __typename }: MutationResult): boolean => !__typename.endsWith('Success')

/** Rolls the transaction back and returns `result`. No Error: nothing failed, no stack is needed. */
class RollbackSignal {
  readonly result: unknown
  constructor(result: unknown) {
    this.result = result
  }
}

/**
 * Records in the transaction which recipients get the events; these are in the order of emission,
 * and at least one.
 */
export type Announce = (unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>, delivered: readonly StoreEvent[]) => Promise<void>

/** Who changes a store, for its audit log; `requestId` null: no request. */
export type AuditedBy = { readonly actor: AuditActor; readonly requestId: string | null }

/**
 * Runs a change in one transaction, which a failure rolls back. The audit log keeps what it changes
 * when `by` says who makes it; null: shoppers, and jobs of the installation. A repeated idempotency key changes
 * nothing and returns the first result; the same key with another `input` is a conflict. Throws
 * BAD_USER_INPUT for an invalid key.
 */
export async function write<Result extends MutationResult>(
  database: Kysely<Tables>,
  {
    storeId,
    now,
    announce,
    secrets,
    by,
  }: {
    readonly storeId: number
    readonly now: Date
    readonly announce: Announce
    readonly secrets: SecretCipher
    readonly by: AuditedBy | null
  },
  mutation: { readonly name: string; readonly input: unknown; readonly key: string | null | undefined },
  change: (unit: UnitOfWork) => Promise<Result>,
): Promise<Result | ReturnType<typeof conflictError>> {
  const request = idempotentRequest(storeId, mutation)
  try {
    return await retryStoreTransaction(() =>
      transaction(database, async (query) => {
        if (request) {
          const before = await reserveKey(query, request, now)
          if (before === 'other') return conflictError('This idempotency key has been used for something else; take a new one.')
          // Stored under the same key by the same mutation.
          if (before !== 'new') return before as Result
        }
        const events: StoreEvent[] = []
        // Not awaited: it goes out with the first statement of the change.
        const opened = by && openAuditLog(query, { ...by.actor, at: now, operation: mutation.name, requestId: by.requestId })
        // Awaited below; where the change fails as well, as without a connection, its failure is the one.
        opened?.catch(() => {})
        const written = await change({ query, storeId, now, secrets, emit: (event) => void events.push(event) })
        if (isFailure(written)) throw new RollbackSignal(written)
        const sent = deliveredOf(events)
        await Promise.all([
          opened,
          request && storeResult(query, request, written),
          sent.length > 0 && announce({ query, storeId, now }, sent),
          // Last: the topic stays locked until the commit.
          appendAll(query, topicOf(storeId), sent),
        ])
        return written
      }),
    )
  } catch (thrown) {
    // The result of this mutation.
    if (thrown instanceof RollbackSignal) return thrown.result as Result
    throw thrown
  }
}

/** A `ConflictError` of the schema. */
export const conflictError = (message: string, currentVersion: number | null = null) => ({
  __typename: 'ConflictError' as const,
  message,
  currentVersion,
})

/** A conflict when the expected version is not the current one; null otherwise. */
export const staleVersion = (expected: number | null | undefined, current: number) =>
  expected == null || expected === current
    ? null
    : conflictError(
        `Expected version ${expected}, but it has been changed since and is at version ${current}: read it again.`,
        current,
      )
