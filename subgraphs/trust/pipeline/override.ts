import type { UnixSeconds } from '../evidence.ts'
import type { Target } from './normalise.ts'
import type { Override } from './request.ts'

/**
 * Whether an override applies to a target at a time: to the host itself, or to a parent, and not
 * expired.
 */
export function appliesTo(override: Override, target: Target, at: UnixSeconds): boolean {
  if (override.expiresAt !== null && override.expiresAt <= at) return false
  return subjectsOf(target).includes(override.subject)
}

/**
 * The caller's most specific override for a target; null when there is none. Of several for one
 * subject the first counts.
 */
export function overrideFor(target: Target, overrides: readonly Override[], at: UnixSeconds): Override | null {
  for (const subject of subjectsOf(target)) {
    const found = overrides.find((override) => override.subject === subject && appliesTo(override, target, at))
    if (found) return found
  }
  return null
}

/** From the most exact to the widest. A tenant is not reached through its platform. */
const subjectsOf = ({ host, name }: Target): readonly string[] =>
  [host, name.tenant, name.shared ? null : name.registrable].filter((subject) => subject !== null)
