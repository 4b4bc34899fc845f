/** A cache that forgets what was not used for longest. */
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
  // A Map keeps the order of insertion, so the first key is the one that was not used for longest.
  const entries = new Map<string, Value>()
  let characters = 0

  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      const length = charactersOf(key, value)
      if (length > maxCharacters) return
      const replaced = entries.get(key)
      if (replaced !== undefined && entries.delete(key)) characters -= charactersOf(key, replaced)
      entries.set(key, value)
      characters += length
      for (const [oldest, held] of entries) {
        if (entries.size <= maxEntries && characters <= maxCharacters) break
        entries.delete(oldest)
        characters -= charactersOf(oldest, held)
      }
    },
    size: () => entries.size,
  }
}
