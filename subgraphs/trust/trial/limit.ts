import { rateLimited } from '../../../platform/graphql/errors.ts'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { RateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'

/**
 * A minute. Enough to try the service; registries and name servers are queried for each new name.
 */
const TRIALS_PER_ADDRESS_PER_MINUTE = 5
/** A minute, of all addresses together: many clients must not overload the sources. */
const TRIALS_PER_MINUTE = 60

/**
 * Takes one trial from the limit of an address, and returns the remaining number. Rejects with
 * RATE_LIMITED when there is none.
 */
export type TrialLimit = (address: string) => Promise<number>

/** Counts trials of addresses, and of all of them together. */
export function trialLimit({ buckets }: RateLimitStore): TrialLimit {
  const [addressBuckets, globalBucket] = [
    buckets('trials', TRIALS_PER_ADDRESS_PER_MINUTE),
    buckets('all trials', TRIALS_PER_MINUTE),
  ]

  return async (address) => {
    const network = networkOf(address)
    const own = await addressBuckets(network, 1)
    if (!own.isGranted) throw rateLimited('trials from this address', own.waitSeconds)
    const all = await globalBucket('', 1)
    if (all.isGranted) return own.left
    // Others used them up: it costs this one nothing.
    await addressBuckets(network, -1)
    throw rateLimited('trials at the moment', all.waitSeconds)
  }
}
