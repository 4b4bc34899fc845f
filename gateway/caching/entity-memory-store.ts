import {
  type EntityLookup,
  type EntityStore,
  MAX_ENTITY_CHARACTERS,
  MAX_INVALIDATED_TAGS,
  type NewEntity,
} from './entity-store.ts'

/** Estimated memory of an entry in addition to its text, key and tags. */
const ENTRY_OVERHEAD_BYTES = 250
/** Estimated memory of a tag: 22 characters and a list slot. */
const TAG_BYTES = 50

type Entry = {
  readonly text: string
  readonly tags: readonly string[]
  readonly bytes: number
  /** Expiry on the clock of `now`. */
  readonly expiresAt: number
  /** Store version at the time of the request. */
  readonly version: number
}

/** LRU store in memory, at most `maxBytes`. */
export function entityMemoryStore({
  maxBytes,
  now = () => performance.now(),
  onEviction = () => {},
}: {
  readonly maxBytes: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  readonly onEviction?: (entities: number) => void
}): EntityStore {
  /** In LRU order, oldest first. */
  const entries = new Map<string, Entry>()
  /** Version of the last invalidation, by tag. */
  const invalidatedAt = new Map<string, number>()
  let version = 0
  /** Entities requested before this version are invalid, whatever their tags. */
  let oldestVersion = 0
  let heldBytes = 0

  return {
    read: (lookups) => ({ found: lookups.map((lookup) => lookup && find(lookup)), version }),
    write(entities, since) {
      for (const entity of entities) if (typeof since === 'number') add(entity, since)
    },
    invalidate(tags) {
      version++
      for (const tag of tags) invalidatedAt.set(tag, version)
      if (invalidatedAt.size > MAX_INVALIDATED_TAGS) clear()
      return true
    },
    entries: () => entries.size,
    bytes: () => heldBytes,
    close: clear,
  }

  function find({ keys }: EntityLookup): string | null {
    for (const key of keys) {
      const entry = entries.get(key)
      if (!entry) continue
      entries.delete(key)
      if (now() < entry.expiresAt && isCurrent(entry.version, entry.tags)) {
        entries.set(key, entry)
        return entry.text
      }
      heldBytes -= entry.bytes
    }
    return null
  }

  function isCurrent(since: number, tags: readonly string[]): boolean {
    if (since === version) return true
    return since >= oldestVersion && !tags.some((tag) => (invalidatedAt.get(tag) ?? 0) > since)
  }

  function add({ key, text, tags, ttlSeconds }: NewEntity, since: number): void {
    if (text.length > MAX_ENTITY_CHARACTERS || !isCurrent(since, tags)) return
    const bytes = bytesOf(text) + bytesOf(key) + tags.length * TAG_BYTES + ENTRY_OVERHEAD_BYTES
    const replaced = entries.get(key)
    if (replaced) {
      // A slow fetch must not overwrite the entity of a fetch that started later.
      if (replaced.version > since) return
      heldBytes -= replaced.bytes
      entries.delete(key)
    }
    if (bytes > maxBytes) return
    entries.set(key, { text, tags, bytes, version: since, expiresAt: now() + ttlSeconds * 1000 })
    heldBytes += bytes
    evict()
  }

  function evict(): void {
    let evicted = 0
    for (const [oldest, { bytes }] of entries) {
      if (heldBytes <= maxBytes) break
      entries.delete(oldest)
      heldBytes -= bytes
      evicted++
    }
    if (evicted > 0) onEviction(evicted)
  }

  function clear(): void {
    entries.clear()
    invalidatedAt.clear()
    heldBytes = 0
    oldestVersion = version
  }
}

/** Bytes of a string in V8: one per character for Latin-1 strings, otherwise two. */
const bytesOf = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length
