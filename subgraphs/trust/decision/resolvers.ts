import type { DecideInput, Resolvers } from '#generated/trust/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { SOURCES } from '../evidence.ts'
import type { Usage } from '../key/key.ts'
import { requestKey } from '../key/request-key.ts'
import { fromUnixSeconds } from '../unix-time.ts'
import { type DecideResult, decideAll } from './actions.ts'
import type { Decision, DecisionInput } from './decision.ts'
import { replay } from './replay.ts'

const MAX_BATCH_INPUTS = 100

export const decisionResolvers = {
  Query: {
    decide: async (_, { input }, context) => {
      const { results, usage } = await decideAll([toDecisionInput(input)], context)
      const [result] = results
      if (!result) throw new Error('Expected an outcome per question.')
      return resultOf(result, usage)
    },
    decideBatch: async (_, { inputs }, context) => {
      if (inputs.length > MAX_BATCH_INPUTS) {
        await context.key()
        throw badInput('inputs', `at most ${MAX_BATCH_INPUTS} questions`, inputs.length)
      }
      const { results, usage } = await decideAll(inputs.map(toDecisionInput), context)
      return { results: results.map((result) => resultOf(result, usage)), usage }
    },
    decision: async (_, { id, keyId }, context) => context.decisions.find((await requestKey(keyId, context)).id, id),
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
    base: ({ judgement }) => upperCase(judgement.audit.base),
    floors: ({ judgement }) => judgement.audit.floors.map(({ rule, action }) => ({ rule, action: upperCase(action) })),
    tier: ({ judgement }) => judgement.audit.tier,
    shift: ({ judgement }) => judgement.audit.shift,
    clamps: ({ judgement }) => [...judgement.audit.clamps],
    redirects: redirectsOf,
  },
  EvidenceSnapshot: {
    collectedAt: ({ collectedAt }) => fromUnixSeconds(collectedAt),
    sources: ({ sources }) =>
      SOURCES.map((source) => {
        const { status, subject, collectedAt, validUntil, version, ...rest } = sources[source]
        return {
          source,
          status,
          reason: 'reason' in rest ? rest.reason : null,
          subject,
          collectedAt: fromUnixSeconds(collectedAt),
          validUntil: fromUnixSeconds(validUntil),
          version,
          facts: 'facts' in rest ? rest.facts : null,
        }
      }),
  },
} satisfies Resolvers

/** The input of a decision in the words of the engine. */
export const toDecisionInput = ({ domain, target, interaction, policy }: DecideInput): DecisionInput => ({
  domain,
  target: target && { type: lowerCase(target.type ?? 'DOMAIN'), value: target.value },
  interaction: toInteraction(interaction),
  profile: policy && lowerCase(policy),
})

/** The planned interaction of an input. */
export const toInteraction = (interaction: DecideInput['interaction']): DecisionInput['interaction'] =>
  interaction && {
    kind: interaction.kind ? lowerCase(interaction.kind) : null,
    mode: interaction.mode ? lowerCase(interaction.mode) : null,
    sensitivity: interaction.sensitivity ? lowerCase(interaction.sensitivity) : null,
  }

/** Null where none were followed. The audit has a line for each hop of the evidence. */
function redirectsOf({ judgement: { audit }, snapshot }: Pick<Decision, 'judgement' | 'snapshot'>) {
  if (!audit.redirects || !snapshot.redirects) return null
  const { end, hops, decidedBy } = audit.redirects
  const evidence = snapshot.redirects.hops
  return {
    end,
    hops: evidence.flatMap(({ snapshot: evidence }, index) => {
      const judged = hops[index]
      return judged ? [{ host: judged.host, action: upperCase(judged.action), isDeciding: index === decidedBy, evidence }] : []
    }),
  }
}

function resultOf(executed: DecideResult, usage: Usage) {
  switch (executed.kind) {
    case 'made':
      return { __typename: 'DecisionMade' as const, decision: executed.decision, usage }
    case 'invalid':
      return {
        __typename: 'InvalidTarget' as const,
        message: executed.faults.map(({ message }) => message).join(' '),
        faults: executed.faults,
        usage,
      }
    case 'exceeded':
      return { __typename: 'QuotaExceeded' as const, message: exceeded(usage), usage }
  }
}

const exceeded = ({ limit, resetsAt }: Usage): string =>
  `All ${limit} scans of this month are used; the next ones are there at ${resetsAt.toISOString()}.`
