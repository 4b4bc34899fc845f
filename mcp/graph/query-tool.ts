import { z } from 'zod'
import type { ExternalClient } from '../../gateway/client.ts'
import { argumentsOf } from '../arguments.ts'
import { text } from '../scalars.ts'
import { plainTool, READS } from '../tool.ts'

/** Tool that runs GraphQL queries with the limits of every client. */
export function queryTool({ limits, query: runQuery }: ExternalClient) {
  return plainTool({
    name: 'run_query',
    title: 'Run a query',
    description: `Runs a GraphQL query and returns its data. Only queries: mutations and subscriptions belong to POST /graphql. ${boundsOf(limits)} Select only the fields that you need, and page through lists.`,
    annotations: { ...READS, openWorldHint: true },
    accepts: argumentsOf({
      query: z
        .string({ error: 'the text of a GraphQL query' })
        .min(1, { error: 'the text of a GraphQL query' })
        .describe('The text of the document.'),
      variables: z
        .record(z.string(), z.unknown(), { error: 'an object with a value for each variable' })
        .default({})
        .describe('Values of its variables, by name without the $.'),
      operation_name: text(200).optional().describe('Which operation to run; needed only when the document has several.'),
    }),
    returns: z.object({
      data: z.record(z.string(), z.unknown()).describe('Result; null where a field failed.'),
      errors: z
        .array(z.object({ message: z.string(), code: z.string(), path: z.array(z.union([z.string(), z.number()])) }))
        .describe('Errors of fields in data, by path; empty when there are none.'),
    }),
    async answer({ query, variables, operation_name }, call) {
      const { data, errors = [] } = await runQuery({ text: query, variables, operationName: operation_name }, call)
      const failures = errors.map(({ message, path, extensions }) => ({
        message,
        code: String(extensions?.code ?? 'ERROR'),
        path: [...(path ?? [])],
      }))
      if (data) return { kind: 'answered', content: { data, errors: failures } }
      return {
        kind: 'refused',
        message: failures.map(({ code, message }) => `${code}: ${message}`).join('\n'),
        needsCredentials: failures.some(({ code }) => code === 'UNAUTHENTICATED'),
      }
    },
  })
}

/** Limits of a query as a sentence; empty without limits. */
export function boundsOf({ depth, cost }: ExternalClient['limits']): string {
  const bounds = [
    ...(depth ? [`${depth} levels of fields`] : []),
    ...(cost ? [`${cost} points of cost, which grow with page sizes`] : []),
  ]
  return bounds.length === 0 ? '' : `A query may have at most ${bounds.join(' and ')}.`
}
