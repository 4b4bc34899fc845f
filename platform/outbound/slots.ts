import { Fault } from './fault.ts'

/** Bounded places: at most `perKey` holders of one key and `total` of all. Waiting ends with the signal. */
export type Slots = {
  readonly hold: <Result>(key: string, signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>
}

type Waiter = { readonly key: string; readonly admit: () => void }

/** Who waits longest is first, among those whose key has a place. */
export function slots({ total, perKey }: { readonly total: number; readonly perKey: number }): Slots {
  const held = new Map<string, number>()
  const waiting = new Set<Waiter>()
  let all = 0

  const mayEnter = (key: string): boolean => all < total && (held.get(key) ?? 0) < perKey

  function enter(key: string): void {
    all += 1
    held.set(key, (held.get(key) ?? 0) + 1)
  }

  function leave(key: string): void {
    all -= 1
    const rest = (held.get(key) ?? 1) - 1
    if (rest === 0) held.delete(key)
    else held.set(key, rest)
    for (const waiter of waiting) {
      if (!mayEnter(waiter.key)) continue
      waiting.delete(waiter)
      enter(waiter.key)
      waiter.admit()
      return
    }
  }

  async function admission(key: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Fault('no_capacity', 'no time left')
    if (mayEnter(key)) return enter(key)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { key, admit: resolve }
    const giveUp = () => {
      if (waiting.delete(waiter)) reject(new Fault('no_capacity', `no place for ${key} in time`))
    }
    waiting.add(waiter)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  return {
    async hold(key, signal, work) {
      await admission(key, signal)
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
