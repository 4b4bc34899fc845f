import { buildSubgraphSchema } from '@apollo/subgraph'
import type { FastifyInstance } from 'fastify'
import { parse } from 'graphql'
import { afterEach, expect, test } from 'vitest'
import { startGateway } from '../../../gateway/gateway.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { rateLimited } from '../../../platform/graphql/errors.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { recordingLog } from '../support/graph.ts'

const NOTES_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@cost"])
  type Query { notes: [String!]! dear: Int! @cost(weight: 40) tooOften(seconds: Int!): Int meeting: Int! }
  type Mutation { note(text: String!, milliseconds: Int!): [String!]! }
  type Subscription { noted: String! }
`

const apps: FastifyInstance[] = []
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())))

/** A graph that writes notes as slowly as it is told to, and how to send it a batch. */
async function notebook(batchLimit: number) {
  const notes: string[] = []
  let waiting: (() => void)[] = []
  const resolvers = {
    Query: {
      notes: () => [...notes],
      dear: () => 1,
      tooOften: (_: unknown, { seconds }: { seconds: number }) => {
        throw rateLimited('questions', seconds)
      },
      // Answered only when two are asked at the same time.
      meeting: () =>
        new Promise((resolve) => {
          waiting.push(() => resolve(waiting.length))
          if (waiting.length < 2) return
          for (const meet of waiting) meet()
          waiting = []
        }),
    },
    Mutation: {
      note: async (_: unknown, { text, milliseconds }: { text: string; milliseconds: number }) => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds))
        notes.push(text)
        return [...notes]
      },
    },
  }
  const subgraph = {
    name: 'notes',
    schema: buildSubgraphSchema([{ typeDefs: parse(NOTES_SDL), resolvers }]),
    context: () => ({}),
    ready: async () => {},
    close: async () => {},
  }
  const { log } = recordingLog()
  const gateway = await startGateway({
    supergraphSdl: compose([{ name: 'notes', typeDefs: parse(NOTES_SDL) }]),
    links: [createLocalLink(subgraph)],
    limits: { depth: 10, cost: 100 },
    log,
  })
  const app = createHttpServer({ log })
  apps.push(app)
  await serveGraphql(app, gateway, { batchLimit })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  return async (batch: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(batch),
    })
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
  }
}

const note = (text: string, milliseconds: number) => ({
  query: 'mutation Note($text: String!, $milliseconds: Int!) { note(text: $text, milliseconds: $milliseconds) }',
  variables: { text, milliseconds },
})

test('batches are rejected unless they are enabled, also those of one operation', async () => {
  const send = await notebook(0)
  const { status, body } = await send([{ query: '{ notes }' }])
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST'])
  expect(body.errors[0].message).toMatch(/takes no batches/)
})

test('each operation has its own answer, in the order of the batch, and a refused one does not stop others', async () => {
  const send = await notebook(5)
  const batch = [{ query: '{ notes }' }, { query: '{ nope }' }, { query: 'subscription { noted }' }, { query: '{ __typename }' }]
  const { status, headers, body } = await send(batch, { accept: 'application/graphql-response+json' })
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const requestId = headers.get('x-request-id')
  expect(body).toMatchObject([
    { data: { notes: [] } },
    { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED', requestId } }] },
    { errors: [{ extensions: { code: 'SUBSCRIPTIONS_NOT_SUPPORTED', requestId } }] },
    { data: { __typename: 'Query' } },
  ])
})

test('mutations run one after the other, in order, and later queries see their effect', async () => {
  const send = await notebook(5)
  const { body } = await send([note('slow', 60), note('quick', 0), { query: '{ notes }' }, note('last', 0)])
  expect(body.map(({ data }: { data: Record<string, unknown> }) => data.note ?? data.notes)).toEqual([
    ['slow'],
    ['slow', 'quick'],
    ['slow', 'quick'],
    ['slow', 'quick', 'last'],
  ])
})

test('queries run at once', async () => {
  const send = await notebook(2)
  const { body } = await send([{ query: '{ meeting }' }, { query: '{ meeting }' }])
  expect(body).toEqual([{ data: { meeting: 2 } }, { data: { meeting: 2 } }])
})

test('what the operations cost together counts against the limit of one', async () => {
  const send = await notebook(5)
  expect((await send([{ query: '{ dear }' }, { query: '{ dear }' }])).status).toBe(200)
  const { status, body } = await send([
    { query: '{ dear }' },
    note('not written', 0),
    { query: '{ dear }' },
    { query: '{ dear }' },
  ])
  expect([status, body.errors[0].extensions]).toMatchObject([400, { code: 'COST_LIMIT_EXCEEDED', limit: 100 }])
  expect(body.errors[0].extensions.cost).toBeGreaterThan(120)
  expect((await send([{ query: '{ notes }' }])).body).toEqual([{ data: { notes: [] } }])
})

test.each<[string, unknown[], RegExp]>([
  ['more operations than the limit', Array.from({ length: 3 }, () => ({ query: '{ notes }' })), /1 to 2 operations, got 3/],
  ['none', [], /1 to 2 operations, got 0/],
  ['something that is no operation', [{ query: '{ notes }' }, 7], /^Operation 2 of the batch: Expected/],
  ['a batch', [[{ query: '{ notes }' }]], /^Operation 1 of the batch: Expected/],
])('a batch of %s is refused as a whole', async (_, batch, says) => {
  const send = await notebook(2)
  const { status, body } = await send(batch)
  expect([status, body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST'])
  expect(body.errors[0].message).toMatch(says)
})

test('Retry-After is the longest of several', async () => {
  const send = await notebook(2)
  const { headers } = await send([{ query: '{ tooOften(seconds: 4) }' }, { query: '{ tooOften(seconds: 9) }' }])
  expect(headers.get('retry-after')).toBe('9')
})

test('a header requests the cost of each operation', async () => {
  const send = await notebook(2)
  const { body } = await send([{ query: '{ notes }' }, { query: '{ dear }' }], { 'graphql-cost': 'report' })
  expect(body).toMatchObject([{ extensions: { cost: { requested: 10 } } }, { extensions: { cost: { requested: 40 } } }])
})

test('a header requests the cost alone: no mutation of the batch runs', async () => {
  const send = await notebook(2)
  const { body } = await send([note('written', 0), { query: '{ dear }' }], { 'graphql-cost': 'validate' })
  expect(body).toMatchObject([
    { data: null, extensions: { cost: { limit: 100 } } },
    { data: null, extensions: { cost: { requested: 40 } } },
  ])
  const byOne = await send([{ ...note('written', 0), extensions: { cost: 'validate' } }, { query: '{ notes }' }])
  expect(byOne.body).toMatchObject([{ data: null }, { data: { notes: [] } }])
})
