import { type RawBuilder, sql } from 'kysely'

/**
 * A quota that fills up again evenly: `limit` at once or spread over `seconds`. 0 sets no limit.
 */
export type Quota = { readonly limit: number; readonly seconds: number }

/** How a quota stands; the type `QuotaLevel` of the schema. */
export type QuotaLevel = {
  readonly limit: number
  /** Rounded down. */
  readonly left: number
  /** Whole seconds until all of it is left again; null for a quota that waiting does not fill. */
  readonly fullInSeconds: number | null
}

/** Stands for "no limit" where a number is needed: above every sum, and exact as a double. */
export const UNLIMITED = 2 ** 53 - 1

/** What a quota may count at most: a single write that is larger takes all of it. */
export const sizeOf = ({ limit }: Quota): number => (limit === 0 ? UNLIMITED : limit)

/** What is left at `at` of a quota of which `left` was left at `since`. A clock that was set back fills nothing. */
export const refilledQuota = (quota: Quota, left: RawBuilder<unknown>, since: RawBuilder<unknown>, at: RawBuilder<unknown>) =>
  sql<number>`least(${sizeOf(quota)}::double precision,
    ${left} + greatest(0, extract(epoch FROM ${at} - ${since})::double precision) * ${sizeOf(quota) / quota.seconds}::double precision)`

/** A quota with so much left; null where there is no limit. */
export const quotaLevel = ({ limit, seconds }: Quota, left: number): QuotaLevel | null =>
  limit === 0
    ? null
    : {
        limit,
        left: Math.max(0, Math.floor(left)),
        fullInSeconds: Math.max(0, Math.ceil(((limit - left) * seconds) / limit)),
      }

/** Whole seconds until `wanted` is left, at least 1. */
export const secondsUntil = (quota: Quota, left: number, wanted: number): number =>
  Math.max(1, Math.ceil(((Math.min(wanted, sizeOf(quota)) - left) * quota.seconds) / sizeOf(quota)))

/**
 * A `QuotaExceededError` of the schema. `field` is the field of the type that tells what is left,
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
