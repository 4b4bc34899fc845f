import type { Resolvers } from '#generated/trust/resolvers.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { toInteraction } from '../decision/resolvers.ts'
import { runTrial, type TrialResult } from './actions.ts'

export const trialResolvers = {
  Query: {
    trial: async (_, { input: { target, interaction, policy } }, context) =>
      resultOf(
        await runTrial(
          {
            target: { type: /^https?:/i.test(target) ? 'url' : 'domain', value: target },
            interaction: toInteraction(interaction),
            profile: policy && lowerCase(policy),
          },
          context.address,
          context,
        ),
      ),
  },
} satisfies Resolvers

function resultOf(result: TrialResult) {
  switch (result.kind) {
    case 'made': {
      const { assessed, alternatives, remaining } = result
      return {
        __typename: 'TrialMade' as const,
        assessment: assessed.decision,
        audit: { judgement: assessed.decision, snapshot: assessed.snapshot },
        alternatives: alternatives.map(({ of, condition, action }) => ({
          of: upperCase(of),
          condition,
          action: upperCase(action),
        })),
        remaining,
      }
    }
    case 'invalid': {
      // The input has one field for it, however it is read.
      const faults = result.faults.map(({ code, message }) => ({
        field: 'target',
        code,
        message: message.replace(/^target\.value: /, ''),
      }))
      return { __typename: 'TrialNotUnderstood' as const, message: faults.map(({ message }) => message).join(' '), faults }
    }
  }
}
