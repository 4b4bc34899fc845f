import { tool } from 'ai'
import { type TrustClientOptions, trustClient } from '../trust/client.ts'
import { agentTools } from './agent-tools.ts'
import type { Intent } from './checks.ts'

/**
 * Tools for `generateText`, `streamText` and agents of the AI SDK. Throws a TypeError when the
 * options cannot work.
 */
export function aiTools({ policy, ...options }: TrustClientOptions & Pick<Intent, 'policy'>) {
  const { checkSource, checkSources, explainDecision, rateEvidence } = agentTools(trustClient(options), policy ? { policy } : {})
  return {
    check_source: tool({
      description: checkSource.description,
      inputSchema: checkSource.schema,
      execute: (input, { abortSignal }) => checkSource.run(input, abortSignal),
    }),
    check_sources: tool({
      description: checkSources.description,
      inputSchema: checkSources.schema,
      execute: (input, { abortSignal }) => checkSources.run(input, abortSignal),
    }),
    explain_decision: tool({
      description: explainDecision.description,
      inputSchema: explainDecision.schema,
      execute: (input, { abortSignal }) => explainDecision.run(input, abortSignal),
    }),
    rate_evidence: tool({
      description: rateEvidence.description,
      inputSchema: rateEvidence.schema,
      execute: (input) => rateEvidence.run(input),
    }),
  }
}
