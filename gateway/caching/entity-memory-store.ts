import {
  type EntityLookup,
  type EntityStore,
  MAX_ENTITY_CHARACTERS,
  MAX_INVALIDATED_TAGS,
  type NewEntity,
} from './entity-store.ts'

/** The memory of an entry beside its text, key and tags: objects, and a place in the map. */
const ENTRY_OVERHEAD_BYTES = 250
/** A tag is 22 characters of its own, and a place in the list. */
const TAG_BYTES = 50

type Entry = {
  readonly text: string
  readonly tags: readonly string[]
  readonly bytes: number
  /** In milliseconds of `now`. */
  readonly expiresAt: number
  /** The version when it was requested. */
  readonly version: number
}

/** Entities in memory: the least recently used ones leave when `maxBytes` are reached. */
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
  /** In order of use, the least recently used first. */
  const entries = new Map<string, Entry>()
  /** By tag: the version of its last invalidation. */
  const invalidatedAt = new Map<string, number>()
  let version = 0
  /** What was requested before this version is invalid, whatever its tags. */
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
      // A slower fetch that began earlier must not replace what a later one brought.
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

/** V8 has one byte per character of Latin-1 strings, and two of all others. */
const bytesOf = (text: string): number => (/[^\0-\xff]/.test(text) ? 2 : 1) * text.length
