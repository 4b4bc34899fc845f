import type { Outcome } from '../trust/decision.ts'

/** Decisions by target, as long as each holds; the least recently used goes first. */
export type OutcomeCache = {
  readonly get: (key: string) => Outcome | null
  readonly set: (key: string, outcome: Outcome) => void
}

/** `now` in milliseconds, of a clock that never steps. */
export function outcomeCache(maxEntries: number, now: () => number = () => performance.now()): OutcomeCache {
  const entries = new Map<string, { readonly outcome: Outcome; readonly until: number }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return null
      entries.delete(key)
      if (found.until <= now()) return null
      // A Map is in the order of writing: back to its end.
      entries.set(key, found)
      return found.outcome
    },
    set(key, outcome) {
      // What could not be decided is asked again: it may be decided by then.
      if (outcome.kind !== 'decided' || outcome.decision.freshSeconds <= 0) return
      entries.delete(key)
      entries.set(key, { outcome, until: now() + outcome.decision.freshSeconds * 1000 })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
  }
}
