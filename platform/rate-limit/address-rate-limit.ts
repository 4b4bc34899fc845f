import { rateLimited } from '../graphql/errors.ts'
import type { RateLimitStore } from './rate-limit-store.ts'

/** Counts one of something that an address does; rejects with RATE_LIMITED, with the seconds to wait, when it was too often. */
export type AddressRateLimit = (address: string) => Promise<void>

/**
 * Allows `perMinute` from one address, all at once or spread: a bucket that fills again evenly. Networks of IPv6 count as one
 * address, for everybody has 2^64 of them.
 */
export function addressRateLimit(what: string, perMinute: number, { buckets }: RateLimitStore): AddressRateLimit {
  const take = buckets(what, perMinute)

  return async (address) => {
    const { isGranted, waitSeconds } = await take(networkOf(address), 1)
    if (!isGranted) throw rateLimited(`${what} from this address`, waitSeconds)
  }
}

/** The /64 of an IPv6 address, and every other address as it is. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const known = [groups(head), groups(tail ?? '')] as const
  const missing = tail === undefined ? 0 : 8 - known[0].length - known[1].length
  return [...known[0], ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...known[1]].slice(0, 4).join(':')
}
