import type { Logger } from 'pino'
import { type RedisScripts, redisScripts } from '../../../gateway/redis.ts'
import { BAN_SECONDS, MOST_OVER, memoryRateLimit, PER_MINUTE, PER_SECOND, type RateLimit } from './rate-limit.ts'

/**
 * Counts one request in the windows KEYS[1] (second), KEYS[2] (minute), KEYS[3] (requests over the limit) and KEYS[4] (the ban). ARGV: the limits of second and
 * minute, the number over them that is a ban, and its milliseconds. Answers the counts of both windows, and the milliseconds until they and the ban end.
 */
const COUNT = `
local function window(key, milliseconds)
  local count = redis.call('INCR', key)
  if count == 1 then redis.call('PEXPIRE', key, milliseconds) end
  return count
end
local second = window(KEYS[1], 1000)
local minute = window(KEYS[2], 60000)
if second > tonumber(ARGV[1]) or minute > tonumber(ARGV[2]) then
  if window(KEYS[3], ARGV[4]) == tonumber(ARGV[3]) then redis.call('SET', KEYS[4], 1, 'PX', ARGV[4]) end
end
return {second, minute, redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2]), math.max(0, redis.call('PTTL', KEYS[4]))}`

/** The limits that an environment asks for: counted in Redis where it has one. */
export async function storeRateLimitOf(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<RateLimit> {
  if (url === undefined) return memoryRateLimit(Date.now)
  return redisRateLimit(await redisScripts({ url, purpose: 'the rate limits of the store', log }))
}

/**
 * Limits that all processes count together. While Redis cannot be reached, this process counts by itself: neither does a client wait for it, nor is anybody let
 * through uncounted.
 */
export function redisRateLimit(scripts: RedisScripts): RateLimit {
  const own = memoryRateLimit(Date.now)

  return {
    count(address, storeCode) {
      // One hash tag: a cluster keeps the four together.
      const keys = ['second', 'minute', 'over', 'ban'].map((window) => `atrium:store:{${address} ${storeCode}}:${window}`)
      const counted = scripts.run(COUNT, keys, [PER_SECOND, PER_MINUTE, MOST_OVER, BAN_SECONDS * 1_000])
      if (counted === null) return own.count(address, storeCode)
      return counted.then((answer) => {
        if (answer === null) return own.count(address, storeCode)
        const [second, minute, secondEndsIn, minuteEndsIn, banEndsIn] = answer as [number, number, number, number, number]
        return { second, minute, secondEndsIn, minuteEndsIn, banEndsIn }
      })
    },
    close: scripts.close,
  }
}
