import type { Caller } from '../../../platform/http/caller.ts'

export const PLANS = ['free', 'unlimited'] as const
export type Plan = (typeof PLANS)[number]

/** `operator`: the key may also change what applies to all keys. */
export type KeyRole = 'caller' | 'operator'

/** Scans per calendar month in UTC; null: no limit. */
export const SCANS_PER_MONTH: Readonly<Record<Plan, number | null>> = { free: 150, unlimited: null }

/** Key of a caller. Its secrets are stored as hashes only. */
export type ApiKey = {
  /** Row id. */
  readonly id: string
  /** What its owner calls it. */
  readonly name: string
  readonly plan: Plan
  readonly role: KeyRole
  readonly createdAt: Date
  /** Null while it is in use. */
  readonly revokedAt: Date | null
}

/** Keys that one user may have in use. */
export const MAX_KEYS_PER_USER = 3
/** Keys that one user may make in a calendar month: a new one has scans of its own. */
export const MAX_NEW_KEYS_PER_MONTH = 5

/** A key for the user who made it. */
export type OwnKey = Pick<ApiKey, 'id' | 'name' | 'plan' | 'createdAt'> & {
  /** First characters of its newest secret. */
  readonly hint: string
  /** Scans of the month. */
  readonly used: number
}

/** Scans of one key in one month. */
export type Usage = {
  readonly plan: Plan
  readonly limit: number | null
  readonly used: () => Promise<number>
  /** Null without a limit. */
  readonly remaining: number | null
  readonly periodStart: Date
  readonly resetsAt: Date
  readonly secondsUntilReset: number
}

/** The month of a time: its first instant in UTC, and that of the next. */
export function monthRange(at: Date): { readonly start: Date; readonly end: Date } {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) }
}

/** A JWT is a credential of another subgraph, not a key. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The secret of a caller: X-API-Key, else a bearer token that is no JWT; null for none. */
export function secretIn({ credentials }: Pick<Caller, 'credentials'>): string | null {
  const own = credentials['x-api-key']?.trim()
  if (own) return own
  const token = /^Bearer +(\S+)$/i.exec(credentials.authorization?.trim() ?? '')?.[1]
  return token === undefined || JWT.test(token) ? null : token
}

/** The header value with the secret that `secretIn` finds, as it was sent. */
export const secretHeaderOf = ({ credentials }: Pick<Caller, 'credentials'>): string | undefined =>
  credentials['x-api-key']?.trim() ? credentials['x-api-key'] : credentials.authorization
