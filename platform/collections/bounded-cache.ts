/** A cache with second-chance (CLOCK) eviction: an entry used since its last check stays. */
export type BoundedCache<Value> = {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly delete: (key: string) => void
  /** Number of entries. */
  readonly size: () => number
}

/**
 * Holds at most `maxEntries` entries of at most `maxCharacters` together. By default these are the
 * lengths of the keys, which are texts of clients and bound the values. An entry longer than
 * `maxCharacters` is not stored.
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
  // A Map keeps the order of insertion, so the first key is the least recently used. Moving a key
  // to the end at each use would make garbage that outlives its request (docs/adr/0018).
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
    delete: forget,
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
