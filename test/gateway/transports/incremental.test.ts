import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Defer20220824Handler } from '@apollo/client/incremental'
import type { FastifyInstance } from 'fastify'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { createFetchHandler } from '../../../gateway/transports/fetch.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { library } from '../support/deferred.ts'
import { recordingLog } from '../support/graph.ts'
import { gatewayOf, type PartsGateway } from '../support/parts.ts'

const QUERY = '{ book(id: "1") { id title ... @defer(label: "r") { reviews { id text } } } }'
const COMPLETE = {
  book: {
    id: '1',
    title: 'title 1',
    reviews: [
      { id: '1a', text: 'text 1a' },
      { id: '1b', text: 'text 1b' },
    ],
  },
}
const ACCEPT = 'multipart/mixed;deferSpec=20220824, application/json'

let gate = Promise.withResolvers<unknown>()
const close: (() => Promise<void>)[] = []
let graph: PartsGateway
let app: FastifyInstance
let url: string
beforeAll(async () => {
  graph = await gatewayOf(
    library({
      get opened() {
        return gate.promise
      },
    }),
    'http',
    {},
    (closing) => void close.push(closing),
  )
  app = createHttpServer({ log: recordingLog().log })
  await serveGraphql(app, graph.gateway, { batchLimit: 2 })
  serveWebSockets(app, graph.gateway)
  url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`
  gate.resolve(null)
})
afterAll(async () => {
  await app.close()
  for (const each of close) await each()
})

const post = (body: unknown, accept = ACCEPT, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })

/** The JSON of the parts of a body, whose boundaries must be as RFC 2046 says. */
function partsOf(text: string) {
  const [preamble, ...parts] = text.split('\r\n--graphql')
  expect([preamble, parts.pop()]).toEqual(['', '--\r\n'])
  return parts.map((part) => {
    const [head, body = ''] = part.split('\r\n\r\n')
    expect(head).toBe('\r\ncontent-type: application/json; charset=utf-8')
    return JSON.parse(body)
  })
}
const EXPECTED_PARTS = [
  { data: { book: { id: '1', title: 'title 1' } }, hasNext: true },
  { incremental: [{ data: { reviews: COMPLETE.book.reviews }, path: ['book'], label: 'r' }], hasNext: false },
]

test('over HTTP the parts of a result are multipart/mixed', async () => {
  const response = await post({ query: QUERY })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'multipart/mixed; boundary="graphql"; deferSpec=20220824',
  ])
  expect(partsOf(await response.text())).toEqual(EXPECTED_PARTS)
})

test('the first part arrives before the deferred one is there', async () => {
  gate = Promise.withResolvers()
  const response = await post({ query: QUERY })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.endsWith('\r\n--graphql') || !text.includes('hasNext'))
    text += (await reader?.read())?.value ?? expect.unreachable()
  expect(text).toContain('"title":"title 1"')
  expect(text).not.toContain('reviews')
  gate.resolve(null)
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) text += read.value
  expect(partsOf(text)).toEqual(EXPECTED_PARTS)
})

test.each([
  'application/json',
  '*/*',
  'multipart/mixed;incrementalSpec=v0.2, application/json',
  'multipart/mixed;subscriptionSpec=1.0, application/json',
  'multipart/mixed;deferSpec=20220824;q=0, application/json',
  'multipart/form-data, application/json',
])('a client that accepts %s gets the complete result at once', async (accept) => {
  const response = await post({ query: QUERY }, accept)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await response.json()).toEqual({ data: COMPLETE })
})

test.each([
  'multipart/mixed, application/json',
  'application/json, multipart/mixed;q=0.5',
  'Multipart/Mixed; deferSpec="20220824", application/json',
])('a client that accepts %s gets parts', async (accept) =>
  expect(partsOf(await (await post({ query: QUERY }, accept)).text())).toEqual(EXPECTED_PARTS),
)

test('what is not deferred, refused or in a batch is one body of JSON', async () => {
  const texts = await Promise.all(
    [
      post({ query: '{ book(id: "1") { title } }' }),
      post({ query: 'query ($on: Boolean!) { book(id: "1") { title ... @defer(if: $on) { id } } }', variables: { on: false } }),
      post({ query: '{ book(id: "1") { title ... @defer(label: 7) { id } } }' }),
      post([{ query: QUERY }]),
    ].map(async (response) => (await response).json()),
  )
  expect(texts).toMatchObject([
    { data: { book: { title: 'title 1' } } },
    { data: { book: { title: 'title 1', id: '1' } } },
    { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    [{ data: COMPLETE }],
  ])
})

test('errors of parts name the request', async () => {
  const response = await post({ query: '{ books { id ... @defer { score } } }' })
  const [, { incremental }] = partsOf(await response.text())
  expect(incremental[1]).toMatchObject({
    data: null,
    path: ['books', 1],
    errors: [{ path: ['books', 1, 'score'], extensions: { requestId: response.headers.get('x-request-id') } }],
  })
})

test('Apollo Client renders the first part, then the rest', async () => {
  gate = Promise.withResolvers()
  const client = new ApolloClient({
    link: new HttpLink({ uri: url }),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  })
  const query = gql`
    query { book(id: "1") { id title ... @defer(label: "r") { reviews { id text } } } }
  `
  const seen: unknown[] = []
  const done = Promise.withResolvers<void>()
  client.watchQuery({ query }).subscribe(({ data, dataState }) => {
    if (!data) return
    seen.push([dataState, JSON.parse(JSON.stringify(data))])
    if (seen.length === 1) gate.resolve(null)
    if (dataState === 'complete') done.resolve()
  })
  await done.promise
  const named = { __typename: 'Book', id: '1', title: 'title 1' }
  const reviews = COMPLETE.book.reviews.map((review) => ({ __typename: 'Review', ...review }))
  expect(seen).toEqual([
    ['streaming', { book: named }],
    ['complete', { book: { ...named, reviews } }],
  ])
  client.stop()
})

test('Apollo Client gets the error of a deferred part', async () => {
  const client = new ApolloClient({
    link: new HttpLink({ uri: url }),
    cache: new InMemoryCache(),
    incrementalHandler: new Defer20220824Handler(),
  })
  const query = gql`
    query { books { id ... @defer { score } } }
  `
  const { error } = await client.query({ query, errorPolicy: 'all' })
  expect(error?.message).toContain('no score')
  client.stop()
})

test('over WebSocket each part is a message', async () => {
  const client = createWsClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket })
  const payloads: unknown[] = []
  for await (const payload of client.iterate({ query: QUERY })) payloads.push(payload)
  expect(payloads).toEqual(EXPECTED_PARTS)
  await client.dispose()
})

test('over server-sent events each part is an event', async () => {
  const client = createSseClient({ url, retryAttempts: 0 })
  const payloads: unknown[] = []
  for await (const payload of client.iterate({ query: QUERY })) payloads.push(payload)
  expect(payloads).toEqual(EXPECTED_PARTS)
  client.dispose()
})

test('over the Fetch API the parts are a stream, and cancelling it ends the fetches', async () => {
  const { fetch: handle, close: closeHandler } = createFetchHandler(graph.gateway)
  const request = (signal?: AbortSignal) =>
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { accept: ACCEPT, 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY }),
      ...(signal && { signal }),
    })
  const response = await handle(request())
  expect(response.headers.get('content-type')).toBe('multipart/mixed; boundary="graphql"; deferSpec=20220824')
  expect(partsOf(await response.text())).toEqual(EXPECTED_PARTS)
  gate = Promise.withResolvers()
  const abandoned = await handle(request())
  const reader = abandoned.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  gate.resolve(null)
  closeHandler()
})

test('a client that leaves ends the fetches of its deferred parts', async () => {
  const closed = Promise.withResolvers<void>()
  const requested = Promise.withResolvers<void>()
  graph.remotes.reviews?.next.push(({ response }) => {
    response.on('close', closed.resolve)
    requested.resolve()
  })
  const client = new AbortController()
  const response = await post({ query: QUERY }, ACCEPT, client.signal)
  await requested.promise
  client.abort()
  await closed.promise
  await expect(response.text()).rejects.toThrow()
})
