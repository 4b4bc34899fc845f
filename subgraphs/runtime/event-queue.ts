import { slowReader } from './errors.ts'
import type { OutboxEvent } from './outbox.ts'

/** Events that may wait for one reader. */
const MOST_WAITING = 1_000

/** What one listener has not read yet. */
export type EventQueue = {
  /** Number of the last event that the reader is done with; at first, of the last one before its time. */
  readonly acknowledged: () => number
  /** Ignores events up to `acknowledged`. Ends the queue with SLOW_READER when too many wait. */
  readonly push: (event: OutboxEvent) => void
  /** Ends it after what waits. */
  readonly end: () => void
  readonly iterator: AsyncIterableIterator<OutboxEvent>
}

type Result = IteratorResult<OutboxEvent, undefined>
type Waiter = { readonly resolve: (result: Result) => void; readonly reject: (error: Error) => void }

const DONE: Result = { done: true, value: undefined }

/**
 * A queue behind event number `from`. `onAcknowledged` is called when the reader asks for the next event, `onReleased` once, when nobody will read any
 * more. Not a generator: the `return()` of one waits for the next event.
 */
export function eventQueue({
  from,
  onAcknowledged,
  onReleased,
}: {
  readonly from: number
  readonly onAcknowledged: () => void
  readonly onReleased: () => void
}): EventQueue {
  let waiting: OutboxEvent[] = []
  const waiters: Waiter[] = []
  let pushed = from
  let taken = from
  let acknowledged = from
  let failure: Error | null = null
  let isEnded = false
  let isReleased = false

  function release(): void {
    if (isReleased) return
    isReleased = true
    onReleased()
  }

  function take(event: OutboxEvent): Result {
    taken = event.number
    return { done: false, value: event }
  }

  function finish(): void {
    isEnded = true
    for (const { resolve } of waiters.splice(0)) resolve(DONE)
  }

  const iterator: AsyncIterableIterator<OutboxEvent> = {
    // Not async: that would cost each event of each reader three more turns of the microtask queue.
    next() {
      if (acknowledged !== taken) {
        acknowledged = taken
        onAcknowledged()
      }
      const event = waiting.shift()
      if (event) return Promise.resolve(take(event))
      if (failure) {
        const error = failure
        failure = null
        return Promise.reject(error)
      }
      if (isEnded) {
        release()
        return Promise.resolve(DONE)
      }
      return new Promise<Result>((resolve, reject) => waiters.push({ resolve, reject }))
    },
    async return() {
      waiting = []
      failure = null
      finish()
      release()
      return DONE
    },
    [Symbol.asyncIterator]() {
      return iterator
    },
  }

  return {
    acknowledged: () => acknowledged,
    push(event) {
      if (isEnded || event.number <= pushed) return
      pushed = event.number
      const waiter = waiters.shift()
      if (waiter) return waiter.resolve(take(event))
      waiting.push(event)
      if (waiting.length <= MOST_WAITING) return
      waiting = []
      failure = slowReader(MOST_WAITING)
      isEnded = true
      release()
    },
    end: finish,
    iterator,
  }
}
