import type { Logger } from 'pino'
import { type RedisScripts, redisScripts } from '../../../platform/redis/redis-scripts.ts'
import {
  BAN_SECONDS,
  busiest,
  MOST_OVER,
  memoryRateLimit,
  PER_MINUTE,
  PER_SECOND,
  putLast,
  type RateLimit,
} from './rate-limit.ts'

/**
 * Counts one request in the windows KEYS[1] (second), KEYS[2] (minute), KEYS[3] (requests over the limit) and KEYS[4] (the ban), and notes who asked in
 * KEYS[5]. ARGV: the limits of second and minute, the number over them that is a ban, its milliseconds, and the address. Answers the counts of both windows, and
 * the milliseconds until they and the ban end.
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

/** Answers, for each address in KEYS[1], its requests in the running minute and the milliseconds until its ban ends, by keys that begin with ARGV[1]. */
const USES = `
local uses = {}
for _, address in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local minute = redis.call('GET', ARGV[1] .. 'minute:' .. address)
  uses[#uses + 1] = {address, tonumber(minute or 0), math.max(0, redis.call('PTTL', ARGV[1] .. 'ban:' .. address))}
end
return uses`

/** Answers the milliseconds until the ban KEYS[1] ends. */
const BAN = `return math.max(0, redis.call('PTTL', KEYS[1]))`

/** For so long a look at a ban holds, also one that found none; so that not every operation is one. */
const BAN_LOOK_MS = 1_000
/** Addresses and stores whose ban was looked at; the oldest look is forgotten first. */
const MAX_BAN_LOOKS = 10_000

/** The limits that an environment asks for: counted in Redis where it has one. */
export async function storeRateLimitOf(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<RateLimit> {
  if (url === undefined) return memoryRateLimit(() => performance.now())
  return redisRateLimit(await redisScripts({ url, purpose: 'the rate limits of the store', log }))
}

/**
 * Limits that all processes count together. While Redis cannot be reached, this process counts by itself: neither does a client wait for it, nor is anybody let
 * through uncounted.
 */
export function redisRateLimit(scripts: RedisScripts): RateLimit {
  const own = memoryRateLimit(() => performance.now())
  const looks = new Map<string, { readonly at: number; readonly banEndsIn: Promise<number> }>()

  return {
    banEndsIn(address, storeCode) {
      const key = `${prefixOf(storeCode)}ban:${address}`
      const at = performance.now()
      const known = looks.get(key)
      if (known && at - known.at < BAN_LOOK_MS) return known.banEndsIn
      const looking = scripts.run(BAN, [key], [])
      if (looking === null) return own.banEndsIn(address, storeCode)
      const banEndsIn = looking.then((answer) => (typeof answer === 'number' ? answer : own.banEndsIn(address, storeCode)))
      putLast(looks, key, { at, banEndsIn }, MAX_BAN_LOOKS)
      return banEndsIn
    },
    count(address, storeCode) {
      const keys = ['second:', 'minute:', 'over:', 'ban:'].map((window) => `${prefixOf(storeCode)}${window}${address}`)
      const limits = [PER_SECOND, PER_MINUTE, MOST_OVER, BAN_SECONDS * 1_000]
      const counted = scripts.run(COUNT, [...keys, addressesOf(storeCode)], [...limits, address])
      if (counted === null) return own.count(address, storeCode)
      return counted.then((answer) => {
        if (answer === null) return own.count(address, storeCode)
        const [second, minute, secondEndsIn, minuteEndsIn, banEndsIn] = answer as [number, number, number, number, number]
        return { second, minute, secondEndsIn, minuteEndsIn, banEndsIn }
      })
    },
    async uses(storeCode) {
      const answer = await scripts.run(USES, [addressesOf(storeCode)], [prefixOf(storeCode)])
      if (answer === null) return own.uses(storeCode)
      const uses = answer as readonly (readonly [address: string, minute: number, banEndsIn: number])[]
      return busiest(uses.map(([address, minute, banEndsIn]) => ({ address, minute, banEndsIn })))
    },
    close: scripts.close,
  }
}

/** One hash tag: a cluster keeps all of a store together. */
const prefixOf = (storeCode: string): string => `atrium:store:{${storeCode}}:`
const addressesOf = (storeCode: string): string => `${prefixOf(storeCode)}addresses`
