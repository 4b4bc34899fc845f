import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { acknowledged, type Socket } from '../../gateway/support/transports.ts'
import { type Atrium, type Data, type RequestOptions, startAtrium } from '../../security/support/atrium.ts'

let atrium: Atrium
let database: pg.Client
let socket: Socket

/** One request at a time may be worked on; each test begins while one is. */
beforeAll(async () => {
  atrium = await startAtrium({ LOAD_LIMIT: '1' })
  database = new pg.Client(atrium.connection)
  await database.connect()
  socket = await acknowledged(new WebSocket(`ws://127.0.0.1:${atrium.port}/graphql`, 'graphql-transport-ws'))
})
afterAll(async () => {
  await database?.end()
  await atrium?.stop()
})

const LOG_IN = 'mutation { login(email: "nobody@example.org", password: "nothing") { __typename } }'
const status = async () => (await atrium.graph('{ __typename }')).status

/** Runs `work` while the process is full with a log-in that waits for the database. */
async function whileFull<Result>(work: () => Promise<Result>): Promise<Result> {
  await database.query('BEGIN; LOCK TABLE social."user"')
  const waiting = atrium.graph(LOG_IN)
  try {
    await expect.poll(status, { timeout: 20_000 }).toBe(503)
    return await work()
  } finally {
    await database.query('ROLLBACK')
    expect((await waiting).data.login.__typename).toBe('InvalidCredentials')
    await expect.poll(status, { timeout: 20_000 }).toBe(200)
  }
}

const MESSAGE = 'This server has more to do than it can: try again in a few seconds.'
const json = { 'content-type': 'application/json' }
type Row = { endpoint: string; path: string; type: string; body: unknown; options?: RequestOptions }

describe('a process that is full', () => {
  test('refuses at every endpoint, in its format, with Retry-After', async () => {
    const rows: readonly Row[] = [
      {
        endpoint: 'the graph',
        path: '/graphql',
        options: { body: { query: '{ __typename }' } },
        type: 'application/json; charset=utf-8',
        body: { errors: [{ message: MESSAGE, extensions: { code: 'UNAVAILABLE', requestId: expect.any(String) } }] },
      },
      {
        endpoint: 'the graph, for what is no operation',
        path: '/graphql',
        options: { body: '{', headers: json },
        type: 'application/json; charset=utf-8',
        body: { errors: [{ message: MESSAGE, extensions: { code: 'UNAVAILABLE', requestId: expect.any(String) } }] },
      },
      {
        endpoint: 'the directory',
        path: '/api/stats',
        type: 'application/json; charset=utf-8',
        body: { error: { code: 'UNAVAILABLE', message: MESSAGE, details: {} } },
      },
      { endpoint: 'a store', path: '/v1/products.json', type: 'application/json; charset=utf-8', body: { message: MESSAGE } },
      {
        endpoint: 'trust',
        path: '/v1/decide',
        options: { body: { domain: 'example.com' } },
        type: 'application/problem+json',
        body: {
          type: 'about:blank',
          title: 'Service Unavailable',
          status: 503,
          detail: MESSAGE,
          instance: '/v1/decide',
          code: 'unavailable',
          request_id: expect.any(String),
        },
      },
      {
        endpoint: 'tools',
        path: '/mcp/directory',
        options: { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
        type: 'application/json; charset=utf-8',
        body: { jsonrpc: '2.0', error: { code: -32_000, message: MESSAGE }, id: null },
      },
      {
        endpoint: 'apps',
        path: '/oauth/token/info',
        type: 'application/json; charset=utf-8',
        body: { error: { code: 'UNAVAILABLE', message: MESSAGE, details: {} } },
      },
      { endpoint: 'pages', path: '/search?q=a', type: 'text/html; charset=utf-8', body: null },
      { endpoint: 'the console', path: '/console', type: 'text/html; charset=utf-8', body: null },
      { endpoint: 'consent', path: '/authorize/none', type: 'text/html; charset=utf-8', body: null },
    ]
    await whileFull(async () => {
      for (const { endpoint, path, options, type, body } of rows) {
        const reply = await atrium.ask(path, options)
        expect([endpoint, reply.status, reply.headers['content-type']]).toEqual([endpoint, 503, type])
        expect([endpoint, reply.headers['retry-after']]).toEqual([endpoint, expect.stringMatching(/^[2-5]$/)])
        expect([endpoint, reply.headers['cache-control']]).toEqual([endpoint, 'no-store'])
        if (body !== null) expect(reply.json).toEqual(body)
      }
      const graph = await atrium.ask('/graphql', { body: { query: '{ __typename }' } })
      expect(graph.headers['access-control-allow-origin'], 'pages of others see it too').toBe('*')
    })
  })

  test('keeps the connection, and still answers health checks', async () => {
    await whileFull(async () => {
      // Whether it is ready takes longer to say here: the database is asked.
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
      const answers = await atrium.raw(request('/api/stats') + request('/health') + request('/metrics'))
      expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual([503, 200, 200].map((code) => `HTTP/1.1 ${code}`))
      expect(answers).toMatch(/^atrium_requests_running 1$/m)
      expect(answers).toMatch(/^atrium_requests_most 1$/m)
      expect(answers).toMatch(/^atrium_overload_refusals_total\{door="rest"\} \d+$/m)
    })
  })

  test('takes no WebSockets, and no operations over those that it has, whose subscriptions go on', async () => {
    const begun = (id: string) => `{"id":"${id}","type":"subscribe","payload":{"query":"subscription { userCreated { name } }"}}`
    socket.socket.send(begun('lasting'))
    await expect
      .poll(async () => (await atrium.ask('/metrics')).text, { timeout: 20_000 })
      .toMatch(/^atrium_subscriptions_running 1$/m)
    await whileFull(async () => {
      const refused = new WebSocket(`ws://127.0.0.1:${atrium.port}/graphql`, 'graphql-transport-ws')
      refused.on('error', () => {})
      const [, response] = (await once(refused, 'unexpected-response')) as Data[]
      expect([response.statusCode, response.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[2-5]$/)])
      expect(await socket.ask({ query: '{ __typename }' })).toMatchObject([
        {
          type: 'error',
          payload: [{ message: MESSAGE, extensions: { code: 'UNAVAILABLE', retryAfterSeconds: expect.any(Number) } }],
        },
      ])
    })
    await atrium.aUser('Ann')
    expect(await socket.next('lasting')).toMatchObject({ payload: { data: { userCreated: { name: 'Ann' } } } })
    expect(await socket.ask({ query: '{ __typename }' })).toMatchObject([
      { payload: { data: { __typename: 'Query' } } },
      { type: 'complete' },
    ])
  })

  test('is not kept full by a client that sends its body slowly', async () => {
    const half = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const slow = atrium.raw(half, 1_000)
    expect(await status()).toBe(200)
    await slow
  })
})
