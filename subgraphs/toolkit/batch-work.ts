import { setImmediate as turn } from 'node:timers/promises'
import { withoutCancellation } from '../../platform/database/cancellation.ts'

/**
 * Combines calls of one tick, or during the last batch, into batches of at most `most`. `work` gets
 * the items in order and returns a result for each. When it fails, all fail, except for a value
 * that PostgreSQL rejects: then the batch is split in halves until the culprit is alone. A lone
 * call waits for nothing else. Calls are not cancelled with their operation, because others share
 * the statement.
 */
export function batchWork<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxItems = DEFAULT_MAX_ITEMS }: { readonly maxItems?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      // Calls of the same tick are about to join.
      await turn()
      await runBatch(waiting.splice(0, maxItems))
    }
    isRunning = false
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      // `work` returns a result per item.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length > 1 && isValueError(error)) {
        const half = batch.length >> 1
        await runBatch(batch.slice(0, half))
        await runBatch(batch.slice(half))
      } else for (const { reject } of batch) reject(error)
    }
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.push({ item, resolve, reject })
    if (!isRunning) void withoutCancellation(run)
    return promise
  }
}

type Waiting<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** All callers of a batch resume at once: with larger batches other requests would wait. */
const DEFAULT_MAX_ITEMS = 20

/**
 * SQLSTATE classes 22 and 23: invalid value, constraint violation. Nothing of the statement was
 * done.
 */
const VALUE_ERROR_STATE = /^2[23]...$/

const isValueError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && VALUE_ERROR_STATE.test(error.code)
