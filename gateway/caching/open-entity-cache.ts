import type { Logger } from 'pino'
import { z } from 'zod'
import { urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { EntityCacheOptions } from '../options/entity-cache-options.ts'
import { createEntityCache, type EntityCache } from './entity-cache.ts'
import { entityMemoryStore } from './entity-memory-store.ts'
import { entityRedisStore } from './entity-redis-store.ts'

/** Settings of the entity cache of a gateway by itself. */
export const entityCacheVariables = {
  ENTITY_CACHE_BYTES: {
    read: wholeNumber(0, 999_999_999),
    default: '0',
    unit: 'bytes',
    meaning:
      'Entities of subgraphs that are kept in memory, one by one, as long as Cache-Control of their response or @cacheControl allows; whole answers are then not kept (RESPONSE_CACHE_BYTES). 0 keeps none.',
  },
  ENTITY_CACHE_REDIS_URL: {
    read: urlWithProtocol(['redis:', 'rediss:'], 'a URL such as redis://user:password@host:6379'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'A Redis that keeps entities for all copies together, in place of memory.',
  },
  ENTITY_CACHE_TOKEN: {
    read: z
      .string()
      .regex(/^[\x21-\x7e]*$/, 'visible ASCII characters')
      .min(16, 'at least 16 characters'),
    default: null,
    unit: null,
    secret: true,
    meaning:
      'Password of POST /entity-cache/invalidations, as Bearer token or by HTTP Basic with any user name; unset, it is not served.',
  },
} as const satisfies Variables

/** Opens the entity cache; null where options have neither bytes nor Redis. */
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
