import { slowReader } from '../graphql/errors.ts'

/** Most items that wait for one reader. */
const MAX_WAITING_ITEMS = 1_000

/** A queue for one reader, and the iterator to read it with. */
export type BoundedQueue<Item> = {
  /** Ends the queue with SLOW_READER when too many wait. */
  readonly push: (item: Item) => void
  /** Ends it with SLOW_READER and drops the waiting items. */
  readonly cutOff: () => void
  /** Ends it after the waiting items, with `error` if given. */
  readonly end: (error?: Error) => void
  readonly iterator: AsyncIterableIterator<Item>
}

type Waiter<Item> = {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: Error) => void
}

const DONE = { done: true, value: undefined } as const

/**
 * Calls `onDone` when the reader asks for the item after it, and `onReleased` once when nothing
 * will be read any more. Not a generator: its `return()` would wait for the next item.
 */
export function boundedQueue<Item>({
  onDone,
  onReleased,
}: {
  readonly onDone: (item: Item) => void
  readonly onReleased: () => void
}): BoundedQueue<Item> {
  let waiting: Item[] = []
  const waiters: Waiter<Item>[] = []
  let current: { readonly item: Item } | null = null
  let failure: Error | null = null
  let isEnded = false
  let isReleased = false

  function release(): void {
    if (isReleased) return
    isReleased = true
    onReleased()
  }

  function take(item: Item): IteratorResult<Item, undefined> {
    current = { item }
    return { done: false, value: item }
  }

  function end(error?: Error): void {
    if (isEnded) return
    isEnded = true
    failure = error ?? null
    for (const { resolve, reject } of waiters.splice(0)) {
      if (failure) reject(failure)
      else resolve(DONE)
      failure = null
    }
    if (waiting.length === 0 && !failure) release()
  }

  function cutOff(): void {
    waiting = []
    end(slowReader(MAX_WAITING_ITEMS))
    // Release now: a slow reader may see the end much later.
    release()
  }

  const iterator: AsyncIterableIterator<Item> = {
    // Not async: that costs three more microtask turns per item and reader.
    next() {
      if (current) {
        const { item } = current
        current = null
        onDone(item)
      }
      if (waiting.length > 0) return Promise.resolve(take(waiting.shift() as Item))
      if (failure) {
        const error = failure
        failure = null
        release()
        return Promise.reject(error)
      }
      if (isEnded) {
        release()
        return Promise.resolve(DONE)
      }
      return new Promise((resolve, reject) => waiters.push({ resolve, reject }))
    },
    async return() {
      waiting = []
      failure = null
      end()
      release()
      return DONE
    },
    [Symbol.asyncIterator]() {
      return iterator
    },
  }

  return {
    push(item) {
      if (isEnded) return
      const waiter = waiters.shift()
      if (waiter) {
        waiter.resolve(take(item))
        return
      }
      waiting.push(item)
      if (waiting.length > MAX_WAITING_ITEMS) cutOff()
    },
    cutOff,
    end,
    iterator,
  }
}
