import { excerpt } from '../../../platform/graphql/errors.ts'
import type { Engine } from '../assessment/engine.ts'
import type { InputFault } from '../input-fault.ts'
import type { Override as EngineOverride } from '../pipeline/request.ts'
import type { Action } from '../pipeline/stages.ts'
import { fromUnixSeconds, toUnixSeconds } from '../unix-time.ts'

/** What the owner of a key has decided about a name. */
export type Override = {
  /** Row id. */
  readonly id: string
  readonly keyId: string
  readonly subject: string
  readonly action: Action
  readonly reason: string
  /** Null: until it is deleted. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An override as it was sent. */
export type SetOverride = {
  readonly subject: string
  readonly action: Action
  readonly reason: string
  readonly expiresAt: Date | null
}

export const MAX_OVERRIDES_PER_KEY = 1_000
const MAX_REASON_CHARACTERS = 500
/** The last second that RFC 3339 can write: its years have four digits. */
const MAX_UNIX_SECONDS = toUnixSeconds(new Date('9999-12-31T23:59:59Z'))
/** PostgreSQL text has no NUL, and half of a surrogate pair is no character. */
const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** The override to store, or its faults; then `faults` is not empty. */
export function validateOverride(
  wanted: SetOverride,
  at: Date,
  engine: Pick<Engine, 'normalise'>,
): { readonly override: SetOverride } | { readonly faults: readonly InputFault[] } {
  const found = engine.normalise('url', wanted.subject)
  const reason = wanted.reason.trim()
  const faults: InputFault[] = []
  if (found.kind === 'invalid') faults.push({ field: 'subject', code: found.code, message: `subject: ${found.message}` })
  if (reason === '' || reason.length > MAX_REASON_CHARACTERS || UNSTORABLE.test(reason)) {
    const expected = `1 to ${MAX_REASON_CHARACTERS} characters of text that are not all white space`
    faults.push({ field: 'reason', code: 'text', message: `Expected "reason" to be ${expected}, got ${excerpt(wanted.reason)}.` })
  }
  if (wanted.expiresAt !== null && wanted.expiresAt <= at) {
    const message = `Expected "expiresAt" to be in the future, got ${wanted.expiresAt.toISOString()}.`
    faults.push({ field: 'expiresAt', code: 'past', message })
  }
  // An offset can lead there from a year of four digits.
  if (wanted.expiresAt !== null && toUnixSeconds(wanted.expiresAt) > MAX_UNIX_SECONDS) {
    const message = 'Expected "expiresAt" to be 9999-12-31T23:59:59Z at the latest, or null for no end.'
    faults.push({ field: 'expiresAt', code: 'too_late', message })
  }
  if (found.kind === 'invalid' || faults.length > 0) return { faults }
  // Decisions count in whole seconds.
  const expiresAt = wanted.expiresAt && fromUnixSeconds(toUnixSeconds(wanted.expiresAt))
  return { override: { ...wanted, subject: found.target.host, reason, expiresAt } }
}

/** An override as the engine takes it. */
export const toEngineOverride = ({
  keyId,
  subject,
  action,
  reason,
  expiresAt,
}: Pick<Override, 'keyId' | 'subject' | 'action' | 'reason' | 'expiresAt'>): EngineOverride => ({
  subject,
  action,
  reason,
  expiresAt: expiresAt && toUnixSeconds(expiresAt),
  actor: `key ${keyId}`,
})

/**
 * What the subject of an override is: everything below a registrable domain or a tenant is meant as
 * well.
 */
export function scopeOf(subject: string, engine: Pick<Engine, 'normalise'>): 'HOST' | 'DOMAIN' | 'TENANT' {
  const found = engine.normalise('domain', subject)
  if (found.kind === 'invalid' || found.target.kind === 'address') return 'HOST'
  const { registrable, tenant, shared } = found.target.name
  if (shared) return subject === tenant ? 'TENANT' : 'HOST'
  return subject === registrable ? 'DOMAIN' : 'HOST'
}
