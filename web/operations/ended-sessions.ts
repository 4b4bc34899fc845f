import { hash } from 'node:crypto'
import type { Visit } from '../frame/form-token.ts'

/** Sign-outs within the lifetime of a session. */
const MAX_ENDED_SESSIONS = 1_000

/** A session in a sealed cookie, and when it began: milliseconds since 1970. */
export type EndableSession = Visit & { readonly begunAt: number }

/**
 * Sessions of this process that were signed out before their cookies expire: a copy of the cookie
 * opens nothing. They are stored as hashes. Beyond the bound, all sessions end.
 */
export function createEndedSessions({ lifetimeMs, now }: { readonly lifetimeMs: number; readonly now: () => number }) {
  /** When the cookie expires, by the hash of its token; the first expires first. */
  const expiries = new Map<string, number>()
  let endedUntil = 0

  return {
    end({ formToken }: EndableSession): void {
      for (const [token, expiry] of expiries) {
        if (expiry > now()) break
        expiries.delete(token)
      }
      if (expiries.size >= MAX_ENDED_SESSIONS) {
        endedUntil = now()
        expiries.clear()
      }
      expiries.set(hash('sha256', formToken), now() + lifetimeMs)
    },

    has: ({ formToken, begunAt }: EndableSession): boolean => begunAt <= endedUntil || expiries.has(hash('sha256', formToken)),
  }
}
