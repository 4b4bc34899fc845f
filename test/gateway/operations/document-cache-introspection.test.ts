import type { FastifyInstance } from 'fastify'
import { createClient as createEventClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { ask, localGraph, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

let gateway: Gateway
let app: FastifyInstance
let base: string
beforeAll(async () => {
  const { log } = recordingLog()
  const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
  gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits: DEFAULT_LIMITS, log, introspection: false })
  app = createHttpServer({ log })
  await serveGraphql(app, gateway)
  serveWebSockets(app, gateway)
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const OPERATIONS = [
  '{ __schema { types { name } } }',
  '{ __type(name: "Product") { fields { name } } }',
  '{ caller hidden: __schema { queryType { name } } }',
  'query { ...a } fragment a on Query { ... on Query { __type(name: "Product") { name } } }',
]

test.each(OPERATIONS)(
  'with introspection off the schema is not returned, and the error names where to find it: %s',
  async (query) => {
    const { data, errors } = await ask(gateway, query)
    expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'INTROSPECTION_DISABLED'])
    expect(errors?.[0]?.message).toMatch(/ask the operator of this server for the SDL/)
  },
)

test('not over any transport', async () => {
  const [query = ''] = OPERATIONS
  const post = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const overSocket = createClient({ url: `${base.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 })
  const overEvents = createEventClient({ url: `${base}/graphql`, retryAttempts: 0 })
  const first = (client: { iterate: typeof overEvents.iterate }) =>
    client
      .iterate({ query })
      .next()
      .then(
        ({ value }) => value.errors,
        (errors: unknown) => errors,
      )
  expect(post.status).toBe(400)
  for (const errors of [JSON.parse(await post.text()).errors, await first(overSocket as never), await first(overEvents)]) {
    expect(errors).toMatchObject([{ extensions: { code: 'INTROSPECTION_DISABLED' } }])
  }
  await overSocket.dispose()
  overEvents.dispose()
})

test('other questions are answered, with __typename', async () => {
  expect((await ask(gateway, '{ __typename product(id: "a") { __typename name } }')).data).toEqual({
    __typename: 'Query',
    product: { __typename: 'Product', name: 'Product a' },
  })
})

test('validation errors suggest no names', async () => {
  const guesses: readonly [string, Record<string, unknown>?][] = [
    ['{ produc(id: "a") { name } }'],
    ['query ($f: Filter) { products(filter: $f) { totalCount } }', { f: { nam: 'x' } }],
  ]
  const { gateway: open } = await localGraph()
  for (const [query, variables] of guesses) {
    expect((await ask(open, query, variables)).errors?.[0]?.message).toContain('Did you mean')
    const said = (await ask(gateway, query, variables)).errors?.[0]?.message
    expect(said).not.toMatch(/Did you mean|products|"name"/)
    expect(said).toMatch(/"produc"|"nam"/)
  }
})

test.each(['{ it: __type(name: $n) { name } }', '{ it: __type(name: $n) { name } caller }'])(
  'a name that is null is refused where it stands, alone and beside other fields: %s',
  async (query) => {
    const { gateway: open } = await localGraph()
    const askWith = (variables: Record<string, unknown>) => ask(open, `query ($n: String = "Note") ${query}`, variables)
    expect(await askWith({})).toMatchObject({ data: { it: { name: 'Note' } } })
    const { data, errors } = await askWith({ n: null })
    expect(data).toMatchObject({ it: null })
    expect(errors).toEqual([
      {
        message: 'Argument "name" of non-null type "String!" must not be null.',
        path: ['it'],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ])
  },
)
