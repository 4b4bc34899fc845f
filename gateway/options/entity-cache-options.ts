import { z } from 'zod'
import { MAX_TTL_SECONDS } from '../caching/entity-cache-policy.ts'
import { options, text, wholeNumber } from './validate-options.ts'

/** Most channels with invalidations. */
const MAX_INVALIDATION_CHANNELS = 20

const ttlSeconds = () => wholeNumber(0, MAX_TTL_SECONDS).optional()

/** Options of one entity type. */
const typeCacheOptions = options({
  /**
   * Lifetime in seconds when the subgraph sends none, and upper bound when it does; 0: never
   * cached.
   */
  ttlSeconds: ttlSeconds(),
  /** PUBLIC: equal for every caller. Default: by the subgraph, else per credentials. */
  scope: z.enum(['PUBLIC', 'PRIVATE'], 'PUBLIC or PRIVATE').optional(),
})

/** Options of one subgraph's entities. */
const subgraphCacheOptions = options({
  /** Lifetime in seconds of types without their own. Default: not cached. */
  ttlSeconds: ttlSeconds(),
  /** Options by type name. */
  types: z.record(text(), typeCacheOptions, 'an object by names of types').optional(),
})

/** Options of the entity cache, which needs `maxBytes` or `redisUrl`. */
export const entityCacheOptions = options({
  /** Size of the cache in memory in bytes. Default: 0. */
  maxBytes: wholeNumber(0, 999_999_999).optional(),
  /** Redis URL for a cache shared by all gateway instances, instead of memory. */
  redisUrl: z
    .string('a redis or rediss URL')
    .regex(/^rediss?:\/\//, 'a redis or rediss URL')
    .optional(),
  /** Timeout of Redis commands, after which the cache is bypassed. Default: 250. */
  redisTimeoutMilliseconds: wholeNumber(1, 10_000).optional(),
  /**
   * Channels of `eventSources` whose messages are invalidations, as JSON in the format of the
   * endpoint: one, or a list. Default: none.
   */
  invalidationEvents: z
    .array(
      options({
        /** Name of a broker in `eventSources`. */
        source: text('a name in "eventSources"'),
        /** Channel of Redis, subject of NATS, or topic of Kafka. */
        channel: text('the name of a channel').max(200, 'a name of at most 200 characters'),
      }),
      'a list of channels',
    )
    .max(MAX_INVALIDATION_CHANNELS, `a list of at most ${MAX_INVALIDATION_CHANNELS} channels`)
    .optional(),
  /** Options by subgraph name. Default: by the subgraphs' headers and hints. */
  subgraphs: z.record(text(), subgraphCacheOptions, 'an object by names of subgraphs').optional(),
})
export type EntityCacheOptions = z.input<typeof entityCacheOptions>
