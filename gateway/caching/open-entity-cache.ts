import type { Logger } from 'pino'
import type { Metrics } from '../observability/metrics.ts'
import type { EntityCacheOptions } from '../options/entity-cache-options.ts'
import { createEntityCache, type EntityCache } from './entity-cache.ts'
import { entityMemoryStore } from './entity-memory-store.ts'
import { entityRedisStore } from './entity-redis-store.ts'

/** Opens the entity cache; null when neither memory nor Redis is configured. */
export async function openEntityCache(
  { maxBytes = 0, redisUrl, redisTimeoutMilliseconds, subgraphs = {} }: EntityCacheOptions,
  log: Logger,
  metrics: Metrics | null = null,
): Promise<EntityCache | null> {
  if (maxBytes === 0 && redisUrl === undefined) return null
  const evicted = metrics?.counter('atrium_entity_cache_evictions_total', 'Entities that left the cache for others.', [])
  const store =
    redisUrl === undefined
      ? entityMemoryStore({ maxBytes, onEviction: (entities) => evicted?.([], entities) })
      : await entityRedisStore({ url: redisUrl, log, commandMilliseconds: redisTimeoutMilliseconds })
  const looked = metrics?.counter(
    'atrium_entity_cache_lookups_total',
    'Entities that were wanted: cached (hit), being fetched by an equal fetch (joined), or fetched (miss).',
    ['subgraph', 'outcome'],
  )
  metrics?.gauge('atrium_entity_cache_bytes', 'Bytes of entities that are kept in this process.', store.bytes)
  metrics?.gauge('atrium_entity_cache_entries', 'Entities that are kept in this process.', store.entries)
  return createEntityCache({
    store,
    options: subgraphs,
    ...(looked && { count: (subgraph, lookup, entities) => looked([subgraph, lookup], entities) }),
  })
}
