import type { Logger } from 'pino'
import { type RedisScripts, redisScripts } from '../redis/redis-scripts.ts'
import { type RateLimitResult, tokenBuckets, toRateLimitResult } from './token-buckets.ts'

/** Takes points out of the bucket of `key`: all of them or none. A negative number gives points back. Never rejects. */
export type TakeTokens = (key: string, points: number) => RateLimitResult | Promise<RateLimitResult>

/** Where limits are counted. */
export type RateLimitStore = {
  /**
   * Buckets of `perMinute` points per key: spent all at once or spread, and filled again evenly. Equal names are equal buckets wherever they are counted together.
   * A wish for more than a whole bucket is never granted; do not ask.
   */
  readonly buckets: (name: string, perMinute: number) => TakeTokens
  readonly close: () => Promise<void>
}

/** Counts in this process only, by the time of `now`. */
export const localRateLimitStore = (now: () => Date = () => new Date()): RateLimitStore => ({
  buckets: (_, perMinute) => tokenBuckets(perMinute, now),
  close: async () => {},
})

/**
 * What all processes count together, in Redis. While that cannot be reached, this process counts by itself: neither does anybody wait for it, nor is anybody let
 * through uncounted.
 */
export function redisRateLimitStore(scripts: RedisScripts): RateLimitStore {
  return {
    buckets(name, perMinute) {
      const own = tokenBuckets(perMinute, () => new Date())
      return (key, points) => {
        const taking = takeFromRedis(scripts, [`atrium:limit:${name}:${key}`], [perMinute], points)
        if (taking === null) return own(key, points)
        return taking.then((taken) => {
          if (taken === null) return own(key, points)
          const [left = 0] = taken.left
          return toRateLimitResult(left, taken.isGranted ? 0 : points, perMinute)
        })
      }
    },
    close: scripts.close,
  }
}

/** The counting that an environment asks for: in Redis where it has one. */
export async function rateLimitStoreOf(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<RateLimitStore> {
  if (url === undefined) return localRateLimitStore()
  return redisRateLimitStore(await redisScripts({ url, purpose: 'limits of addresses and keys', log }))
}

/**
 * Takes ARGV[1] points out of all buckets of KEYS, or out of none; ARGV[2…] are their sizes. Answers whether it did, and what is left in each, by the
 * clock of Redis: those of several processes differ. A bucket that is full again needs no memory.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points = tonumber(ARGV[1])
local granted = 1
local left = {}
for i, key in ipairs(KEYS) do
  local size = tonumber(ARGV[i + 1])
  local bucket = redis.call('HMGET', key, 'left', 'at')
  left[i] = size
  if bucket[1] then left[i] = math.min(size, bucket[1] + math.max(0, now - bucket[2]) * size / 60000) end
  if left[i] < points then granted = 0 end
end
for i, key in ipairs(KEYS) do
  if granted == 1 then
    left[i] = math.min(tonumber(ARGV[i + 1]), left[i] - points)
    redis.call('HSET', key, 'left', left[i], 'at', now)
    redis.call('PEXPIRE', key, 60000)
  end
  left[i] = tostring(left[i])
end
return {granted, unpack(left)}`

/** Takes points out of several buckets in Redis, of these sizes, or out of none; null when Redis cannot be reached now. Never rejects. */
export function takeFromRedis(
  scripts: RedisScripts,
  keys: readonly string[],
  sizes: readonly number[],
  points: number,
): Promise<{ readonly isGranted: boolean; readonly left: readonly number[] } | null> | null {
  const answering = scripts.run(TAKE, keys, [points, ...sizes])
  if (answering === null) return null
  return answering.then((answer) => {
    if (!Array.isArray(answer)) return null
    const [granted, ...left] = answer.map(Number)
    return { isGranted: granted === 1, left }
  })
}
