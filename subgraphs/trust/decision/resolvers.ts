import type { DecideInput, Resolvers } from '#generated/trust/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { SOURCES } from '../evidence.ts'
import type { Usage } from '../key/key.ts'
import { lower, timeOf, upper } from '../words.ts'
import { decideAll, type Outcome } from './actions.ts'
import type { Question } from './decision.ts'
import { replay } from './replay.ts'

const MOST_AT_ONCE = 100

export const decisionResolvers = {
  Query: {
    decide: async (_, { input }, context) => {
      const { outcomes, usage } = await decideAll([questionIn(input)], context)
      const [outcome] = outcomes
      if (!outcome) throw new Error('Expected an outcome per question.')
      return resultOf(outcome, usage)
    },
    decideBatch: async (_, { inputs }, context) => {
      if (inputs.length > MOST_AT_ONCE) {
        await context.key()
        throw badInput('inputs', `at most ${MOST_AT_ONCE} questions`, inputs.length)
      }
      const { outcomes, usage } = await decideAll(inputs.map(questionIn), context)
      return { results: outcomes.map((outcome) => resultOf(outcome, usage)), usage }
    },
    decision: async (_, { id }, { asking, decisions }) => decisions.find((await asking(1)).id, id),
  },
  Decision: {
    assessment: ({ judgement }) => judgement,
    decidedAt: ({ createdAt }) => createdAt,
    elapsedMilliseconds: ({ elapsedMs }) => elapsedMs,
    audit: (decision) => decision,
    replay: async (decision, _, { engine }) => {
      await engine.prepare(decision.policyVersion)
      return replay(decision, engine)
    },
  },
  DecisionAudit: {
    snapshot: ({ snapshot }) => snapshot,
    engine: ({ judgement }) => judgement.audit.engine,
    structuralRule: ({ judgement }) => judgement.audit.structural,
    points: ({ judgement }) => [...judgement.audit.points],
    families: ({ judgement }) => [...judgement.audit.families],
    coverage: ({ judgement }) => judgement.audit.coverage,
    base: ({ judgement }) => upper(judgement.audit.base),
    floors: ({ judgement }) => judgement.audit.floors.map(({ rule, action }) => ({ rule, action: upper(action) })),
    tier: ({ judgement }) => judgement.audit.tier,
    shift: ({ judgement }) => judgement.audit.shift,
    clamps: ({ judgement }) => [...judgement.audit.clamps],
  },
  EvidenceSnapshot: {
    collectedAt: ({ collectedAt }) => timeOf(collectedAt),
    sources: ({ sources }) =>
      SOURCES.map((source) => {
        const { status, subject, collectedAt, validUntil, version, ...rest } = sources[source]
        return {
          source,
          status,
          reason: 'reason' in rest ? rest.reason : null,
          subject,
          collectedAt: timeOf(collectedAt),
          validUntil: timeOf(validUntil),
          version,
          facts: 'facts' in rest ? rest.facts : null,
        }
      }),
  },
} satisfies Resolvers

const questionIn = ({ domain, target, interaction, policy }: DecideInput): Question => ({
  domain,
  target: target && { type: lower(target.type ?? 'DOMAIN'), value: target.value },
  interaction: interactionIn(interaction),
  profile: policy && lower(policy),
})

/** What an input says is to be done. */
export const interactionIn = (interaction: DecideInput['interaction']): Question['interaction'] =>
  interaction && {
    kind: interaction.kind ? lower(interaction.kind) : null,
    mode: interaction.mode ? lower(interaction.mode) : null,
    sensitivity: interaction.sensitivity ? lower(interaction.sensitivity) : null,
  }

function resultOf(outcome: Outcome, usage: Usage) {
  switch (outcome.kind) {
    case 'made':
      return { __typename: 'DecisionMade' as const, decision: outcome.decision, usage }
    case 'invalid':
      return {
        __typename: 'InvalidTarget' as const,
        message: outcome.faults.map(({ message }) => message).join(' '),
        faults: outcome.faults,
        usage,
      }
    case 'exceeded':
      return { __typename: 'QuotaExceeded' as const, message: exceeded(usage), usage }
  }
}

const exceeded = ({ limit, resetsAt }: Usage): string =>
  `All ${limit} scans of this month are used; the next ones are there at ${resetsAt.toISOString()}.`
