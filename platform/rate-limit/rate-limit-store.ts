import type { Logger } from 'pino'
import { type RedisScripts, redisScripts } from '../redis/redis-scripts.ts'
import { MINUTE_MS, type RateLimitResult, tokenBuckets, toRateLimitResult } from './token-buckets.ts'

/**
 * Takes tokens from the bucket of `key`, all or none; a negative number returns them. Never
 * rejects.
 */
export type TakeTokens = (key: string, points: number) => RateLimitResult | Promise<RateLimitResult>

/** Where token buckets are stored. */
export type RateLimitStore = {
  /**
   * A token bucket of `size` per key: burst or spread, refilled evenly in `periodMs`, a minute by
   * default. Equal names share buckets within one store. A request over the bucket size is never
   * granted.
   */
  readonly buckets: (name: string, size: number, periodMs?: number) => TakeTokens
  readonly close: () => Promise<void>
}

/** Stores buckets in this process only. */
export const localRateLimitStore = (now: () => Date = () => new Date()): RateLimitStore => ({
  buckets: (_, size, periodMs) => tokenBuckets(size, now, periodMs),
  close: async () => {},
})

/**
 * Stores buckets in Redis, shared by all processes. While Redis is unavailable, each process counts
 * locally: requests do not wait, and are still counted.
 */
export function redisRateLimitStore(scripts: RedisScripts): RateLimitStore {
  return {
    buckets(name, size, periodMs = MINUTE_MS) {
      const takeLocally = tokenBuckets(size, () => new Date(), periodMs)
      return (key, points) => {
        const pending = takeFromRedis(scripts, [`atrium:limit:${name}:${key}`], [size], points, periodMs)
        if (pending === null) return takeLocally(key, points)
        return pending.then((result) => {
          if (result === null) return takeLocally(key, points)
          const [left = 0] = result.left
          return toRateLimitResult(left, result.isGranted ? 0 : points, size, periodMs)
        })
      }
    },
    close: scripts.close,
  }
}

/** The store of a configuration: Redis with REDIS_URL, this process otherwise. */
export async function rateLimitStoreOf(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<RateLimitStore> {
  if (url === undefined) return localRateLimitStore()
  return redisRateLimitStore(await redisScripts({ url, purpose: 'limits of addresses and keys', log }))
}

/**
 * Takes ARGV[1] tokens from all buckets of KEYS or from none; they are refilled in ARGV[2]
 * milliseconds, and ARGV[3…] are their sizes. Returns
 * whether it did, and the rest in each. Uses the clock of Redis, because those of processes differ.
 * A full bucket needs no key.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points = tonumber(ARGV[1])
local period = tonumber(ARGV[2])
local granted = 1
local left = {}
for i, key in ipairs(KEYS) do
  local size = tonumber(ARGV[i + 2])
  local bucket = redis.call('HMGET', key, 'left', 'at')
  left[i] = size
  if bucket[1] then left[i] = math.min(size, bucket[1] + math.max(0, now - bucket[2]) * size / period) end
  if left[i] < points then granted = 0 end
end
for i, key in ipairs(KEYS) do
  if granted == 1 then
    left[i] = math.min(tonumber(ARGV[i + 2]), left[i] - points)
    redis.call('HSET', key, 'left', left[i], 'at', now)
    redis.call('PEXPIRE', key, period)
  end
  left[i] = tostring(left[i])
end
return {granted, unpack(left)}`

/**
 * Takes tokens from several Redis buckets of these sizes, all or none; null while Redis is
 * unavailable. Never rejects.
 */
export function takeFromRedis(
  scripts: RedisScripts,
  keys: readonly string[],
  sizes: readonly number[],
  points: number,
  periodMs = MINUTE_MS,
): Promise<{ readonly isGranted: boolean; readonly left: readonly number[] } | null> | null {
  const reply = scripts.run(TAKE, keys, [points, periodMs, ...sizes])
  if (reply === null) return null
  return reply.then((answer) => {
    if (!Array.isArray(answer)) return null
    const [granted, ...left] = answer.map(Number)
    return { isGranted: granted === 1, left }
  })
}
