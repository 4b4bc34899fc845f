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

/** Counts requests. Never rejects. */
export type RateLimit = {
  /** Counts one. */
  readonly count: (address: string, storeCode: string) => Standing | Promise<Standing>
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

type Window = {
  second: number
  secondEnds: number
  minute: number
  minuteEnds: number
  over: number
  overEnds: number
  banEnds: number
}

/** Counts in this process. A window begins with its first request. `now` is in milliseconds, of a clock that is not set back: windows would last as long. */
export function memoryRateLimit(now: () => number): RateLimit {
  const windows = new Map<string, Window>()

  return {
    count(address, storeCode) {
      const at = now()
      const key = `${address} ${storeCode}`
      const window = windows.get(key) ?? { second: 0, secondEnds: 0, minute: 0, minuteEnds: 0, over: 0, overEnds: 0, banEnds: 0 }
      windows.delete(key)
      windows.set(key, window)
      for (const [oldest] of windows) {
        if (windows.size <= MOST_REMEMBERED) break
        windows.delete(oldest)
      }

      if (window.secondEnds <= at) [window.second, window.secondEnds] = [0, at + 1_000]
      if (window.minuteEnds <= at) [window.minute, window.minuteEnds] = [0, at + 60_000]
      window.second++
      window.minute++
      if (window.second > PER_SECOND || window.minute > PER_MINUTE) {
        if (window.overEnds <= at) [window.over, window.overEnds] = [0, at + BAN_SECONDS * 1_000]
        if (++window.over === MOST_OVER) window.banEnds = at + BAN_SECONDS * 1_000
      }
      return {
        second: window.second,
        minute: window.minute,
        secondEndsIn: window.secondEnds - at,
        minuteEndsIn: window.minuteEnds - at,
        banEndsIn: Math.max(0, window.banEnds - at),
      }
    },
    uses: async (storeCode) => {
      const at = now()
      const own = [...windows].filter(([key]) => key.endsWith(` ${storeCode}`))
      return busiest(
        own.map(([key, { minute, minuteEnds, banEnds }]) => ({
          address: key.slice(0, key.indexOf(' ')),
          minute: minuteEnds > at ? minute : 0,
          banEndsIn: Math.max(0, banEnds - at),
        })),
      )
    },
    close: async () => {},
  }
}

const MOST_SHOWN = 20

/** Those that have used anything, the busiest first. */
export const busiest = (uses: readonly Use[]): readonly Use[] =>
  uses
    .filter(({ minute, banEndsIn }) => minute > 0 || banEndsIn > 0)
    .sort((one, other) => other.minute - one.minute)
    .slice(0, MOST_SHOWN)
