import { z } from 'zod'
import { MAX_TTL_SECONDS } from '../caching/entity-cache-policy.ts'
import { options, text, wholeNumber } from './validate-options.ts'

const ttlSeconds = () => wholeNumber(0, MAX_TTL_SECONDS).optional()

/** Entities of one type. */
const typeCacheOptions = options({
  /**
   * Seconds that entities of this type may be reused where the subgraph does not say, and the most
   * where it does; 0: never.
   */
  ttlSeconds: ttlSeconds(),
  /** PUBLIC: the same for every caller. Default: as the subgraph says, else per credentials. */
  scope: z.enum(['PUBLIC', 'PRIVATE'], 'PUBLIC or PRIVATE').optional(),
})

/** Entities of one subgraph. */
const subgraphCacheOptions = options({
  /** Seconds for types without a time of their own. Default: they are not cached. */
  ttlSeconds: ttlSeconds(),
  types: z.record(text(), typeCacheOptions, 'an object by names of types').optional(),
})

/** The entity cache of a gateway; without bytes and without Redis there is none. */
export const entityCacheOptions = options({
  /** Most bytes of cached entities in memory. Default: 0. */
  maxBytes: wholeNumber(0, 999_999_999).optional(),
  /** A Redis that holds the entities for all copies of the gateway, in place of memory. */
  redisUrl: z
    .string('a redis or rediss URL')
    .regex(/^rediss?:\/\//, 'a redis or rediss URL')
    .optional(),
  /** How long a request waits for Redis before it does without. Default: 250. */
  redisTimeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /** By the name of the subgraph. Default: as subgraphs say. */
  subgraphs: z.record(text(), subgraphCacheOptions, 'an object by names of subgraphs').optional(),
})
export type EntityCacheOptions = z.input<typeof entityCacheOptions>
