import type { StoreFailure } from '../wire/failure.ts'

/** Limits per address and store, from the published contract. */
export const MAX_REQUESTS_PER_SECOND = 20
export const MAX_REQUESTS_PER_MINUTE = 800
/**
 * Requests over the limit within BAN_SECONDS that ban an address, as published; the duration, an
 * hour, is our choice.
 */
export const MAX_REQUESTS_OVER_LIMIT = 2_000
export const BAN_SECONDS = 3_600

/** Windows of one address and store, after a request was counted. */
export type RateLimitState = {
  /** Requests in the current second and minute, this one included. */
  readonly second: number
  readonly minute: number
  /** Milliseconds until each window ends. */
  readonly secondEndsIn: number
  readonly minuteEndsIn: number
  /** Milliseconds until the end of a ban; 0 without one. */
  readonly banEndsIn: number
}

/** Requests of one address to a store. */
export type AddressUse = {
  readonly address: string
  /** Requests in the current minute. */
  readonly minute: number
  /** Milliseconds until the end of a ban; 0 without one. */
  readonly banEndsIn: number
}

/** Stands for the store of requests without valid credentials. No store has this code. */
export const NO_STORE = '*'

/**
 * Counts requests. Never rejects. An address is that of an IPv4 client, or the /64 network of an
 * IPv6 one.
 */
export type RequestCounter = {
  /** Counts one. */
  readonly count: (address: string, storeCode: string) => RateLimitState | Promise<RateLimitState>
  /**
   * Milliseconds until the end of the ban of an address from a store; 0 without one. Counts
   * nothing.
   */
  readonly banEndsIn: (address: string, storeCode: string) => number | Promise<number>
  /** Addresses with requests in the current minute or a ban: the busiest first, at most 20. */
  readonly uses: (storeCode: string) => Promise<readonly AddressUse[]>
  readonly close: () => Promise<void>
}

/** The names are published: clients look for them. */
const NAMES = {
  minuteLimit: 'Jumpseller-PerMinuteRateLimit-Limit',
  minuteLeft: 'Jumpseller-PerMinuteRateLimit-Remaining',
  secondLimit: 'Jumpseller-PerSecondRateLimit-Limit',
  secondLeft: 'Jumpseller-PerSecondRateLimit-Remaining',
  banEnds: 'Jumpseller-BannedByRateLimit-Reset',
} as const
export const RATE_LIMIT_HEADERS: readonly string[] = Object.values(NAMES)

/**
 * Headers of every response, and the failure of requests over the limit. `now` is in milliseconds
 * since 1970.
 */
export function verdictOf(
  { second, minute, secondEndsIn, minuteEndsIn, banEndsIn }: RateLimitState,
  now: number,
): { readonly headers: Readonly<Record<string, string>>; readonly refusal: StoreFailure | null } {
  const headers = {
    [NAMES.minuteLimit]: String(MAX_REQUESTS_PER_MINUTE),
    [NAMES.minuteLeft]: String(Math.max(0, MAX_REQUESTS_PER_MINUTE - minute)),
    [NAMES.secondLimit]: String(MAX_REQUESTS_PER_SECOND),
    [NAMES.secondLeft]: String(Math.max(0, MAX_REQUESTS_PER_SECOND - second)),
  }
  const waits = [
    ...(second > MAX_REQUESTS_PER_SECOND ? [secondEndsIn] : []),
    ...(minute > MAX_REQUESTS_PER_MINUTE ? [minuteEndsIn] : []),
    ...(banEndsIn > 0 ? [banEndsIn] : []),
  ]
  if (waits.length === 0) return { headers, refusal: null }
  const retry = { 'retry-after': String(Math.max(1, Math.ceil(Math.max(...waits) / 1000))) }
  const ban = banEndsIn > 0 && { [NAMES.banEnds]: utc(now + banEndsIn) }
  return { headers, refusal: { status: 429, message: 'Too Many Requests (Rate Limit Exceeded)', headers: { ...retry, ...ban } } }
}

/** `2024-05-23T16:13:47+00:00`. */
const utc = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}+00:00`

/** Windows in memory; those without requests for longest are evicted first. */
const MAX_WINDOWS = 20_000
/**
 * Bans in memory; the oldest ends early for a new one. Each took 2,000 requests over the limit:
 * 20,000 take 40 million.
 */
const MAX_BANS = 20_000

type Window = {
  second: number
  secondEnds: number
  minute: number
  minuteEnds: number
  over: number
  overEnds: number
}

/**
 * Counts in this process. A window begins with its first request. `now` is in milliseconds of a
 * monotonic clock: windows would last as long as it is set back.
 */
export function memoryRateLimit(now: () => number): RequestCounter {
  const windows = new Map<string, Window>()
  // Separate, so that callers without credentials cannot evict windows of stores.
  const windowsWithoutStore = new Map<string, Window>()
  /** Times at which bans end. Separate, so that evicting windows ends no ban. */
  const bans = new Map<string, number>()
  const keyOf = (address: string, storeCode: string): string => `${address} ${storeCode}`

  return {
    count(address, storeCode) {
      const at = now()
      const key = keyOf(address, storeCode)
      const known = storeCode === NO_STORE ? windowsWithoutStore : windows
      const window = known.get(key) ?? { second: 0, secondEnds: 0, minute: 0, minuteEnds: 0, over: 0, overEnds: 0 }
      putLast(known, key, window, MAX_WINDOWS)

      if (window.secondEnds <= at) [window.second, window.secondEnds] = [0, at + 1_000]
      if (window.minuteEnds <= at) [window.minute, window.minuteEnds] = [0, at + 60_000]
      window.second++
      window.minute++
      if (window.second > MAX_REQUESTS_PER_SECOND || window.minute > MAX_REQUESTS_PER_MINUTE) {
        if (window.overEnds <= at) [window.over, window.overEnds] = [0, at + BAN_SECONDS * 1_000]
        if (++window.over === MAX_REQUESTS_OVER_LIMIT) putLast(bans, key, at + BAN_SECONDS * 1_000, MAX_BANS)
      }
      return {
        second: window.second,
        minute: window.minute,
        secondEndsIn: window.secondEnds - at,
        minuteEndsIn: window.minuteEnds - at,
        banEndsIn: banEndsIn(key, at),
      }
    },
    banEndsIn: (address, storeCode) => (bans.size === 0 ? 0 : banEndsIn(keyOf(address, storeCode), now())),
    uses: async (storeCode) => {
      const at = now()
      const keys = new Set([...windows.keys(), ...bans.keys()])
      const own = [...keys].filter((key) => key.endsWith(` ${storeCode}`))
      return busiest(
        own.map((key) => {
          const { minute, minuteEnds } = windows.get(key) ?? { minute: 0, minuteEnds: 0 }
          const address = key.slice(0, key.indexOf(' '))
          return { address, minute: minuteEnds > at ? minute : 0, banEndsIn: banEndsIn(key, at) }
        }),
      )
    },
    close: async () => {},
  }

  function banEndsIn(key: string, at: number): number {
    const ends = bans.get(key)
    if (ends === undefined) return 0
    if (ends <= at) bans.delete(key)
    return Math.max(0, ends - at)
  }
}

/** Sets `key` as the last of `map`, and drops the first ones beyond `max`. */
export function putLast<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.delete(key)
  map.set(key, value)
  for (const [oldest] of map) {
    if (map.size <= max) break
    map.delete(oldest)
  }
}

const MAX_USES = 20

/** Addresses with requests or a ban, the busiest first. */
export const busiest = (uses: readonly AddressUse[]): readonly AddressUse[] =>
  uses
    .filter(({ minute, banEndsIn }) => minute > 0 || banEndsIn > 0)
    .sort((one, other) => other.minute - one.minute)
    .slice(0, MAX_USES)
    .map((use) => ({ ...use, address: NETWORK.test(use.address) ? `${use.address}::/64` : use.address }))

/** The /64 network of an IPv6 address, as it is counted. */
const NETWORK = /^[\da-f]{1,4}(?::[\da-f]{1,4}){3}$/i
