import type { IncomingMessage, ServerResponse } from 'node:http'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { GraphQLError, graphql, parse } from 'graphql'
import { onTestFinished } from 'vitest'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { recordingLog } from './graph.ts'

const CATALOG_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { items(ids: [ID!]!): [Item!]! }
  type Mutation { touch(id: ID!): Item }
  type Item @key(fields: "id") { id: ID! }
`
const DETAILS_SDL = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@composeDirective", "@tag"])
    @link(url: "https://example.com/cache/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT
  enum CacheControlScope { PUBLIC PRIVATE }
  type Item @key(fields: "id") {
    id: ID!
    name: String
    text(size: Int): String
    hinted: Hinted @cacheControl(maxAge: 60)
    secret: String @cacheControl(scope: PRIVATE)
    viewer: String @tag(name: "viewer")
    needed: String!
  }
  type Hinted { value: String }
`

export const SUPERGRAPH = compose([
  { name: 'catalog', typeDefs: parse(CATALOG_SDL) },
  { name: 'details', typeDefs: parse(DETAILS_SDL) },
])

/** What the details of an item are now, and how they are answered. */
export type Details = {
  readonly names: Map<string, string>
  /** Headers of every response. */
  headers: Record<string, string>
  extensions: ((ids: readonly string[]) => Record<string, unknown>) | null
  /** Ids that fail with an error. */
  readonly failing: Set<string>
  /** Status of every response; 200 answers. */
  status: number
  /** The ids of each request. */
  readonly requestedIds: string[][]
  /** Answers wait for it. */
  gate: Promise<void> | null
}

/** A gateway with an entity cache over two subgraphs over HTTP, until the test ends. */
export async function entityGraph(options: Partial<CreateGatewayOptions> & Pick<CreateGatewayOptions, 'entityCache'>) {
  const details: Details = {
    names: new Map(),
    headers: {},
    extensions: null,
    failing: new Set(),
    status: 200,
    requestedIds: [],
    gate: null,
  }
  const nameOf = (id: string) => details.names.get(id) ?? null
  const catalogSchema = buildSubgraphSchema([
    {
      typeDefs: parse(CATALOG_SDL),
      resolvers: {
        Query: { items: (_: unknown, { ids }: { ids: string[] }) => ids.map((id) => ({ id })) },
        Mutation: { touch: (_: unknown, { id }: { id: string }) => ({ id }) },
      } as never,
    },
  ])
  const detailsSchema = buildSubgraphSchema([
    {
      typeDefs: parse(DETAILS_SDL),
      resolvers: {
        Item: {
          __resolveReference: ({ id }: { id: string }) => (id.startsWith('none') ? null : { id }),
          name: ({ id }: { id: string }) => {
            if (details.failing.has(id)) throw new GraphQLError('broken', { extensions: { code: 'BROKEN' } })
            return nameOf(id)
          },
          text: ({ id }: { id: string }, { size }: { size?: number }) => `${nameOf(id)}:${'x'.repeat(size ?? 0)}`,
          hinted: ({ id }: { id: string }) => ({ value: nameOf(id) }),
          needed: ({ id }: { id: string }) => `${nameOf(id)}`,
          secret: ({ id }: { id: string }, _: unknown, { who }: { who: string }) => `${nameOf(id)} of ${who}`,
          viewer: ({ id }: { id: string }, _: unknown, { who }: { who: string }) => `${nameOf(id)} of ${who}`,
        },
      } as never,
    },
  ])
  const catalog = await serve(async (body, _, response) => {
    const { query, variables } = JSON.parse(body)
    const answer = await graphql({ schema: catalogSchema, source: query, variableValues: variables })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  const detailed = await serve(async (body, request, response) => {
    const { query, variables } = JSON.parse(body)
    const ids = variables.representations.map(({ id }: { id: string }) => id)
    details.requestedIds.push(ids)
    const who = String(request.headers.authorization ?? 'nobody')
    const answer = await graphql({ schema: detailsSchema, source: query, variableValues: variables, contextValue: { who } })
    await details.gate
    const extensions = details.extensions && { extensions: details.extensions(ids) }
    response.writeHead(details.status, { 'content-type': 'application/json', ...details.headers })
    response.end(details.status === 200 ? JSON.stringify({ ...answer, ...extensions }) : 'down')
  })
  const { log, lines } = recordingLog()
  const subgraphs = { catalog: { url: catalog }, details: { url: detailed } }
  const gateway = await createGateway({ supergraph: SUPERGRAPH, subgraphs, log, limits: { cost: 0 }, ...options })
  onTestFinished(() => gateway.close())

  /** Items with these fields, as one caller. */
  async function items(ids: readonly string[], fields = 'name', authorization?: string, more: { signal?: AbortSignal } = {}) {
    return gateway.execute(
      { query: `query ($ids: [ID!]!) { items(ids: $ids) { id ${fields} } }`, variables: { ids } },
      { credentials: authorization === undefined ? {} : { authorization }, ...more },
    )
  }
  /** The names of items. */
  async function names(ids: readonly string[], authorization?: string): Promise<readonly (string | null)[]> {
    const { data, errors } = await items(ids, 'name', authorization)
    if (errors) throw new Error(JSON.stringify(errors))
    return (data as { items: { name: string | null }[] }).items.map(({ name }) => name)
  }
  return { gateway, details, items, names, lines, log }
}

async function serve(
  answer: (body: string, request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = await startHttpServer({
    '*': async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      await answer(body, request, response)
    },
  })
  onTestFinished(server.close)
  return server.url
}
