import { fairQueue } from '../collections/fair-queue.ts'
import { currentSignal, currentTenant } from './operation-context.ts'

/** Who may use one of the connections of a pool. */
export type ConnectionTurns = {
  /**
   * Takes a connection: null when one is free, otherwise resolves when it is the turn of the
   * current tenant. Rejects after the time limit, and when the current operation is aborted.
   */
  readonly take: () => Promise<void> | null
  /** Passes the connection on. */
  readonly leave: () => void
  /** How many wait. */
  readonly waiting: () => number
}

/**
 * Turns of `max` connections; `timeoutMs` 0 sets no limit. While all are busy, tenants take turns:
 * whoever asks for little waits for one statement of each other tenant, however many those wait
 * with.
 */
export function connectionTurns(max: number, timeoutMs: number): ConnectionTurns {
  const waiting = fairQueue<() => void>()
  let taken = 0

  return {
    take() {
      if (taken >= max) return wait()
      taken++
      return null
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else taken--
    },
    waiting: waiting.size,
  }

  function wait(): Promise<void> {
    const [tenant, signal] = [currentTenant(), currentSignal()]
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        end()
      }
      const start = () => settle(resolve)
      const giveUp = (error: unknown) => {
        if (waiting.remove(tenant, start)) settle(() => reject(error))
      }
      // The words of pg's pool, by which callers know that it is a fault of the connection.
      const late = () => giveUp(new Error('timeout exceeded when trying to connect'))
      const timer = timeoutMs > 0 ? setTimeout(late, timeoutMs) : undefined
      const abort = () => giveUp(signal?.reason)
      signal?.addEventListener('abort', abort)
      waiting.push(tenant, start)
    })
  }
}
