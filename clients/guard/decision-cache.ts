import type { Outcome } from '../trust/decision.ts'

/** LRU cache of decisions by target; an entry expires with its decision. */
export type OutcomeCache = {
  readonly get: (key: string) => Outcome | null
  readonly set: (key: string, outcome: Outcome) => void
}

/** `now` is a monotonic clock in milliseconds. */
export function outcomeCache(maxEntries: number, now: () => number = () => performance.now()): OutcomeCache {
  const entries = new Map<string, { readonly outcome: Outcome; readonly until: number }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return null
      entries.delete(key)
      if (found.until <= now()) return null
      // LRU: re-inserting moves the entry to the end of the Map's order.
      entries.set(key, found)
      return found.outcome
    },
    set(key, outcome) {
      // Only decisions are cached: a failure may be temporary.
      if (outcome.kind !== 'decided' || outcome.decision.freshSeconds <= 0) return
      entries.delete(key)
      entries.set(key, { outcome, until: now() + outcome.decision.freshSeconds * 1000 })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
  }
}
