/**
 * An immutable map, whose next version shares what stays the same: a large map of its own, and a
 * small one of what has changed since.
 */
export type LayeredMap<Key, Value> = {
  readonly get: (key: Key) => Value | undefined
  /** All entries, in no order. */
  readonly entries: () => Iterable<readonly [Key, Value]>
  /** The map with these entries; undefined removes one. */
  readonly with: (changes: ReadonlyMap<Key, Value | undefined>, pause: Pause) => Promise<LayeredMap<Key, Value>>
}

/** Called with a number of copied entries: null to go on, else a promise to wait for. */
type Pause = (entries: number) => Promise<void> | null

/** Changes above this share of the large map are moved into it: a copy of all, once in a while. */
const MAX_CHANGED_SHARE = 0.1
/** Fewer changes than this are never moved. */
const MIN_MOVED = 5_000

/** Entries between two offers to pause. */
const PAUSE_ENTRIES = 500

/** Takes over `entries`, which must not change any more. */
export function layeredMap<Key, Value>(
  entries: ReadonlyMap<Key, Value>,
  changed: ReadonlyMap<Key, Value | undefined> = new Map(),
): LayeredMap<Key, Value> {
  return {
    get: (key) => {
      const value = changed.get(key)
      return value !== undefined || changed.has(key) ? value : entries.get(key)
    },
    *entries() {
      for (const entry of entries) if (!changed.has(entry[0])) yield entry
      for (const [key, value] of changed) if (value !== undefined) yield [key, value]
    },
    async with(changes, pause) {
      const next = new Map(changed)
      for (const [key, value] of changes) next.set(key, value)
      await pause(changed.size + changes.size)
      if (next.size <= Math.max(MIN_MOVED, entries.size * MAX_CHANGED_SHARE)) return layeredMap(entries, next)
      const moved = new Map<Key, Value>()
      let seen = 0
      for (const [key, value] of entries) {
        if (!next.has(key)) moved.set(key, value)
        seen += 1
        if (seen % PAUSE_ENTRIES === 0) await pause(PAUSE_ENTRIES)
      }
      for (const [key, value] of next) {
        if (value !== undefined) moved.set(key, value)
        seen += 1
        if (seen % PAUSE_ENTRIES === 0) await pause(PAUSE_ENTRIES)
      }
      return layeredMap(moved)
    },
  }
}
