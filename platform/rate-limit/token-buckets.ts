import { boundedCache } from '../collections/bounded-cache.ts'

/** The state of a bucket after a request for tokens. */
export type RateLimitResult = {
  readonly isGranted: boolean
  /** Tokens left, rounded down. */
  readonly left: number
  /** Whole seconds until the bucket is full again. */
  readonly fullInSeconds: number
  /** Whole seconds until the same request can be granted, at least 1; 0 when it was. */
  readonly waitSeconds: number
}

/** Takes tokens from the bucket of `key`, all or none; a negative number returns them. */
export type TokenBuckets = (key: string, points: number) => RateLimitResult

/** Least recently used buckets are evicted: one unused for its period is full again. */
const CACHE_LIMITS = { maxEntries: 20_000, maxCharacters: Number.POSITIVE_INFINITY }

/** In which a bucket is refilled unless something else is said. Milliseconds. */
export const MINUTE_MS = 60_000

/**
 * A token bucket of `size` per key in this process: burst or spread, refilled evenly in `periodMs`,
 * a minute by default. A request over the bucket size is never granted.
 */
export function tokenBuckets(size: number, now: () => Date, periodMs = MINUTE_MS): TokenBuckets {
  const buckets = boundedCache<{ left: number; at: number }>(CACHE_LIMITS)

  return (key, points) => {
    const at = now().getTime()
    let bucket = buckets.get(key)
    if (!bucket) {
      bucket = { left: size, at }
      buckets.set(key, bucket)
    }
    const before = Math.min(size, bucket.left + (Math.max(0, at - bucket.at) * size) / periodMs)
    // After a clock set back, count from now: waiting for the old time would block the bucket.
    if (at < bucket.at) {
      bucket.left = before
      bucket.at = at
    }
    if (before < points) return toRateLimitResult(before, points, size, periodMs)
    bucket.left = Math.min(size, before - points)
    bucket.at = at
    return toRateLimitResult(bucket.left, 0, size, periodMs)
  }
}

/** The result for a bucket with `left` tokens and `wanted` ungranted ones; 0 when granted. */
export function toRateLimitResult(left: number, wanted: number, size: number, periodMs = MINUTE_MS): RateLimitResult {
  const secondsFor = (points: number) => Math.ceil((Math.max(0, points) * periodMs) / 1_000 / size)
  return {
    isGranted: wanted === 0,
    left: Math.max(0, Math.floor(left)),
    fullInSeconds: secondsFor(size - left),
    waitSeconds: wanted === 0 ? 0 : Math.max(1, secondsFor(wanted - left)),
  }
}
