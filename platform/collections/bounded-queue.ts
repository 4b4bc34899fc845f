import { slowReader } from '../graphql/errors.ts'

/** Items that may wait for one reader, and the sum of their characters where that is known. */
const MAX_WAITING_ITEMS = 1_000
const MAX_WAITING_CHARACTERS = 10_000_000

/** What one reader has not read yet, and the iterator that it reads with. */
export type BoundedQueue<Item> = {
  /** Ends the queue with SLOW_READER when too many wait. */
  readonly push: (item: Item) => void
  /** Ends it with SLOW_READER, without what waits. */
  readonly cutOff: () => void
  /** Ends it after what waits; with an error, if one is given. */
  readonly end: (error?: Error) => void
  /**
   * Whether nothing waits, and more may come; the reader is then done with the item that it has.
   */
  readonly settle: () => boolean
  readonly iterator: AsyncIterableIterator<Item>
}

type QueueReader<Item> = {
  readonly onDone: (item: Item) => void
  readonly onReleased: () => void
  readonly charactersOf?: (item: Item) => number
}

type Waiter<Item> = {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: Error) => void
}

const DONE = { done: true, value: undefined } as const

/** Ends pending reads, the first with the error. Returns the error where no read took it. */
function endReads<Item>(waiters: readonly Waiter<Item>[], error: Error | null): Error | null {
  let failure = error
  for (const { resolve, reject } of waiters) {
    if (failure) reject(failure)
    else resolve(DONE)
    failure = null
  }
  return failure
}

/**
 * `onDone` is called when the reader has finished an item and requests the next; `onReleased` once,
 * when reading has ended. Not a generator: the `return()` of one waits for the next item.
 */
export function boundedQueue<Item>({ onDone, onReleased, charactersOf = () => 0 }: QueueReader<Item>): BoundedQueue<Item> {
  let waiting: Item[] = []
  let characters = 0
  const waiters: Waiter<Item>[] = []
  let taken: { readonly item: Item } | null = null
  let failure: Error | null = null
  let isEnded = false
  let isReleased = false

  function release(): void {
    if (isReleased) return
    isReleased = true
    onReleased()
  }

  function unqueued(): Item {
    const item = waiting.shift() as Item // not empty
    characters -= charactersOf(item)
    return item
  }

  function take(item: Item): IteratorResult<Item, undefined> {
    taken = { item }
    return { done: false, value: item }
  }

  function finish(): void {
    if (!taken) return
    const { item } = taken
    taken = null
    onDone(item)
  }

  function end(error?: Error): void {
    if (isEnded) return
    isEnded = true
    failure = endReads(waiters.splice(0), error ?? null)
    if (waiting.length === 0 && !failure) release()
  }

  function cutOff(): void {
    waiting = []
    end(slowReader(MAX_WAITING_ITEMS))
    // Nothing more will come of it, though its reader may take long to hear that.
    release()
  }

  const iterator: AsyncIterableIterator<Item> = {
    // Not async: that would cost each item of each reader three more turns of the microtask queue.
    next() {
      finish()
      if (waiting.length > 0) return Promise.resolve(take(unqueued()))
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
      characters += charactersOf(item)
      if (waiting.length > MAX_WAITING_ITEMS || characters > MAX_WAITING_CHARACTERS) cutOff()
    },
    cutOff,
    end,
    settle() {
      if (isEnded || waiting.length > 0) return false
      finish()
      return true
    },
    iterator,
  }
}
