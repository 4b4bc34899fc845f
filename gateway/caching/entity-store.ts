/** Lookup of one entity. */
export type EntityLookup = {
  /** Cache keys to try, in this order. */
  readonly keys: readonly string[]
  /** Automatic tags: subgraph, type and entity keys. */
  readonly tags: () => readonly string[]
}

/** One entity to be stored. */
export type NewEntity = {
  readonly key: string
  /** The entity as JSON. */
  readonly text: string
  /** Automatic tags, and custom tags of the subgraph. */
  readonly tags: readonly string[]
  readonly ttlSeconds: number
}

/** Position in the sequence of invalidations; its format is private to the store. */
export type StoreVersion = string | number

/** Storage of cached entities: memory or Redis. */
export type EntityStore = {
  /**
   * Valid entities as JSON by index of their lookup, and the version to pass to `write` after
   * fetching the others. `version` is null while the store is unavailable. Never rejects.
   */
  readonly read: (lookups: readonly (EntityLookup | null)[]) => Promise<StoredEntities> | StoredEntities
  /** Stores entities requested at `version`, except those invalidated since. Never rejects. */
  readonly write: (entities: readonly NewEntity[], version: StoreVersion) => Promise<void> | void
  /**
   * Invalidates entities with any of these tags. False: other instances may not know; call again.
   */
  readonly invalidate: (tags: readonly string[]) => Promise<boolean> | boolean
  readonly entries: () => number
  readonly bytes: () => number
  readonly close: () => Promise<void> | void
}

export type StoredEntities = { readonly found: readonly (string | null)[]; readonly version: StoreVersion | null }

/** Upper bound of remembered invalidated tags; beyond it all entities are invalidated. */
export const MAX_INVALIDATED_TAGS = 100_000

/** Maximum length of a stored entity in characters of JSON. */
export const MAX_ENTITY_CHARACTERS = 1_000_000
