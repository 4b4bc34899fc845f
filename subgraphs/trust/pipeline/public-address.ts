import type { Snapshot } from '../evidence.ts'
import { type Driver, UNAVAILABLE } from './codes.ts'
import { feedObservations } from './feeds.ts'
import type { Target } from './normalise.ts'
import { type Features, nameObservations, unknownSources } from './observe.ts'
import type { Policy } from './policy.ts'

/**
 * Evidence about a public address: hits of feeds, and its spelling. No other source has addresses,
 * whatever a snapshot holds.
 */
export function observeAddress(target: Target, snapshot: Snapshot, policy: Policy): Features {
  const { feeds } = snapshot.sources
  const isUnknown = unknownSources(snapshot).has('feeds')
  const seen = feedObservations(snapshot, { ...NO_SITE, url: target.url }, policy)
  const drivers = new Set<Driver>(seen.drivers)
  if (isUnknown) drivers.add(UNAVAILABLE.feeds)
  if (feeds.status === 'ok' && feeds.validUntil < snapshot.collectedAt) drivers.add('STALE_SNAPSHOT')
  return {
    observations: [{ signal: 'address_literal' }, ...nameObservations(target, null, policy), ...seen.observations],
    drivers: [...drivers].sort(),
    unknown: new Set(isUnknown ? ['feeds'] : []),
    ageDays: null,
    rank: null,
    owner: null,
    lookalike: null,
    witness: seen.witness,
    isTenant: false,
    isPlatform: false,
    destination: 'none',
    isProgram: policy.engine >= 3 && target.url?.isProgram === true,
    isBelowApex: false,
    isRegistryUndated: false,
    hasCertificateFault: false,
    mayBeReregistered: false,
  }
}

/** An address has no registration that could be young, and no tenants. */
const NO_SITE = { isPlatform: false, isYoung: false }
