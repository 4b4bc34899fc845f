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

/** Least recently used buckets are evicted: one unused for a minute is full again. */
const CACHE_LIMITS = { maxEntries: 20_000, maxCharacters: Number.POSITIVE_INFINITY }

/**
 * A token bucket of `perMinute` per key in this process: burst or spread, refilled evenly. A
 * request over the bucket size is never granted.
 */
export function tokenBuckets(perMinute: number, now: () => Date): TokenBuckets {
  const buckets = boundedCache<{ left: number; at: number }>(CACHE_LIMITS)

  return (key, points) => {
    const at = now().getTime()
    let bucket = buckets.get(key)
    if (!bucket) {
      bucket = { left: perMinute, at }
      buckets.set(key, bucket)
    }
    const before = Math.min(perMinute, bucket.left + (Math.max(0, at - bucket.at) * perMinute) / 60_000)
    // After a clock set back, count from now: waiting for the old time would block the bucket.
    if (at < bucket.at) {
      bucket.left = before
      bucket.at = at
    }
    if (before < points) return toRateLimitResult(before, points, perMinute)
    bucket.left = Math.min(perMinute, before - points)
    bucket.at = at
    return toRateLimitResult(bucket.left, 0, perMinute)
  }
}

/** The result for a bucket with `left` tokens and `wanted` ungranted ones; 0 when granted. */
export function toRateLimitResult(left: number, wanted: number, perMinute: number): RateLimitResult {
  const secondsFor = (points: number) => Math.ceil((Math.max(0, points) * 60) / perMinute)
  return {
    isGranted: wanted === 0,
    left: Math.max(0, Math.floor(left)),
    fullInSeconds: secondsFor(perMinute - left),
    waitSeconds: wanted === 0 ? 0 : Math.max(1, secondsFor(wanted - left)),
  }
}
