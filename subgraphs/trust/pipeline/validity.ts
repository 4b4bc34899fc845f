import type { Snapshot, UnixSeconds } from '../evidence.ts'
import type { Policy } from './policy.ts'
import type { Override } from './request.ts'
import type { Profile, State } from './stages.ts'

export type Validity = {
  readonly evaluatedAt: UnixSeconds
  /** `evaluatedAt` + `ttlSeconds`. */
  readonly validUntil: UnixSeconds
  readonly ttlSeconds: number
}

type Facts = {
  readonly lasts: State | 'structural'
  readonly restsOnEvidence: boolean
  readonly ageDays: number | null
  readonly profile: Profile
  readonly override: Override | null
}

/** How long a decision holds: as long as its state allows and nothing that it rests on runs out. */
export function validityOf(
  snapshot: Snapshot,
  { lasts, restsOnEvidence, ageDays, profile, override }: Facts,
  { engine, weights: { VALIDITY } }: Policy,
): Validity {
  const { sources, collectedAt } = snapshot
  const ends: number[] = [VALIDITY[lasts], VALIDITY.ceiling]
  const chain = engine >= 4 ? snapshot.redirects : undefined
  if (chain) ends.push(VALIDITY.redirects)
  if (ageDays !== null && ageDays < VALIDITY.youngUnderDays) ends.push(VALIDITY.young)
  const until = (end: UnixSeconds | null) => {
    // What has run out already was judged as such and does not run out again.
    if (end !== null && end > collectedAt) ends.push(end - collectedAt)
  }
  if (restsOnEvidence) {
    if (sources.tls.status === 'ok') until(sources.tls.facts.notAfter)
    if (sources.rdap.status === 'ok') until(sources.rdap.facts.expiresAt)
    if (sources.feeds.status === 'ok') for (const { refreshAt } of sources.feeds.facts.checked) until(refreshAt)
  }
  until(override?.expiresAt ?? null)
  const shortest = Math.min(...ends)
  const ttlSeconds = Math.max(VALIDITY.floor, profile === 'critical' ? Math.floor(shortest / VALIDITY.criticalDivisor) : shortest)
  return { evaluatedAt: collectedAt, validUntil: collectedAt + ttlSeconds, ttlSeconds }
}
