import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { encodeId } from '../../toolkit/ids.ts'
import type { State } from '../pipeline/stages.ts'
import { fromUnixSeconds } from '../unix-time.ts'

/** States of the schema by those of the engine. */
export const STATES = {
  A: 'CLEAR_THREAT',
  B: 'HIGH_ANOMALY',
  C: 'HIGH_UNCERTAINTY',
  D: 'CONFLICTING_SIGNALS',
  E: 'SAFE_KNOWN',
  F: 'MIXED_REVIEWABLE',
} as const satisfies Readonly<Record<State, string>>

export const assessmentResolvers = {
  Assessment: {
    target: ({ target: { type, value, host, unicode } }) => ({ type: upperCase(type), value, normalized: host, unicode }),
    interaction: ({ interaction: { kind, mode, sensitivity } }) => ({
      kind: upperCase(kind),
      mode: upperCase(mode),
      sensitivity: upperCase(sensitivity),
    }),
    policy: ({ policy: { profile, version } }) => ({ profile: upperCase(profile), version }),
    state: ({ audit: { state } }) => (state === null ? 'STRUCTURAL' : STATES[state]),
    action: ({ action }) => upperCase(action),
    uncertainty: ({ uncertainty: { state, requiresHumanReview, drivers } }) => ({
      level: upperCase(state),
      requiresHumanReview,
      drivers,
    }),
    evidence: ({ evidence }) => ({
      ...evidence,
      highlights: evidence.highlights.map((highlight) => ({ ...highlight, impact: upperCase(highlight.impact) })),
    }),
    validity: ({ validity: { evaluatedAt, validUntil, ttlSeconds } }) => ({
      evaluatedAt: fromUnixSeconds(evaluatedAt),
      validUntil: fromUnixSeconds(validUntil),
      ttlSeconds,
    }),
    override: ({ override }) =>
      override && !override.list
        ? {
            engineAction: upperCase(override.engineAction),
            reason: override.reason,
            expiresAt: override.expiresAt === null ? null : fromUnixSeconds(override.expiresAt),
          }
        : null,
    listEntry: ({ override }) =>
      override?.list
        ? {
            id: encodeId('OperatorListEntry', override.list.id),
            list: upperCase(override.list.list),
            scope: upperCase(override.list.scope),
            host: override.subject ?? '',
            engineAction: upperCase(override.engineAction),
            reason: override.reason,
            expiresAt: override.expiresAt === null ? null : fromUnixSeconds(override.expiresAt),
          }
        : null,
  },
} satisfies Resolvers
