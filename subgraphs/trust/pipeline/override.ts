import type { Snapshot, UnixSeconds } from '../evidence.ts'
import type { Target } from './normalise.ts'
import type { Override, OverridingEntry } from './request.ts'

/**
 * Whether an override applies to a target at a time: to the host itself, or to a parent, and not
 * expired.
 */
export function appliesTo(override: Override, target: Target, at: UnixSeconds): boolean {
  if (override.expiresAt !== null && override.expiresAt <= at) return false
  return override.list ? isCovered(target, override.subject, override.list) : subjectsOf(target).includes(override.subject)
}

/** A block applies to a URL that leads to its target as well. */
export const appliesToChain = (override: Override, target: Target, { collectedAt, redirects }: Snapshot): boolean =>
  appliesTo(override, target, collectedAt) ||
  (override.list?.list === 'block' &&
    // Put there by `assess.ts`, from `normalise`.
    (redirects?.hops ?? []).some((hop) => appliesTo(override, hop.target as Target, collectedAt)))

function isCovered({ host, url }: Target, subject: string, { scope, urlKey }: OverridingEntry): boolean {
  switch (scope) {
    case 'domain':
      return host === subject || host.endsWith(`.${subject}`)
    case 'host':
      return host === subject
    case 'url':
    case 'prefix':
      return urlKey !== null && url?.keys.includes(urlKey) === true
  }
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
