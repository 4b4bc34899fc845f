/** One entity that is looked up. */
export type EntityLookup = {
  /** Under which it may be stored, the preferred one first. */
  readonly keys: readonly string[]
  /** Its subgraph, its type and its keys: what may have been invalidated. */
  readonly tags: () => readonly string[]
}

/** One entity to be stored. */
export type NewEntity = {
  readonly key: string
  /** As JSON. */
  readonly text: string
  /** Those of its lookup, and those that its subgraph gave. */
  readonly tags: readonly string[]
  readonly ttlSeconds: number
}

/** A point in the sequence of invalidations, in the words of the store. */
export type StoreVersion = string | number

/** Where cached entities are: in memory, or in Redis. */
export type EntityStore = {
  /**
   * The valid entities as JSON, by the index of their lookup, and the version for `write` of what
   * is fetched instead. `version` is null while the store is unavailable. Never rejects.
   */
  readonly read: (lookups: readonly (EntityLookup | null)[]) => Promise<StoredEntities> | StoredEntities
  /**
   * Stores entities that were requested after `version`; none that were invalidated since. Never
   * rejects.
   */
  readonly write: (entities: readonly NewEntity[], version: StoreVersion) => Promise<void> | void
  /** Invalidates what has one of these tags. False: not known to all copies; try again. */
  readonly invalidate: (tags: readonly string[]) => Promise<boolean> | boolean
  readonly entries: () => number
  readonly bytes: () => number
  readonly close: () => Promise<void> | void
}

export type StoredEntities = { readonly found: readonly (string | null)[]; readonly version: StoreVersion | null }

/** Bound of tags that are remembered as invalidated; beyond it, everything is invalidated. */
export const MAX_INVALIDATED_TAGS = 100_000

/** Longest entity that is stored, in characters of JSON. */
export const MAX_ENTITY_CHARACTERS = 1_000_000
