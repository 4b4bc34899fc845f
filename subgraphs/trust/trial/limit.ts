import { rateLimited } from '../../runtime/errors.ts'
import { networkOf } from '../../runtime/rate-limit.ts'
import { tokenBuckets } from '../../runtime/token-buckets.ts'

/** A minute. One who tries things out does not do more; registries and name servers are asked for each new name. */
const OF_ONE_ADDRESS = 5
/** A minute, from everybody together: many addresses must not make us a nuisance to the sources. */
const OF_ALL = 60

/** Takes one trial from what an address has, and says how many are left. Throws RATE_LIMITED when there is none. */
export type TrialLimit = (address: string) => number

/** Counts in this process only. */
export function trialLimit(now: () => Date): TrialLimit {
  const [ofOne, ofAll] = [tokenBuckets(OF_ONE_ADDRESS, now), tokenBuckets(OF_ALL, now)]

  return (address) => {
    const network = networkOf(address)
    const own = ofOne(network, 1)
    if (!own.isGranted) throw rateLimited('trials from this address', own.waitSeconds)
    const all = ofAll('', 1)
    if (all.isGranted) return own.left
    // Others used them up: it costs this one nothing.
    ofOne(network, -1)
    throw rateLimited('trials at the moment', all.waitSeconds)
  }
}
