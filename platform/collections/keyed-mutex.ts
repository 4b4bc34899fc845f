import { rateLimited } from '../graphql/errors.ts'

/** Runs `work` when all that came before it with the same key has ended, however it ended. Rejects with RATE_LIMITED, without beginning, when that takes too long. */
export type KeyedMutex = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>

/** As long as an operation may take: whoever has waited for longer is gone. Milliseconds. */
const ACQUIRE_TIMEOUT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/**
 * Who waits here holds nothing that others need, such as a connection to the database. Within one process: where others may do the same, something else is locked as well. `what`
 * says of what there are too many, such as "messages to this room".
 */
export function keyedMutex(what: string, timeoutMs = ACQUIRE_TIMEOUT_MS): KeyedMutex {
  /** The end of what came last, by key. */
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
