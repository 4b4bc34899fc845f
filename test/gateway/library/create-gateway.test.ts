import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { createClient } from 'graphql-ws'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import type { FetchHandler } from '../../../gateway/transports/fetch.ts'
import { recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Remote, serveRemote } from '../support/remote.ts'
import { startTicker } from '../support/ticker.ts'

let shop: Remote
let review: Remote
beforeAll(async () => {
  shop = await serveRemote(shopSubgraph())
  review = await serveRemote(reviewSubgraph())
})
afterAll(() => {
  for (const { server } of [shop, review]) server.close().closeAllConnections()
})

async function aGateway(options: Partial<CreateGatewayOptions> = {}) {
  const supergraph = supergraphSdl({ shop: shop.url, review: review.url })
  const gateway = await createGateway({ supergraph, log: recordingLog().log, ...options })
  onTestFinished(gateway.close)
  return gateway
}

const URL_OF_HOST = 'http://host.example/any/path'
const post = (body: unknown, headers: Record<string, string> = {}) =>
  new Request(URL_OF_HOST, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const NAME = '{ product(id: "a") { name } }'
const NAMED = { product: { name: 'Product a' } }

describe('createGateway', () => {
  test('executes across subgraphs over HTTP and inside the process alike', async () => {
    const query = '{ latestReview { text about { name } } }'
    const data = { latestReview: { text: 'Fine.', about: { name: 'Product b' } } }
    const remote = await aGateway()
    expect(await remote.execute({ query })).toEqual({ data })
    const before = shop.requests.length
    const local = await aGateway({ subgraphs: { shop: { schema: shopSubgraph().schema } } })
    expect(await local.execute({ query })).toEqual({ data })
    expect(shop.requests.length).toBe(before)
  })

  test('"subgraphs" moves a subgraph to another URL', async () => {
    const gateway = await aGateway({
      supergraph: supergraphSdl({ shop: 'http://127.0.0.1:1/', review: review.url }),
      subgraphs: { shop: { url: shop.url } },
    })
    expect(await gateway.execute({ query: NAME })).toEqual({ data: NAMED })
  })

  test('"limits" are those of every operation, and the rest have their defaults', async () => {
    const gateway = await aGateway({ limits: { cost: 2 } })
    expect(await gateway.execute({ query: NAME })).toMatchObject({
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', limit: 2 } }],
    })
    const deep = `{ product(id: "a") { ${'parent { '.repeat(11)} id ${'} '.repeat(11)} } }`
    expect(await gateway.execute({ query: deep })).toMatchObject({
      errors: [{ extensions: { code: 'DEPTH_LIMIT_EXCEEDED', limit: 10 } }],
    })
  })

  test('credentials of a program reach subgraphs', async () => {
    const gateway = await aGateway()
    await gateway.execute({ query: NAME }, { credentials: { authorization: 'Bearer t' }, address: '192.0.2.7' })
    expect(shop.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer t', 'x-forwarded-for': '192.0.2.7' })
  })

  test('another supergraph takes over at once; a wrong one changes nothing', async () => {
    const gateway = await aGateway({ supergraph: supergraphSdl({ shop: 'http://127.0.0.1:1/', review: review.url }) })
    expect((await gateway.execute({ query: NAME })).errors).toHaveLength(1)
    expect(() => gateway.replaceSupergraph('type Query { a: Int }')).toThrow(/^Expected "supergraph" to be the SDL/)
    gateway.replaceSupergraph(supergraphSdl({ shop: shop.url, review: review.url }))
    expect(await gateway.execute({ query: NAME })).toEqual({ data: NAMED })
  })

  test.each<{ options: Partial<CreateGatewayOptions>; says: RegExp }>([
    {
      options: { supergraph: 'type {' },
      says: /^Expected "supergraph" to be the SDL of a federation 2 supergraph: Syntax Error/,
    },
    { options: { supergraph: '' }, says: /^Expected "supergraph" to be the SDL/ },
    { options: { supergraph: 'type Query { a: Int }' }, says: /no enum join__Graph/ },
    {
      options: { subgraphs: { shoe: {} } },
      says: /^Expected "subgraphs" to have names of the supergraph \(.*shop.*\), got "shoe"/,
    },
    {
      options: { subgraphs: { shop: { url: 'ftp://x' } } },
      says: /^The subgraph "shop" is at "ftp:\/\/x": expected an http or https URL/,
    },
    {
      options: { subgraphs: { shop: { url: 'http://u:secret@x' } } },
      says: /^The subgraph "shop" is at an address with a user name/,
    },
  ])('refuses $options', async ({ options, says }) => {
    await expect(
      createGateway({ supergraph: supergraphSdl({ shop: shop.url, review: review.url }), ...options }),
    ).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(says),
    })
  })
})

describe('the Fetch handler', () => {
  test('answers POST and GET, and names the request', async () => {
    const { fetch } = await aGateway()
    const answer = await fetch(post({ query: NAME }, { 'x-request-id': 'r-7' }))
    expect([answer.status, answer.headers.get('x-request-id'), await answer.json()]).toEqual([200, 'r-7', { data: NAMED }])
    const url = `${URL_OF_HOST}?query=${encodeURIComponent('query($id: ID!) { product(id: $id) { name } }')}&variables={"id":"a"}`
    const get = await fetch(new Request(url, { headers: { 'apollo-require-preflight': '1' } }))
    expect([get.status, await get.json()]).toEqual([200, { data: NAMED }])
  })

  test('registers documents by hash (APQ)', async () => {
    const { fetch } = await aGateway()
    const sha256Hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(NAME))).toString('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    expect(await (await fetch(post({ extensions }))).json()).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] })
    expect(await (await fetch(post({ query: NAME, extensions }))).json()).toEqual({ data: NAMED })
    expect(await (await fetch(post({ extensions }))).json()).toEqual({ data: NAMED })
  })

  test('runs batches where they are allowed', async () => {
    const operations = [{ query: NAME }, { query: '{ nope }' }]
    const { fetch } = await aGateway({ batchLimit: 2 })
    expect(await (await fetch(post(operations))).json()).toMatchObject([{ data: NAMED }, { errors: [{}] }])
    expect((await (await aGateway()).fetch(post(operations))).status).toBe(400)
  })

  test.each<{ what: string; request: () => Request; status: number; code: string }>([
    {
      what: 'another method',
      request: () => new Request(URL_OF_HOST, { method: 'DELETE' }),
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    },
    {
      what: 'what a form can send',
      request: () => post({ query: NAME }, { 'content-type': 'text/plain' }),
      status: 400,
      code: 'BAD_REQUEST',
    },
    {
      what: 'a GET of another site',
      request: () => new Request(`${URL_OF_HOST}?query={__typename}`),
      status: 400,
      code: 'BAD_REQUEST',
    },
    {
      what: 'another content type',
      request: () => post('<a/>', { 'content-type': 'application/xml' }),
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    },
    {
      what: 'another charset',
      request: () => post({ query: NAME }, { 'content-type': 'application/json; charset=latin1' }),
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    },
    {
      what: 'an Accept of nothing',
      request: () => post({ query: NAME }, { accept: 'image/png' }),
      status: 406,
      code: 'NOT_ACCEPTABLE',
    },
    { what: 'no JSON', request: () => post('{'), status: 400, code: 'BAD_REQUEST' },
    {
      what: 'a body that is too large',
      request: () => post(JSON.stringify({ query: ' '.repeat(100_001) })),
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    },
    { what: 'no query', request: () => post({}), status: 400, code: 'BAD_REQUEST' },
    {
      what: 'a repeated parameter',
      request: () => new Request(`${URL_OF_HOST}?query={a}&query={b}`, { headers: { 'apollo-require-preflight': '1' } }),
      status: 400,
      code: 'BAD_REQUEST',
    },
    {
      what: 'a mutation over GET',
      request: () =>
        new Request(`${URL_OF_HOST}?query=mutation{rename(id:"a",name:"b"){name}}`, {
          headers: { 'apollo-require-preflight': '1' },
        }),
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    },
  ])('refuses $what with $status $code', async ({ request, status, code }) => {
    const { fetch } = await aGateway()
    const answer = await fetch(request())
    expect([answer.status, await answer.json()]).toMatchObject([status, { errors: [{ extensions: { code } }] }])
  })

  test('answers a CORS preflight', async () => {
    const { fetch } = await aGateway()
    const answer = await fetch(new Request(URL_OF_HOST, { method: 'OPTIONS' }))
    expect([answer.status, answer.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST, OPTIONS'])
  })

  test('credentials are forwarded to subgraphs by allow-list, with the address that the host determined', async () => {
    const { fetch } = await aGateway({ addressOf: () => '192.0.2.9' })
    await fetch(post({ query: NAME }, { authorization: 'Bearer t', 'x-other': 'x' }))
    const { headers } = shop.requests.at(-1) ?? {}
    expect(headers).toMatchObject({ authorization: 'Bearer t', 'x-forwarded-for': '192.0.2.9' })
    expect(headers).not.toHaveProperty('x-other')
  })

  test('streams the result of a query as an event, and completes', async () => {
    const { fetch } = await aGateway()
    const answer = await fetch(post({ query: NAME }, { accept: 'text/event-stream' }))
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    expect(await answer.text()).toBe(`:\n\nevent: next\ndata: ${JSON.stringify({ data: NAMED })}\n\nevent: complete\ndata:\n\n`)
  })
})

describe('subscriptions', () => {
  async function aTicker() {
    const ticker = await startTicker()
    const subgraphs = Object.fromEntries(ticker.subgraphs.map(({ name, schema, context }) => [name, { schema, context }]))
    return { ticker, gateway: await aGateway({ supergraph: ticker.supergraphSdl, subgraphs }) }
  }
  const query = 'subscription { ticked { text thing { label } } }'

  test('come as event streams of the Fetch API, and end with their reader', async () => {
    const { ticker, gateway } = await aTicker()
    const answer = await gateway.fetch(post({ query }, { accept: 'text/event-stream' }))
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const read = async () => Buffer.from((await reader.read()).value ?? []).toString()
    expect(await read()).toBe(':\n\n')
    await expect.poll(ticker.listening).toBe(1)
    ticker.tick('one')
    expect(await read()).toMatch(/^event: next\ndata: \{"data":\{"ticked":\{"text":"one","thing":\{"label":"/)
    await reader.cancel()
    await expect.poll(ticker.listening).toBe(0)
  })

  test('end with the signal of their request, and with the gateway', async () => {
    const { ticker, gateway } = await aTicker()
    const stop = new AbortController()
    const headers = { accept: 'text/event-stream' }
    await gateway.fetch(new Request(post({ query }, headers), { signal: stop.signal }))
    const other = await gateway.fetch(post({ query }, headers))
    await expect.poll(ticker.listening).toBe(1)
    expect(gateway.gateway.subscriptions()).toBe(2)
    stop.abort()
    await expect.poll(() => gateway.gateway.subscriptions()).toBe(1)
    await gateway.close()
    expect(await other.text()).toBe(':\n\n')
    await expect.poll(ticker.listening).toBe(0)
  })

  test('serveGateway carries them over WebSocket, and stops without the gateway', async () => {
    const { ticker, gateway } = await aTicker()
    const server = await serveGateway(gateway, { port: 0, log: recordingLog().log })
    const client = createClient({ url: server.url.replace('http', 'ws'), webSocketImpl: WebSocket })
    const events = client.iterate<{ ticked: { text: string } }>({ query })
    const first = events.next()
    await expect.poll(ticker.listening).toBe(1)
    ticker.tick('over a socket')
    expect((await first).value?.data?.ticked.text).toBe('over a socket')
    await client.dispose()
    await server.close()
    await expect(fetch(server.url)).rejects.toThrow()
    expect(await gateway.execute({ query: '{ now }' })).toMatchObject({ data: { now: 1 } })
  })

  test('serveGateway reports that its port is in use', async () => {
    const { gateway } = await aTicker()
    const server = await serveGateway(gateway, { port: 0, log: recordingLog().log })
    onTestFinished(server.close)
    const port = Number(new URL(server.url).port)
    await expect(serveGateway(gateway, { port, log: recordingLog().log })).rejects.toThrow(`Port ${port} on 127.0.0.1 is in use`)
  })
})

describe('the Fetch handler in servers of others', () => {
  /** Serves on a free port of loopback, until the test ends. */
  async function listening(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(listener as RequestListener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const hosts: Readonly<Record<string, (fetch: FetchHandler) => Promise<string>>> = {
    Hono: async (fetch) => {
      const app = new Hono().all('/graphql', (context) => fetch(context.req.raw))
      return `${await listening(getRequestListener(app.fetch))}/graphql`
    },
    Express: async (fetch) => {
      const app = express().use('/graphql', getRequestListener(fetch))
      return `${await listening(app)}/graphql`
    },
  }

  test.each(Object.entries(hosts))(
    '%s: a query, a refused body, and a subscription that ends with its client',
    async (_, serve) => {
      const ticker = await startTicker()
      const subgraphs = Object.fromEntries(ticker.subgraphs.map(({ name, schema, context }) => [name, { schema, context }]))
      const gateway = await aGateway({ supergraph: ticker.supergraphSdl, subgraphs })
      const url = await serve(gateway.fetch)
      const sent = (body: string, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
        fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, signal })
      expect(await (await sent('{"query":"{ now }"}')).json()).toEqual({ data: { now: 0 } })
      expect((await sent(`{"query":"${' '.repeat(100_001)}"}`)).status).toBe(413)

      const stop = new AbortController()
      const stream = await sent('{"query":"subscription { ticked { text } }"}', { accept: 'text/event-stream' }, stop.signal)
      const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
      await reader.read()
      await expect.poll(ticker.listening).toBe(1)
      ticker.tick('through a host')
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"through a host"')
      stop.abort()
      await expect.poll(ticker.listening).toBe(0)
    },
  )
})
