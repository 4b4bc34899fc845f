import { sqlStateOf } from './postgres-error.ts'

/** Most attempts of one transaction. */
const MAX_ATTEMPTS = 5
/** SQLSTATE of deadlock_detected. */
const DEADLOCK = '40P01'

/** Runs a transaction again when it failed with an error that `isRetryable`; 5 attempts at most. */
export async function retryTransaction<Result>(
  transact: () => Promise<Result>,
  isRetryable: (error: unknown) => boolean,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error
    }
  }
}

/** Retries a transaction that PostgreSQL aborted as a deadlock victim: nothing of it was done. */
export const retryAfterDeadlock = <Result>(transact: () => Promise<Result>): Promise<Result> =>
  retryTransaction(transact, (error) => sqlStateOf(error) === DEADLOCK)
