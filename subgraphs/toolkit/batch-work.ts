import { setImmediate as turn } from 'node:timers/promises'
import { withoutCancellation } from '../../platform/database/cancellation.ts'

/**
 * Makes one piece of work out of many that come in one turn of the event loop, or while the last one is under way: at most `most`. `work` gets them in order and answers each in its place; when it fails,
 * all of them do, unless PostgreSQL did not like a value: then each half is done by itself, until it is clear whose. A call that is alone waits for nothing else. None is cancelled with the operation it is
 * called in: others wait for the same statement.
 */
export function batchWork<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most = DEFAULT_MAX_ITEMS }: { readonly most?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) {
      // What has arrived with the first one is about to be called in this turn of the event loop.
      await turn()
      await settle(waiting.splice(0, most))
    }
    isRunning = false
  }

  async function settle(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      // `work` answers each item.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
    } catch (error) {
      if (batch.length > 1 && isValueError(error)) {
        const half = batch.length >> 1
        await settle(batch.slice(0, half))
        await settle(batch.slice(half))
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

/** What waits for a batch begins all at once when it is there: where that is much, with more of them others would wait for it. */
const DEFAULT_MAX_ITEMS = 20

/** Classes of SQLSTATE: a value that is none of its type, or breaks a constraint. Nothing of such a statement was done. */
const VALUE_ERROR_STATE = /^2[23]...$/

const isValueError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && VALUE_ERROR_STATE.test(error.code)
