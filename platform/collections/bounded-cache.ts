/** A cache that forgets what has not been used of late: what was, since it was last looked at, has a second chance. */
export type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  /** Entries held now. */
  readonly size: () => number
}

/**
 * Holds at most `maxEntries`, of at most `maxCharacters` together. Unless `charactersOf` says otherwise those are of the keys: keys are texts of clients, and
 * what is held grows with them. What is longer than all of it is not held at all.
 */
export function boundedCache<Value>({
  maxEntries,
  maxCharacters,
  charactersOf = (key) => key.length,
}: {
  readonly maxEntries: number
  readonly maxCharacters: number
  readonly charactersOf?: (key: string, value: Value) => number
}): BoundedCache<Value> {
  // A Map keeps the order of insertion, so the first key is the one that was looked at longest ago. Putting each at the end as often as it is used would make garbage that
  // outlives what made it (docs/decisions.md, 98).
  const entries = new Map<string, Entry<Value>>()
  let characters = 0

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entry.isUsed = true
      return entry.value
    },
    set(key, value) {
      const length = charactersOf(key, value)
      if (length > maxCharacters) return
      forget(key)
      for (const [oldest, entry] of entries) {
        if (entries.size < maxEntries && characters + length <= maxCharacters) break
        forget(oldest)
        if (entry.isUsed) add(oldest, { ...entry, isUsed: false })
      }
      add(key, { value, length, isUsed: false })
    },
    size: () => entries.size,
  }

  function add(key: string, entry: Entry<Value>): void {
    entries.set(key, entry)
    characters += entry.length
  }

  function forget(key: string): void {
    characters -= entries.get(key)?.length ?? 0
    entries.delete(key)
  }
}

type Entry<Value> = { readonly value: Value; readonly length: number; isUsed: boolean }
