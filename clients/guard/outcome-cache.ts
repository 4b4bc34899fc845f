import type { Outcome } from '../trust/decision.ts'

/** Decisions by target, as long as each holds; the least recently used goes first. */
export type OutcomeCache = {
  readonly get: (key: string) => Outcome | null
  readonly set: (key: string, outcome: Outcome) => void
}

/** `now` in milliseconds, of a clock that never steps. */
export function outcomeCache(maxEntries: number, now: () => number = () => performance.now()): OutcomeCache {
  const kept = new Map<string, { readonly outcome: Outcome; readonly until: number }>()
  return {
    get(key) {
      const found = kept.get(key)
      if (!found) return null
      kept.delete(key)
      if (found.until <= now()) return null
      // A Map is in the order of writing: back to its end.
      kept.set(key, found)
      return found.outcome
    },
    set(key, outcome) {
      // What could not be decided is asked again: it may be decided by then.
      if (outcome.kind !== 'decided' || outcome.decision.freshSeconds <= 0) return
      kept.delete(key)
      kept.set(key, { outcome, until: now() + outcome.decision.freshSeconds * 1000 })
      const [oldest] = kept.keys()
      if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest)
    },
  }
}
