import { type Evidence, type RedirectChain, type Snapshot, SOURCES, type UnixSeconds } from '../evidence.ts'
import { type Alternative, alternativesTo } from '../pipeline/alternatives.ts'
import { canonicalText } from '../pipeline/canonical.ts'
import { decide, decisionText } from '../pipeline/decide.ts'
import type { Decision } from '../pipeline/decision.ts'
import { type Normalised, normalise, type Target, type TargetType, withoutPath } from '../pipeline/normalise.ts'
import { overrideFor } from '../pipeline/override.ts'
import { CURRENT_POLICY, isRedirectorHost, policyVersions } from '../pipeline/policy.ts'
import type { DecideRequest, Override } from '../pipeline/request.ts'
import { snapshotOf } from '../pipeline/snapshot.ts'
import { preparePolicy } from './policy-preparation.ts'

/** All of the pipeline that the rest of the subgraph needs. Pure, but for `prepare`. */
export type Engine = {
  /** The version of this release's tables. */
  readonly policyVersion: string
  /** Whether decisions of a version can be made again. */
  readonly knowsPolicy: (version: string) => boolean
  /**
   * To be waited for before `decide`, which prepares the tables of a version in one go otherwise.
   */
  readonly prepare: (version: string) => Promise<void>
  readonly normalise: (type: TargetType, value: string) => Normalised
  /** A target's text as it is stored: without path, query and fragment. */
  readonly withoutPath: (value: string) => string
  readonly snapshotOf: (
    host: string,
    collectedAt: UnixSeconds,
    evidence: readonly Evidence[],
    redirects?: RedirectChain,
  ) => Snapshot
  /** Whether a target is a URL of a service that forwards to other people's URLs. */
  readonly isRedirector: (target: Target) => boolean
  readonly decide: (snapshot: Snapshot, request: DecideRequest, policyVersion: string, override: Override | null) => Decision
  /** Decisions under the current policy with one input changed. */
  readonly alternativesTo: (snapshot: Snapshot, request: DecideRequest) => Alternative[]
  /** The bytes of a decision: canonical JSON. */
  readonly textOf: (decision: Decision) => string
  /** Canonical JSON of anything. */
  readonly canonical: (value: unknown) => string
  readonly overrideFor: (target: Target, overrides: readonly Override[], at: UnixSeconds) => Override | null
}

export const engine: Engine = {
  policyVersion: CURRENT_POLICY,
  knowsPolicy: (version) => policyVersions().includes(version),
  prepare: preparePolicy,
  normalise,
  withoutPath,
  snapshotOf,
  isRedirector: ({ host, url }) => url !== undefined && isRedirectorHost(host),
  decide,
  alternativesTo: (snapshot, request) => alternativesTo(snapshot, request, CURRENT_POLICY),
  textOf: decisionText,
  canonical: canonicalText,
  overrideFor,
}

/**
 * Whether a decision needs evidence: private addresses and names in special use are never looked
 * up.
 */
export const needsEvidence = ({ kind, reach, name }: Target): boolean =>
  kind === 'address' ? reach === 'public' : name.specialUse === null

/** The evidence in a snapshot, one by one. */
export const listEvidence = ({ sources }: Snapshot): readonly Evidence[] =>
  // A cast: each source with its own evidence, by the type `Evidence`.
  SOURCES.map((source) => ({ source, evidence: sources[source] }) as Evidence)

/**
 * Whether another collection could not add to a snapshot: it needs none, or every source has
 * answered.
 */
export const isFinal = (target: Target, snapshot: Snapshot): boolean => !needsEvidence(target) || isComplete(snapshot)

/** Whether every source has answered, or has no data for the target. */
const isComplete = ({ sources, redirects }: Snapshot): boolean =>
  redirects?.end !== 'timeout' &&
  redirects?.end !== 'failed' &&
  // Targets of hops are from `normalise`, put there by `assess.ts`.
  (redirects?.hops ?? []).every(({ target, snapshot }) => isFinal(target as Target, snapshot)) &&
  SOURCES.every((source) => {
    const evidence = sources[source]
    if (evidence.status === 'skipped') return evidence.reason !== 'no_capacity'
    return evidence.status !== 'timeout' && evidence.status !== 'failed'
  })
