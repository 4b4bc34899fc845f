import { rateLimited } from '../graphql/errors.ts'

/**
 * Runs `work` after all earlier work of the same key has settled. Rejects with RATE_LIMITED,
 * without running it, when the wait exceeds the timeout.
 */
export type KeyedMutex = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

/** The time limit of an operation: afterwards no caller waits for the result. */
const ACQUIRE_TIMEOUT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/**
 * Runs work of one key one at a time. Waiting holds no shared resource such as a connection. Per
 * process: where several processes compete, lock in the database as well. `what` names the work in
 * the error, such as "messages to this room".
 */
export function keyedMutex(what: string, timeoutMs = ACQUIRE_TIMEOUT_MS): KeyedMutex {
  /** The end of the latest work, by key. */
  const ends = new Map<string, Promise<void>>()

  return async (key, work) => {
    const before = ends.get(key)
    const { promise: end, resolve: leave } = Promise.withResolvers<void>()
    ends.set(key, end)
    const since = performance.now()
    try {
      await before
      if (performance.now() - since > timeoutMs) throw rateLimited(what, RETRY_AFTER_SECONDS)
      return await work()
    } finally {
      if (ends.get(key) === end) ends.delete(key)
      leave()
    }
  }
}
