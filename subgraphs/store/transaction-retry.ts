import { sqlStateOf, violates } from '../../platform/database/postgres-error.ts'
import { retryTransaction } from '../../platform/database/transaction-retry.ts'

/**
 * Retries a transaction of the store after a conflict with another one; 5 attempts at most. The
 * conflicts: a deadlock, the same permalink, or a referenced row that was deleted meanwhile.
 */
export const retryStoreTransaction = <Result>(transact: () => Promise<Result>): Promise<Result> =>
  retryTransaction(transact, isRetryable)

/** SQLSTATE of a serialization failure, a deadlock and a violated foreign key. */
const RETRYABLE_STATES: readonly (string | null)[] = ['40001', '40P01', '23503']

/**
 * Whether the same transaction may succeed when it runs again. A foreign key: the referenced row
 * was deleted after it was read; the next attempt answers that it is not found.
 */
const isRetryable = (error: unknown): boolean =>
  RETRYABLE_STATES.includes(sqlStateOf(error)) || violates(error, /_permalink_key$/)
