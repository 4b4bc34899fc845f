import { Fault } from './fault.ts'

/**
 * A semaphore: at most `perKey` concurrent runs per key and `total` overall. The signal ends
 * waiting.
 */
export type Slots = {
  readonly run: <Result>(key: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>
}

type Waiter = { readonly key: string; readonly resume: () => void }

/** First in, first out among the keys that have room. */
export function slots({ total, perKey }: { readonly total: number; readonly perKey: number }): Slots {
  const runningByKey = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let running = 0

  const hasRoom = (key: string): boolean => running < total && (runningByKey.get(key) ?? 0) < perKey

  function start(key: string): void {
    running += 1
    runningByKey.set(key, (runningByKey.get(key) ?? 0) + 1)
  }

  function finish(key: string): void {
    running -= 1
    const rest = (runningByKey.get(key) ?? 1) - 1
    if (rest === 0) runningByKey.delete(key)
    else runningByKey.set(key, rest)
    for (const waiter of waiting) {
      if (!hasRoom(waiter.key)) continue
      waiting.delete(waiter)
      start(waiter.key)
      waiter.resume()
      return
    }
  }

  async function acquire(key: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Fault('no_capacity', 'no time left')
    if (hasRoom(key)) return start(key)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { key, resume: resolve }
    const cancel = () => {
      if (waiting.delete(waiter)) reject(new Fault('no_capacity', `no slot for ${key} in time`))
    }
    waiting.add(waiter)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  return {
    async run(key, signal, work) {
      await acquire(key, signal)
      try {
        return await work()
      } finally {
        finish(key)
      }
    },
  }
}
