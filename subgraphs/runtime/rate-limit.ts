import { rateLimited } from './errors.ts'

/** Counts one of something that an address does; throws RATE_LIMITED, with the seconds to wait, when it was too often. */
export type RateLimit = (address: string) => void

/** Addresses that are remembered. Whoever has been away for a minute has everything again, and is forgotten first. */
const MOST_ADDRESSES = 20_000

/**
 * Allows `perMinute` from one address, all at once or spread: a bucket that fills again evenly. Counts in this process only. Networks of IPv6 count as one
 * address, for everybody has 2^64 of them.
 */
export function rateLimit(what: string, perMinute: number, now: () => Date): RateLimit {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()

  return (address) => {
    const key = networkOf(address)
    const at = now().getTime()
    const known = buckets.get(key)
    const left = known ? Math.min(perMinute, known.left + ((at - known.at) * perMinute) / 60_000) : perMinute
    if (left < 1) throw rateLimited(what, Math.ceil(((1 - left) * 60) / perMinute))
    // Behind the others: the first are those who have been away for longest.
    buckets.delete(key)
    buckets.set(key, { left: left - 1, at })
    for (const [oldest] of buckets) {
      if (buckets.size <= MOST_ADDRESSES) break
      buckets.delete(oldest)
    }
  }
}

/** The /64 of an IPv6 address, and every other address as it is. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const known = [groups(head), groups(tail ?? '')] as const
  const missing = tail === undefined ? 0 : 8 - known[0].length - known[1].length
  return [...known[0], ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...known[1]].slice(0, 4).join(':')
}
