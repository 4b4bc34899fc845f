import type { Logger } from 'pino'
import { type RedisScripts, redisScripts } from '../../../platform/redis/redis-scripts.ts'
import {
  BAN_SECONDS,
  busiest,
  MAX_REQUESTS_OVER_LIMIT,
  MAX_REQUESTS_PER_MINUTE,
  MAX_REQUESTS_PER_SECOND,
  memoryRateLimit,
  putLast,
  type RequestCounter,
} from './rate-limit.ts'

/**
 * Counts one request in the windows KEYS[1] (second), KEYS[2] (minute), KEYS[3] (requests over the
 * limit) and KEYS[4] (the ban), and records the address in KEYS[5]. ARGV: the limits of second and
 * minute, the number over them that bans, its milliseconds, and the address. Returns the counts of
 * both windows, and the milliseconds until they and the ban end.
 */
const COUNT = `
local function window(key, milliseconds)
  local count = redis.call('INCR', key)
  if count == 1 then redis.call('PEXPIRE', key, milliseconds) end
  return count
end
redis.call('ZADD', KEYS[5], redis.call('TIME')[1], ARGV[5])
redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -101)
redis.call('PEXPIRE', KEYS[5], ARGV[4])
local second = window(KEYS[1], 1000)
local minute = window(KEYS[2], 60000)
if second > tonumber(ARGV[1]) or minute > tonumber(ARGV[2]) then
  if window(KEYS[3], ARGV[4]) == tonumber(ARGV[3]) then redis.call('SET', KEYS[4], 1, 'PX', ARGV[4]) end
end
return {second, minute, redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]), math.max(0, redis.call('PTTL', KEYS[4]))}`

/**
 * Returns, for each address in KEYS[1], its requests in the current minute and the milliseconds
 * until its ban ends, by keys that begin with ARGV[1].
 */
const USES = `
local uses = {}
for _, address in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local minute = redis.call('GET', ARGV[1] .. 'minute:' .. address)
  uses[#uses + 1] = {address, tonumber(minute or 0), math.max(0, redis.call('PTTL', ARGV[1] .. 'ban:' .. address))}
end
return uses`

/** Returns the milliseconds until the ban KEYS[1] ends. */
const BAN = `return math.max(0, redis.call('PTTL', KEYS[1]))`

/**
 * How long the lookup of a ban is cached, also that of none, so that operations do not each cost
 * one.
 */
const BAN_CACHE_MS = 1_000
/** Cached lookups of bans; the oldest is evicted first. */
const MAX_CACHED_BANS = 10_000

/** Creates the store of the rate limit that the environment configures: Redis where it has one. */
export async function storeRateLimitOf(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<RequestCounter> {
  if (url === undefined) return memoryRateLimit(() => performance.now())
  return redisRateLimit(await redisScripts({ url, purpose: 'the rate limits of the store', log }))
}

/**
 * Counts in Redis, for all processes together. While Redis is unreachable, this process counts by
 * itself: no client waits, and no request goes uncounted.
 */
export function redisRateLimit(scripts: RedisScripts): RequestCounter {
  const own = memoryRateLimit(() => performance.now())
  const cachedBans = new Map<string, { readonly at: number; readonly banEndsIn: Promise<number> }>()

  return {
    banEndsIn(address, storeCode) {
      const key = `${prefixOf(storeCode)}ban:${address}`
      const at = performance.now()
      const cached = cachedBans.get(key)
      if (cached && at - cached.at < BAN_CACHE_MS) return cached.banEndsIn
      const lookup = scripts.run(BAN, [key], [])
      if (lookup === null) return own.banEndsIn(address, storeCode)
      const banEndsIn = lookup.then((answer) => (typeof answer === 'number' ? answer : own.banEndsIn(address, storeCode)))
      putLast(cachedBans, key, { at, banEndsIn }, MAX_CACHED_BANS)
      return banEndsIn
    },
    count(address, storeCode) {
      const keys = ['second:', 'minute:', 'over:', 'ban:'].map((window) => `${prefixOf(storeCode)}${window}${address}`)
      const limits = [MAX_REQUESTS_PER_SECOND, MAX_REQUESTS_PER_MINUTE, MAX_REQUESTS_OVER_LIMIT, BAN_SECONDS * 1_000]
      const counted = scripts.run(COUNT, [...keys, addressesOf(storeCode)], [...limits, address])
      if (counted === null) return own.count(address, storeCode)
      return counted.then((answer) => {
        if (answer === null) return own.count(address, storeCode)
        // COUNT returns five numbers.
        const [second, minute, secondEndsIn, minuteEndsIn, banEndsIn] = answer as [number, number, number, number, number]
        return { second, minute, secondEndsIn, minuteEndsIn, banEndsIn }
      })
    },
    async uses(storeCode) {
      const answer = await scripts.run(USES, [addressesOf(storeCode)], [prefixOf(storeCode)])
      if (answer === null) return own.uses(storeCode)
      // USES returns such a triple for each address.
      const uses = answer as readonly (readonly [address: string, minute: number, banEndsIn: number])[]
      return busiest(uses.map(([address, minute, banEndsIn]) => ({ address, minute, banEndsIn })))
    },
    close: scripts.close,
  }
}

/** One hash tag: Redis Cluster keeps all keys of a store in one slot. */
const prefixOf = (storeCode: string): string => `atrium:store:{${storeCode}}:`
const addressesOf = (storeCode: string): string => `${prefixOf(storeCode)}addresses`
