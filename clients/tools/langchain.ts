import { tool } from '@langchain/core/tools'
import type { z } from 'zod'
import { type TrustClientOptions, trustClient } from '../trust/client.ts'
import { type AgentTool, agentTools } from './agent-tools.ts'
import type { Intent } from './checks.ts'

/**
 * Tools for models (`bindTools`) and agents of LangChain.js. Throws a TypeError when the options
 * cannot work.
 */
export function langchainTools({ policy, ...options }: TrustClientOptions & Pick<Intent, 'policy'>) {
  const { checkSource, checkSources, explainDecision, rateEvidence } = agentTools(trustClient(options), policy ? { policy } : {})
  return [langchainTool(checkSource), langchainTool(checkSources), langchainTool(explainDecision), langchainTool(rateEvidence)]
}

const langchainTool = <Schema extends z.ZodObject, Result>({ name, description, schema, run }: AgentTool<Schema, Result>) =>
  tool(
    // The result is JSON text, because tool results of models are text.
    async (input, { signal }) => JSON.stringify(await run(schema.parse(input) as z.infer<Schema>, signal)),
    // Every schema of these tools is an object.
    { name, description, schema: schema as z.ZodObject },
  )
