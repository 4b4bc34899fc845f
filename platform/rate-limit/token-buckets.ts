import { boundedCache } from '../collections/bounded-cache.ts'

/** What became of a wish for points. */
export type RateLimitResult = {
  readonly isGranted: boolean
  /** Points that are left, rounded down. */
  readonly left: number
  /** Whole seconds until the bucket is full again. */
  readonly fullInSeconds: number
  /** Whole seconds until the same wish can be granted, at least 1; 0 when it was. */
  readonly waitSeconds: number
}

/** Takes points out of the bucket of `key`: all of them or none. A negative number gives points back. */
export type TokenBuckets = (key: string, points: number) => RateLimitResult

/** Buckets that are remembered. One that was not used for a minute is full, so those that were not used of late are forgotten first. */
const CACHE_LIMITS = { maxEntries: 20_000, maxCharacters: Number.POSITIVE_INFINITY }

/**
 * A bucket of `perMinute` points per key: spent all at once or spread, and filled again evenly. In this process only. A wish for more than a whole
 * bucket is never granted; do not ask.
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
    // A clock that was set back counts from now on: it would not be there again for as long as it was ahead.
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

/** How a bucket stands with `left` points, to somebody who wants `wanted` more: none of them when they were granted. */
export function toRateLimitResult(left: number, wanted: number, perMinute: number): RateLimitResult {
  const secondsFor = (points: number) => Math.ceil((Math.max(0, points) * 60) / perMinute)
  return {
    isGranted: wanted === 0,
    left: Math.max(0, Math.floor(left)),
    fullInSeconds: secondsFor(perMinute - left),
    waitSeconds: wanted === 0 ? 0 : Math.max(1, secondsFor(wanted - left)),
  }
}
