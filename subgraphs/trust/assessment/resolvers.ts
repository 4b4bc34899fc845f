import type { Resolvers } from '#generated/trust/resolvers.ts'
import type { State } from '../pipeline/stages.ts'
import { timeOf, upper } from '../words.ts'

const STATES = {
  A: 'CLEAR_THREAT',
  B: 'HIGH_ANOMALY',
  C: 'HIGH_UNCERTAINTY',
  D: 'CONFLICTING_SIGNALS',
  E: 'SAFE_KNOWN',
  F: 'MIXED_REVIEWABLE',
} as const satisfies Readonly<Record<State, string>>

export const assessmentResolvers = {
  Assessment: {
    target: ({ target: { type, value, host, unicode } }) => ({ type: upper(type), value, normalized: host, unicode }),
    interaction: ({ interaction: { kind, mode, sensitivity } }) => ({
      kind: upper(kind),
      mode: upper(mode),
      sensitivity: upper(sensitivity),
    }),
    policy: ({ policy: { profile, version } }) => ({ profile: upper(profile), version }),
    state: ({ audit: { state } }) => (state === null ? 'STRUCTURAL' : STATES[state]),
    action: ({ action }) => upper(action),
    uncertainty: ({ uncertainty: { state, requiresHumanReview, drivers } }) => ({
      level: upper(state),
      requiresHumanReview,
      drivers,
    }),
    evidence: ({ evidence }) => ({
      ...evidence,
      highlights: evidence.highlights.map((highlight) => ({ ...highlight, impact: upper(highlight.impact) })),
    }),
    validity: ({ validity: { evaluatedAt, validUntil, ttlSeconds } }) => ({
      evaluatedAt: timeOf(evaluatedAt),
      validUntil: timeOf(validUntil),
      ttlSeconds,
    }),
    override: ({ override }) =>
      override && {
        engineAction: upper(override.engineAction),
        reason: override.reason,
        expiresAt: override.expiresAt === null ? null : timeOf(override.expiresAt),
      },
  },
} satisfies Resolvers
