import type { Engine } from '../assessment/engine.ts'
import type { InputFault } from '../input-fault.ts'
import type { Override as EngineOverride } from '../pipeline/request.ts'
import type { Action } from '../pipeline/stages.ts'
import { expiryFaults, textFaults } from '../reason-and-expiry.ts'
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
  faults.push(...textFaults('reason', wanted.reason), ...expiryFaults('expiresAt', wanted.expiresAt, at))
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
