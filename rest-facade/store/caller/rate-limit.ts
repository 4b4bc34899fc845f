import type { Failure } from '../wire/failure.ts'

/** The limits of one address towards one store. Both are from the published contract. */
export const PER_SECOND = 20
export const PER_MINUTE = 800
/** Requests over the limit after which an address is banned, and for how long: the number is published, the time is our choice. */
export const MOST_OVER = 2_000
export const BAN_SECONDS = 3_600

/** How the windows of one address and store stand after a request. */
export type Standing = {
  /** Requests in the running second and minute, this one included. */
  readonly second: number
  readonly minute: number
  /** Milliseconds until each window ends. */
  readonly secondEndsIn: number
  readonly minuteEndsIn: number
  /** Milliseconds until the end of a ban; 0 without one. */
  readonly banEndsIn: number
}

/** How far one address has used the limits of a store. */
export type Use = {
  readonly address: string
  /** Requests in the running minute. */
  readonly minute: number
  /** Milliseconds until the end of a ban; 0 without one. */
  readonly banEndsIn: number
}

/** In place of a store's code: requests whose store is not known, because of their credentials. No store has this code. */
export const NO_STORE = '*'

/** Counts requests. Never rejects. An address is that of an IPv4 client, or the /64 network of an IPv6 one. */
export type RateLimit = {
  /** Counts one. */
  readonly count: (address: string, storeCode: string) => Standing | Promise<Standing>
  /** Milliseconds until the end of the ban of an address from a store; 0 without one. Counts nothing. */
  readonly banEndsIn: (address: string, storeCode: string) => number | Promise<number>
  /** Who has asked a store in the running minute, or is banned from it: the busiest first, at most 20 of those that asked last. */
  readonly uses: (storeCode: string) => Promise<readonly Use[]>
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
export const LIMIT_HEADERS: readonly string[] = Object.values(NAMES)

/** What the client is told: headers of every answer, and the refusal when it asks too often. */
export function verdictOf(
  { second, minute, secondEndsIn, minuteEndsIn, banEndsIn }: Standing,
  now: number,
): { readonly headers: Readonly<Record<string, string>>; readonly refusal: Failure | null } {
  const headers = {
    [NAMES.minuteLimit]: String(PER_MINUTE),
    [NAMES.minuteLeft]: String(Math.max(0, PER_MINUTE - minute)),
    [NAMES.secondLimit]: String(PER_SECOND),
    [NAMES.secondLeft]: String(Math.max(0, PER_SECOND - second)),
  }
  const waits = [
    ...(second > PER_SECOND ? [secondEndsIn] : []),
    ...(minute > PER_MINUTE ? [minuteEndsIn] : []),
    ...(banEndsIn > 0 ? [banEndsIn] : []),
  ]
  if (waits.length === 0) return { headers, refusal: null }
  const retry = { 'retry-after': String(Math.max(1, Math.ceil(Math.max(...waits) / 1000))) }
  const ban = banEndsIn > 0 && { [NAMES.banEnds]: utc(now + banEndsIn) }
  return { headers, refusal: { status: 429, message: 'Too Many Requests (Rate Limit Exceeded)', headers: { ...retry, ...ban } } }
}

/** `2024-05-23T16:13:47+00:00`. */
const utc = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}+00:00`

/** Addresses and stores that are remembered; those that were quiet for longest are forgotten first. */
const MOST_REMEMBERED = 20_000
/** Bans at once; the oldest ends early for one more. Each cost 2,000 refused requests: 20,000 are 40 million. */
const MAX_BANS = 20_000

type Window = {
  second: number
  secondEnds: number
  minute: number
  minuteEnds: number
  over: number
  overEnds: number
}

/** Counts in this process. A window begins with its first request. `now` is in milliseconds, of a clock that is not set back: windows would last as long. */
export function memoryRateLimit(now: () => number): RateLimit {
  const windows = new Map<string, Window>()
  // Apart: who has no credentials must not make windows of stores be forgotten.
  const windowsWithoutStore = new Map<string, Window>()
  /** When each ends. Apart from the windows: who makes those be forgotten does not end a ban. */
  const bans = new Map<string, number>()
  const keyOf = (address: string, storeCode: string): string => `${address} ${storeCode}`

  return {
    count(address, storeCode) {
      const at = now()
      const key = keyOf(address, storeCode)
      const known = storeCode === NO_STORE ? windowsWithoutStore : windows
      const window = known.get(key) ?? { second: 0, secondEnds: 0, minute: 0, minuteEnds: 0, over: 0, overEnds: 0 }
      putLast(known, key, window, MOST_REMEMBERED)

      if (window.secondEnds <= at) [window.second, window.secondEnds] = [0, at + 1_000]
      if (window.minuteEnds <= at) [window.minute, window.minuteEnds] = [0, at + 60_000]
      window.second++
      window.minute++
      if (window.second > PER_SECOND || window.minute > PER_MINUTE) {
        if (window.overEnds <= at) [window.over, window.overEnds] = [0, at + BAN_SECONDS * 1_000]
        if (++window.over === MOST_OVER) putLast(bans, key, at + BAN_SECONDS * 1_000, MAX_BANS)
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

const MOST_SHOWN = 20

/** Those that have used anything, the busiest first. */
export const busiest = (uses: readonly Use[]): readonly Use[] =>
  uses
    .filter(({ minute, banEndsIn }) => minute > 0 || banEndsIn > 0)
    .sort((one, other) => other.minute - one.minute)
    .slice(0, MOST_SHOWN)
    .map((use) => ({ ...use, address: NETWORK.test(use.address) ? `${use.address}::/64` : use.address }))

/** A /64 network of IPv6, as it is counted. */
const NETWORK = /^[\da-f]{1,4}(?::[\da-f]{1,4}){3}$/i
