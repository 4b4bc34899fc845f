import { printSchema } from 'graphql'
import type { ExternalClient } from '../../gateway/client.ts'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import type { ResourceRow } from '../texts.ts'
import type { ToolServer } from '../tool-server.ts'
import { boundsOf, queryTool } from './query-tool.ts'
import { schemaTools } from './schema-tools.ts'

/**
 * MCP server for the whole graph: tools to explore the schema and to run queries, with the limits
 * of every client.
 */
export function graphServer(guest: ExternalClient, { introspection }: { readonly introspection: boolean }): ToolServer {
  const { schema, limits } = guest
  const sdl: ResourceRow = {
    path: '/mcp/graph/schema.graphql',
    name: 'schema',
    title: 'The whole schema',
    description:
      'Every type and field in the schema language of GraphQL, with descriptions. Long: search_schema and describe give parts of it.',
    mimeType: 'text/plain',
    text: () => printSchema(schema),
  }

  return {
    name: 'graph',
    title: 'Atrium graph',
    description: 'The whole typed graph: search its schema, describe types, run GraphQL queries.',
    instructions: `${introspection ? 'First call search_schema for the data that you need, then describe for a field of the result, then run_query.' : 'Use run_query with a query that you know: the schema is not shown here.'} ${boundsOf(limits)} Descriptions in the schema state units, order and the meaning of null.`,
    credentials: CREDENTIAL_HEADERS,
    keyHeaders: [],
    signIn: 'Send the credentials that this field needs as headers of the MCP request: Authorization: Bearer, or X-API-Key.',
    spelling: (_, value) => value,
    // Without introspection the schema is also hidden from agents.
    tools: introspection ? [...schemaTools(schema), queryTool(guest)] : [queryTool(guest)],
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
