/** A cache that forgets what was not used for longest. */
export type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  /** Entries held now. */
  readonly size: () => number
}

/**
 * Holds at most `maxEntries`, and keys of at most `maxCharacters` together: keys are texts of clients, and what is held grows with them.
 * A key that is longer than all of it is not held at all.
 */
export function boundedCache<Value>({
  maxEntries,
  maxCharacters,
}: {
  readonly maxEntries: number
  readonly maxCharacters: number
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
      if (key.length > maxCharacters) return
      if (entries.delete(key)) characters -= key.length
      entries.set(key, value)
      characters += key.length
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && characters <= maxCharacters) break
        entries.delete(oldest)
        characters -= oldest.length
      }
    },
    size: () => entries.size,
  }
}
