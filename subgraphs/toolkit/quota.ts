import { type RawBuilder, sql } from 'kysely'

/**
 * A token bucket: `limit` in a burst or spread over `seconds`, refilled evenly. 0 sets no limit.
 */
export type Quota = { readonly limit: number; readonly seconds: number }

/** State of a quota; `QuotaLevel` of the schema. */
export type QuotaLevel = {
  readonly limit: number
  /** Rounded down. */
  readonly left: number
  /** Whole seconds until full; null for a quota that does not refill. */
  readonly fullInSeconds: number | null
}

/** "No limit" as a number: above every sum, and exact as a double. */
export const UNLIMITED = 2 ** 53 - 1

/** Capacity of the bucket: a larger single write takes all of it. */
export const sizeOf = ({ limit }: Quota): number => (limit === 0 ? UNLIMITED : limit)

/** SQL for the tokens at `at`, from `left` tokens at `since`. A clock set back refills nothing. */
export const refilledQuota = (quota: Quota, left: RawBuilder<unknown>, since: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  sql<number>`least(${sizeOf(quota)}::double precision,
    ${left} + greatest(0, extract(epoch FROM ${at} - ${since})::double precision) * ${sizeOf(quota) / quota.seconds}::double precision)`

/** State of a quota with `left` tokens; null without a limit. */
export const quotaLevel = ({ limit, seconds }: Quota, left: number): QuotaLevel | null =>
  limit === 0
    ? null
    : {
        limit,
        left: Math.max(0, Math.floor(left)),
        fullInSeconds: Math.max(0, Math.ceil(((limit - left) * seconds) / limit)),
      }

/** Whole seconds until `wanted` tokens are available, at least 1. */
export const secondsUntil = (quota: Quota, left: number, needed: number): number =>
  Math.max(1, Math.ceil(((Math.min(needed, sizeOf(quota)) - left) * quota.seconds) / sizeOf(quota)))

/**
 * A `QuotaExceededError` of the schema. `field` is the field of its type with the remaining quota,
 * `what` completes "At most 120 …", such as "writes a minute"; null `retryAfterSeconds`: waiting
 * does not help.
 */
export const quotaExceeded = (field: string, what: string, { limit }: Quota, retryAfterSeconds: number | null) => ({
  __typename: 'QuotaExceededError' as const,
  message: `Expected at most ${limit} ${what}${retryAfterSeconds === null ? '' : `: try again in ${retryAfterSeconds} seconds`}.`,
  field,
  limit,
  retryAfterSeconds,
})
