import { rateLimited } from '../graphql/errors.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

/**
 * Takes tokens of an address, one without `count`, all or none; rejects with RATE_LIMITED and the
 * seconds to wait. An address has tokens of its own in each `scope`, an id of ours.
 */
export type AddressRateLimit = (
  address: string,
  options?: { readonly scope?: string | undefined; readonly count?: number | undefined },
) => Promise<void>

/**
 * Limits an address to `perMinute`, in a burst or spread (token bucket). An IPv6 /64 counts as one
 * address, because a single host has 2^64.
 */
export function addressRateLimit(what: string, perMinute: number, { buckets }: RateLimitStore): AddressRateLimit {
  const take = buckets(what, perMinute)

  return async (address, { scope, count = 1 } = {}) => {
    const network = networkOf(address)
    const { isGranted, waitSeconds } = await take(scope === undefined ? network : `${scope} ${network}`, count)
    if (!isGranted) throw rateLimited(`${what} from this address`, waitSeconds)
  }
}

/** The /64 of an IPv6 address; any other address unchanged. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const parts = [groups(head), groups(tail ?? '')] as const
  const missing = tail === undefined ? 0 : 8 - parts[0].length - parts[1].length
  return [...parts[0], ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...parts[1]].slice(0, 4).join(':')
}
