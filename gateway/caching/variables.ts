import { z } from 'zod'
import { urlWithProtocol, type Variables, wholeNumber } from '../../platform/config/config.ts'

/** Variables of the standalone gateway for the entity cache. */
export const entityCacheVariables = {
  ENTITY_CACHE_BYTES: {
    read: wholeNumber(0, 999_999_999),
    default: '0',
    unit: 'bytes',
    meaning:
      'Bytes of the entity cache in memory: entities of subgraphs live as long as Cache-Control of their response or @cacheControl allows; whole answers are then not cached (RESPONSE_CACHE_BYTES). 0 is off.',
  },
  ENTITY_CACHE_REDIS_URL: {
    read: urlWithProtocol(['redis:', 'rediss:'], 'a URL such as redis://user:password@host:6379'),
    default: null,
    unit: null,
    secret: true,
    meaning: 'A Redis for the entity cache of all copies together, in place of memory.',
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
