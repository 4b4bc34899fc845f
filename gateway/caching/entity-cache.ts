import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { DocumentNode } from 'graphql'
import { anonymousText } from '../executor/federated/planned-fetch.ts'
import { type Data, isData } from '../executor/federated/response-data.ts'
import type { Supergraph } from '../planning/supergraph.ts'
import type { CacheEntityFetch, EntityResult, RequestContext, SendEntities } from '../subgraph-client/link.ts'
import { headerPolicyOf } from './entity-cache-headers.ts'
import { type EntityPolicyOf, effectivePolicy, entityPolicies, type SubgraphCacheOptions } from './entity-cache-policy.ts'
import {
  customTag,
  type Invalidation,
  MAX_TAG_CHARACTERS,
  MAX_TAGS_PER_ENTITY,
  subgraphTag,
  tagsOf,
} from './entity-cache-tags.ts'
import { createFlights } from './entity-flights.ts'
import { type CacheableEntity, type CachedType, entitiesOf, type FetchParts } from './entity-lookups.ts'
import type { EntityStore, NewEntity } from './entity-store.ts'
import { mergeResponses, type SentPart } from './merge-entity-responses.ts'
import { textDependsOnViewer, type ViewerFields } from './viewer-fields.ts'

type Variables = Readonly<Record<string, unknown>>

/** Result of an entity lookup. `joined`: waited for an equal fetch in flight. */
export type EntityLookupResult = 'hit' | 'joined' | 'miss'

/** Entity cache of this process, for all its graphs. */
export type EntityCache = {
  /** The cache for one graph; keys contain the hash of its supergraph. */
  readonly forGraph: (
    document: DocumentNode,
    supergraph: Supergraph,
    viewer: ViewerFields,
  ) => (subgraph: string) => CacheEntityFetch
  /**
   * Invalidates entities requested before this call. False when Redis is unavailable, so other
   * instances may still use them: the caller must retry.
   */
  readonly invalidate: (invalidations: readonly Invalidation[]) => Promise<boolean>
  /** The same of all entities of the subgraphs that were served so far. */
  readonly invalidateAll: () => Promise<boolean>
  readonly entries: () => number
  readonly bytes: () => number
  readonly close: () => Promise<void>
}

/** Creates the cache on `store`. `options`: by subgraph name. */
export function createEntityCache({
  store,
  options = {},
  count = () => {},
}: {
  readonly store: EntityStore
  readonly options?: Readonly<Record<string, SubgraphCacheOptions>>
  readonly count?: (subgraph: string, lookup: EntityLookupResult, entities: number) => void
}): EntityCache {
  const flights = createFlights()
  /** Names in supergraphs, which only the operator changes. */
  const subgraphs = new Set<string>()

  return {
    forGraph(document, supergraph, viewer) {
      const policyOf = entityPolicies(document, supergraph.isOf, options)
      const graphHash = hash('sha256', JSON.stringify(document), 'base64url')
      return (subgraph) => (fetch, send) => {
        subgraphs.add(subgraph)
        const parts = fetchPartsOf({ subgraph, graphHash, fetch, policyOf, supergraph, viewer })
        return (variables, context) => fetchCached(parts, variables, context, send)
      }
    },
    invalidate: async (invalidations) => store.invalidate(invalidations.flatMap(tagsOf)),
    invalidateAll: async () => store.invalidate([...subgraphs].map(subgraphTag)),
    entries: store.entries,
    bytes: store.bytes,
    close: async () => store.close(),
  }

  async function fetchCached(
    parts: FetchParts,
    { representations, ...others }: Variables,
    context: RequestContext,
    send: SendEntities,
  ): Promise<EntityResult> {
    // Representations are created by the executor, so their type is known.
    const wanted = representations as readonly Data[]
    const entities = entitiesOf(parts, wanted, others, context.caller)
    const { found, version } = await store.read(entities)
    const values: unknown[] = []
    const [missing, joined]: [number[], number[]] = [[], []]
    let hits = 0
    for (const [index, entity] of entities.entries()) {
      const cached = parsed(found[index])
      if (cached) {
        values[index] = cached
        hits++
      } else if (entity && flights.isInFlight(entity, version)) joined.push(index)
      else missing.push(index)
    }
    const waiting = joined.map((index) => flights.join(entities[index] as CacheableEntity, context.signal))
    const sent = missing.length > 0 ? [await fetchAndStore(missing)] : []
    const late: number[] = []
    for (const [at, flown] of (await Promise.all(waiting)).entries()) {
      const index = joined[at] as number // as long as `joined`
      const value = parsed(flown)
      if (value) values[index] = value
      else late.push(index)
    }
    // The joined fetch failed, or its entity is for another caller only.
    if (late.length > 0) sent.push(await fetchAndStore(late))
    for (const [lookup, entities] of [
      ['hit', hits],
      ['joined', joined.length - late.length],
      ['miss', missing.length + late.length],
    ] as const) {
      if (entities > 0) count(parts.subgraph, lookup, entities)
    }
    const [only] = sent
    if (only && sent.length === 1 && only.indexes.length === wanted.length) return only.result
    return mergeResponses(values, sent)

    async function fetchAndStore(indexes: readonly number[]): Promise<SentPart> {
      const own = indexes.map((index) => entities[index] ?? null)
      const land = flights.begin(own, version)
      const began = performance.now()
      let texts: readonly (NewEntity | null)[] = []
      try {
        let headers: IncomingHttpHeaders | null = null
        const request = { ...others, representations: indexes.map((index) => wanted[index]) }
        const result = await send(request, context, (received) => {
          headers = received
        })
        const entities = cacheableIn(parts.subgraph, own, result, headers, began)
        texts = entities
        const stored = entities.filter((each) => each !== null)
        if (version !== null && stored.length > 0) await store.write(stored, version)
        return { indexes, result }
      } finally {
        land(texts)
      }
    }
  }
}

/** Cache keys and types of a fetch, which do not depend on its variables. */
function fetchPartsOf({
  subgraph,
  graphHash,
  fetch,
  policyOf,
  supergraph,
  viewer,
}: {
  readonly subgraph: string
  readonly graphHash: string
  readonly fetch: Parameters<CacheEntityFetch>[0]
  readonly policyOf: EntityPolicyOf
  readonly supergraph: Supergraph
  readonly viewer: ViewerFields
}): FetchParts {
  const isViewerDependent = textDependsOnViewer(fetch.query, supergraph.api, viewer)
  const types = new Map<string, CachedType>()
  return {
    subgraph,
    textHash: hash('sha256', JSON.stringify([graphHash, subgraph, anonymousText(fetch.query)]), 'base64url'),
    typeOf(typename) {
      const known = types.get(typename)
      if (known) return known
      const policy = policyOf(subgraph, fetch.document, typename)
      const isPrivate = policy.isPrivate || isViewerDependent
      const isCacheable = policy.ttlSeconds !== null
      const keys = supergraph.fieldSets.keysOf(subgraph, typename)
      const type = { keys, policy: { ...policy, isPrivate }, isCacheable, isPublic: policy.isPublic && !isPrivate }
      // Memoized for known types only, because a subgraph can return any `__typename`.
      if (keys.length > 0) types.set(typename, type)
      return type
    },
  }
}

/** Entities of a response to be stored, by index; null: not cacheable. */
function cacheableIn(
  subgraph: string,
  own: readonly (CacheableEntity | null)[],
  { data, errors, extensions }: EntityResult,
  headers: IncomingHttpHeaders | null,
  began: number,
): readonly (NewEntity | null)[] {
  const values: unknown = data?._entities
  if (errors || !Array.isArray(values) || values.length !== own.length) return []
  const header = headerPolicyOf(headers)
  const given: unknown = extensions?.apolloEntityCacheTags
  const elapsedSeconds = (performance.now() - began) / 1000
  return own.map((entity, index): NewEntity | null => {
    const value: unknown = values[index]
    if (!entity || !isData(value)) return null
    const policy = effectivePolicy(entity.type.policy, header)
    entity.type.isCacheable = policy !== null
    entity.type.isPublic = policy?.scope === 'PUBLIC'
    const tags = tagsIn(header.tags, Array.isArray(given) ? given[index] : [])
    // Anonymous callers have no identity that a private entity's key could contain.
    if (!policy || !tags || (policy.scope === 'PRIVATE' && entity.isAnonymous)) return null
    const [text, ttlSeconds] = [jsonOf(value), policy.ttlSeconds - elapsedSeconds]
    if (text === null || ttlSeconds <= 0) return null
    const key = policy.scope === 'PUBLIC' ? entity.publicKey : entity.callerKey
    return { key, text, tags: [...entity.tags(), ...tags.map((tag) => customTag(subgraph, tag))], ttlSeconds }
  })
}

/** Custom tags of an entity; null when they exceed the bounds. */
function tagsIn(fromHeader: readonly string[], fromExtensions: unknown): readonly string[] | null {
  const tags = [...fromHeader, ...(Array.isArray(fromExtensions) ? fromExtensions : [])]
  const isUsable =
    tags.length <= MAX_TAGS_PER_ENTITY && tags.every((tag) => typeof tag === 'string' && tag.length <= MAX_TAG_CHARACTERS)
  return isUsable ? tags : null
}

/** Null when it cannot be serialized, which is possible for a local subgraph's value. */
function jsonOf(value: Data): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/**
 * Parses a new copy, because the executor changes responses in place. Null unless it is an object.
 */
function parsed(text: string | null | undefined): Data | null {
  if (text === null || text === undefined) return null
  try {
    const value: unknown = JSON.parse(text)
    return isData(value) ? value : null
  } catch {
    return null
  }
}
