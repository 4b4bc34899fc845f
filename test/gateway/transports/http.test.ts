import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyInstance } from 'fastify'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import type { ReadinessCheck } from '../../../platform/http/readiness.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { CALLER, type LocalGraph, localGraph, recordingLog } from '../support/graph.ts'

let graph: LocalGraph
let app: FastifyInstance
let base: string
const { log, lines } = recordingLog()
const database: { state: 'answers' | 'fails' | 'hangs' } = { state: 'answers' }
const check: ReadinessCheck['check'] = () =>
  database.state === 'answers'
    ? Promise.resolve()
    : database.state === 'fails'
      ? Promise.reject(new Error('down'))
      : new Promise(() => {})

beforeAll(async () => {
  graph = await localGraph()
  app = createHttpServer({ log, checks: [{ name: 'database', check }] })
  await serveGraphql(app, graph.gateway)
  app.get('/things/:id', async () => ({}))
  app.get('/slow', () => new Promise((resolve) => setTimeout(resolve, 300, { late: true })))
  app.get('/broken', async () => {
    throw new Error('password=hunter2')
  })
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const JSON_HEADERS = { 'content-type': 'application/json' }
async function send(path: string, init: RequestInit = {}) {
  const answer = await fetch(base + path, init)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}
const post = (body: unknown, headers: Record<string, string> = {}) =>
  send('/graphql', {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const get = (query: Record<string, string>, headers: Record<string, string> = { 'apollo-require-preflight': '1' }) =>
  send(`/graphql?${new URLSearchParams(query)}`, { headers })

/** Sends bytes as they are, and returns what comes back until the connection ends. */
const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

describe('GraphQL over HTTP', () => {
  test('POST and GET answer a query with its data', async () => {
    const query = 'query One($id: ID!) { product(id: $id) { name } }'
    const answers = [
      await post({ query, variables: { id: 'a' }, operationName: 'One' }),
      await get({ query, variables: '{"id":"a"}', operationName: 'One' }),
    ]
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([200, { data: { product: { name: 'Product a' } } }])
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
  })

  test('the media type of the specification is used when Accept names it', async () => {
    const { headers } = await post({ query: '{ caller }' }, { accept: 'application/graphql-response+json' })
    expect(headers.get('content-type')).toBe('application/graphql-response+json; charset=utf-8')
  })

  // What is refused, with which status and code, is in contract/request-cases.ts.
  test.each(['{', '', 'null', { query: '{ nope }' }, { query: '' }, [{ query: '{ caller }' }]])(
    'a refusal is JSON without data and stack traces, with the id of the request: %j',
    async (body) => {
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(answer.body).not.toHaveProperty('data')
      expect(answer.headers.get('x-request-id')).toBeTruthy()
      expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|stacktrace/)
    },
  )

  test('a persisted query is registered once and then found, and only when it is valid', async () => {
    const persisted = (query: string) => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    })
    await post({ query: '{ __typename }', extensions: persisted('{ __typename }') })
    expect((await post({ extensions: persisted('{ __typename }') })).body).toEqual({ data: { __typename: 'Query' } })
    await post({ query: '{ nope }', extensions: persisted('{ nope }') })
    expect((await post({ extensions: persisted('{ nope }') })).body.errors[0].extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
  })

  test('GET runs no mutations; the refusal says how to send them', async () => {
    const { status, headers, body } = await get({ query: 'mutation { rename(id: "a", name: "b") { name } }' })
    expect([status, headers.get('allow'), body.errors[0].extensions.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED'])
    expect((await post({ query: 'mutation { rename(id: "a", name: "b") { name } }' })).body.data).toEqual({
      rename: { name: 'b' },
    })
  })

  test('a rate-limited request gets Retry-After, of several limits the latest', async () => {
    const { status, headers, body } = await post({ query: '{ a: tooOften(seconds: 3) b: tooOften(seconds: 7) caller }' })
    expect([status, headers.get('retry-after'), body.data.a]).toEqual([200, '7', null])
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 3 })
    expect((await post({ query: '{ caller }' })).headers.get('retry-after')).toBeNull()
  })

  test('what a form of another site can send is refused', async () => {
    expect((await get({ query: '{ caller }' }, {})).status).toBe(400)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
      const { status, body } = await send('/graphql', {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"query":"{ caller }"}',
      })
      expect([type, status, body.errors[0].extensions.code]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE'])
    }
  })

  test.each(['application/json', 'text/event-stream'])(
    'a page of ours may send what one of another site may not: %s',
    async (accept) => {
      const from = (site: string) => fetch(`${base}/graphql?query={caller}`, { headers: { accept, 'sec-fetch-site': site } })
      const [ours, others, unknown] = await Promise.all([from('same-origin'), from('cross-site'), from('')])
      expect([ours.status, others.status, unknown.status]).toEqual([200, 400, 400])
      expect(await ours.text()).toContain('{"data":{"caller":')
      await Promise.all([others.text(), unknown.text()])
    },
  )

  test('no text spoils what is remembered of another with a name', async () => {
    const query = 'query Spoiled { product(id: "a") { name } }'
    const good = { data: { product: { name: 'Product a' } } }
    for (const before of ['Spoiled\0', 'Spoiled', '7:Spoiled', ':', ':Spoiled']) await post({ query: `${before}${query}` })
    await post({ query: `d${query}`, operationName: 'Spoile' })
    expect((await post({ query, operationName: 'Spoiled' })).body).toEqual(good)
    expect((await post({ query })).body).toEqual(good)
  })

  test('other methods are refused with what is allowed', async () => {
    const { status, headers, body } = await send('/graphql', { method: 'PUT' })
    expect([status, headers.get('allow'), body.errors[0].extensions.code]).toEqual([
      405,
      'GET, POST, OPTIONS',
      'METHOD_NOT_ALLOWED',
    ])
  })

  test('pages of any origin may ask, also before they ask', async () => {
    const preflight = await send('/graphql', {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
    // Spans of pages are taken up, and programs send what they know of a trace in two headers.
    expect(allowed).toEqual(expect.arrayContaining(['content-type', 'traceparent', 'tracestate']))
    for (const answer of [await post({ query: '{ caller }' }), await post('{'), await post({ query: '{' })]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test.each([['br'], ['gzip']])('long answers are compressed with %s, short ones are not', async (coding) => {
    const long = await post({ query: '{ __schema { types { name description } } }' }, { 'accept-encoding': coding })
    expect([long.headers.get('content-encoding'), long.body.data.__schema.types.length > 10]).toEqual([coding, true])
    const short = await post({ query: '{ __typename }' }, { 'accept-encoding': coding })
    expect([short.headers.get('content-encoding'), short.headers.get('vary')]).toEqual([null, 'Accept, Accept-Encoding'])
  })

  test('no coding is used that the client refuses', async () => {
    const { headers } = await post(
      { query: '{ __schema { types { name description } } }' },
      { 'accept-encoding': 'br;q=0, gzip;q=0' },
    )
    expect(headers.get('content-encoding')).toBeNull()
  })

  test('only credentials of the allow-list reach a subgraph, and none reaches the log', async () => {
    lines.length = 0
    const { body } = await post(
      { query: '{ caller }' },
      { authorization: 'Bearer sesame', 'x-api-key': 'k1', cookie: 'session=sesame', 'x-request-id': 'mine-1' },
    )
    expect(JSON.parse(body.data.caller)).toEqual({
      requestId: 'mine-1',
      address: '127.0.0.1',
      credentials: { authorization: 'Bearer sesame', 'x-api-key': 'k1' },
    })
    await get({ query: '{ caller }', token: 'sesame' })
    expect(lines.map(({ msg }) => msg)).toContain('request')
    expect(JSON.stringify(lines)).not.toContain('sesame')
  })

  test('a fault is answered with the request id that the log has', async () => {
    const { status, body, headers } = await post({ query: '{ broken }' })
    expect([status, body.data]).toEqual([200, { broken: null }])
    expect(body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', requestId: headers.get('x-request-id') })
    expect(JSON.stringify(body)).not.toContain('hunter2')
  })
})

describe('the HTTP host', () => {
  test('a request id of the client is kept when it is one, and replaced otherwise', async () => {
    expect((await send('/health', { headers: { 'x-request-id': 'abc-1' } })).headers.get('x-request-id')).toBe('abc-1')
    for (const odd of ['a b', 'x'.repeat(200), '<script>']) {
      expect((await send('/health', { headers: { 'x-request-id': odd } })).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test.each<{ what: string; path: string; init?: RequestInit; status: number; code: string; allow?: string }>([
    { what: 'an unknown path', path: '/nope', status: 404, code: 'NOT_FOUND' },
    {
      what: 'another method',
      path: '/things/1',
      init: { method: 'DELETE' },
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
      allow: 'GET, HEAD',
    },
    { what: 'broken percent-encoding', path: '/things/%zz', status: 400, code: 'BAD_REQUEST' },
    { what: 'a fault', path: '/broken', status: 500, code: 'INTERNAL_SERVER_ERROR' },
  ])('$what is answered in JSON', async ({ path, init, status, code, allow }) => {
    const answer = await send(path, init)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(answer.headers.get('allow')).toBe(allow ?? null)
    expect(answer.text).not.toContain('hunter2')
  })

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', '400 Bad Request'],
    ['a header without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, '431 Request Header'],
    [
      'two lengths',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
      '400 Bad Request',
    ],
  ])('malformed requests are answered in JSON: %s', async (_, text, status) => {
    const [head, body] = (await raw(text)).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status}`)
    expect(JSON.parse(body ?? '').error.message).toMatch(/^Expected/)
  })

  test('HEAD answers like GET, without the body', async () => {
    const { status, text, headers } = await send('/health', { method: 'HEAD' })
    expect([status, text, headers.get('content-length')]).toEqual([200, '', '15'])
  })

  test('/health says that the process is up, /ready that it can answer', async () => {
    expect((await send('/ready')).body).toEqual({ status: 'ready', checks: { database: 'ok' } })
    for (const state of ['fails', 'hangs'] as const) {
      database.state = state
      const { status, body } = await send('/ready')
      expect([state, status, body]).toEqual([state, 503, { status: 'unavailable', checks: { database: 'failing' } }])
      expect((await send('/health')).status).toBe(200)
    }
    database.state = 'answers'
  })

  test('closing lets a running request finish, and ends connections that wait for nothing', async () => {
    const host = createHttpServer({ log })
    const begun = Promise.withResolvers<void>()
    host.get('/slow', () => {
      begun.resolve()
      return new Promise((resolve) => setTimeout(resolve, 200, { late: true }))
    })
    const url = await host.listen({ port: 0, host: '127.0.0.1' })
    const idle = connect(Number(new URL(url).port), '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    const ended = new Promise((resolve) => idle.once('close', resolve).resume())
    const running = fetch(`${url}/slow`)
    await begun.promise
    const closing = host.close()
    const answer = await running
    expect([await answer.json(), answer.headers.get('connection')]).toEqual([{ late: true }, 'close'])
    await Promise.all([closing, ended])
  })
})

describe('the client of facades', () => {
  const document = (text: string) =>
    parse(text) as TypedDocumentNode<{ product: { name: string } | null }, Record<string, unknown>>
  const signal = new AbortController().signal

  test('a prepared document runs with its variables', async () => {
    const one = document('query One($id: ID!) { product(id: $id) { name } }')
    await graph.gateway.client.prepare(one)
    expect(await graph.gateway.client.run(one, { id: 'a' }, CALLER, signal)).toEqual({
      data: { product: { name: 'Product a' } },
      errors: [],
    })
  })

  test('an undefined variable is an absent one: defaults hold', async () => {
    const echo = document('query ($flag: Boolean) { echo(flag: $flag) }')
    await graph.gateway.client.prepare(echo)
    expect((await graph.gateway.client.run(echo, { flag: undefined }, CALLER, signal)).data).toEqual({ echo: '{"flag":true}' })
    expect((await graph.gateway.client.run(echo, { flag: null }, CALLER, signal)).data).toEqual({ echo: '{"flag":null}' })
  })

  test('no limits apply: the document is our own', async () => {
    const dear = document('{ wholes { children { children { children { children { id } } } } } }')
    await graph.gateway.client.prepare(dear)
    expect((await graph.gateway.client.run(dear, {}, CALLER, signal)).errors).toEqual([])
  })

  test('a bad document is refused when it is prepared, with its name and every problem', async () => {
    const preparing = graph.gateway.client.prepare(document('query Bad { nope neither }'))
    await expect(preparing).rejects.toThrow(/Bad[\s\S]*"nope"[\s\S]*"neither"/)
  })

  test('a failing subgraph is in the errors', async () => {
    const broken = document('query Broken { broken promised }')
    await graph.gateway.client.prepare(broken)
    const { data, errors } = await graph.gateway.client.run(broken, {}, CALLER, signal)
    expect([data, errors.map(({ extensions }) => extensions?.code)]).toEqual([
      null,
      ['INTERNAL_SERVER_ERROR', 'INTERNAL_SERVER_ERROR'],
    ])
  })
})
