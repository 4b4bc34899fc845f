import { printSchema } from 'graphql'
import { z } from 'zod'
import type { ExternalClient } from '../../gateway/client.ts'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { argumentsOf } from '../arguments.ts'
import { text, wholeNumber } from '../scalars.ts'
import type { ResourceRow } from '../texts.ts'
import { plainTool, READS } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'
import { coordinatesOf } from './coordinates.ts'
import { describe } from './describe.ts'
import { type SchemaSearch, schemaSearch } from './search.ts'

const NAME = z.string().describe('A type, such as `Skill`, or a field, such as `Query.skills`.')

/**
 * The whole graph for agents: find out what can be asked, and ask it, within the limits that every
 * client has.
 */
export function graphServer(guest: ExternalClient, { introspection }: { readonly introspection: boolean }): ToolServer {
  const { schema, limits } = guest
  let index: SchemaSearch | null = null
  /** Its index is made for the first who searches: that takes a tenth of a second. */
  const search: SchemaSearch = (words, limit) => {
    index ??= schemaSearch(coordinatesOf(schema))
    return index(words, limit)
  }

  const lookUp = [
    plainTool({
      name: 'search_schema',
      title: 'Search the schema',
      description:
        'Finds types and fields of the GraphQL schema by words, best match first. `Query.…` are root fields of a query. Use it first, with one or two words for the data that you need; then describe a result.',
      accepts: argumentsOf({
        query: text(200).describe('What to look for: `skills`, `trust decision`.'),
        limit: wholeNumber(1, 25).default(10).describe('Maximum number of results, 1 to 25.'),
      }),
      returns: z.object({
        results: z.array(
          z.object({
            name: NAME,
            kind: z
              .enum(['query', 'mutation', 'subscription', 'type', 'field'])
              .describe('query, mutation and subscription: a field of the root.'),
            signature: z.string().describe('Arguments and type.'),
            description: z.string().describe('Description; empty when the schema has none.'),
          }),
        ),
      }),
      answer: ({ query, limit }) => ({ kind: 'answered', content: { results: search(query, limit) } }),
    }),
    plainTool({
      name: 'describe',
      title: 'Describe a type or field',
      description:
        'Returns the SDL of a type or field, with the types of its arguments and of its result. Use it to write a query. Descriptions state units, limits and the meaning of null.',
      accepts: argumentsOf({
        name: text(200).describe('A type, such as `Skill`, or a field, such as `Query.skills`; case matters.'),
      }),
      returns: z.object({ name: NAME, sdl: z.string().describe('Definitions in the schema language of GraphQL.') }),
      answer: ({ name }) => {
        const sdl = describe(schema, name)
        if (sdl !== null) return { kind: 'answered', content: { name, sdl } }
        const similar = search(name, 5).map((each) => each.name)
        const hint = similar.length > 0 ? `Did you mean ${similar.join(', ')}?` : 'Use search_schema to find names.'
        return { kind: 'refused', message: `The schema has nothing with this name. ${hint}` }
      },
    }),
  ]

  const sdl: ResourceRow = {
    path: '/mcp/graph/schema.graphql',
    name: 'schema',
    title: 'The whole schema',
    description:
      'Every type and field in the schema language of GraphQL, with descriptions. Long: search_schema and describe give parts of it.',
    mimeType: 'text/plain',
    text: () => printSchema(schema),
  }

  const runQuery = plainTool({
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
      const { data, errors = [] } = await guest.query({ text: query, variables, operationName: operation_name }, call)
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

  return {
    name: 'graph',
    title: 'Atrium graph',
    description: 'The whole typed graph: search its schema, describe types, run GraphQL queries.',
    instructions: `${introspection ? 'First call search_schema for the data that you need, then describe for a field of the result, then run_query.' : 'Use run_query with a query that you know: the schema is not shown here.'} ${boundsOf(limits)} Descriptions in the schema state units, order and the meaning of null.`,
    credentials: CREDENTIAL_HEADERS,
    keyHeaders: [],
    signIn: 'Send the credentials that this field needs as headers of the MCP request: Authorization: Bearer, or X-API-Key.',
    spelling: (_, value) => value,
    // Who keeps the schema from clients keeps it from tools.
    tools: introspection ? [...lookUp, runQuery] : [runQuery],
    resources: introspection ? [sdl] : [],
    prompts: [
      {
        name: 'answer_from_graph',
        title: 'Answer a question from the graph',
        description: 'Finds the fields that hold the answer, writes a query, and runs it.',
        arguments: [{ name: 'question', description: 'Question to answer.' }],
        text: ({ question }) =>
          `Answer this question from the graph: ${question}\n\nFind the fields with search_schema and describe, write one query that selects nothing else, and run it with run_query. Show the query below your answer.`,
      },
    ],
  }
}

function boundsOf({ depth, cost }: ExternalClient['limits']): string {
  const bounds = [
    ...(depth ? [`${depth} levels of fields`] : []),
    ...(cost ? [`${cost} points of cost, which grow with page sizes`] : []),
  ]
  return bounds.length === 0 ? '' : `A query may have at most ${bounds.join(' and ')}.`
}
