import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { graphql, parse, subscribe } from 'graphql'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { matchesGlob } from '../../../gateway/headers/glob.ts'
import { compileRequestRules } from '../../../gateway/headers/request-rules.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { recordingLog } from '../support/graph.ts'

const HEAD = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@composeDirective"])
  @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
  @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int, scope: cacheControl__Scope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum cacheControl__Scope { PUBLIC PRIVATE }`
const ONE = `${HEAD} type Query { tenant: String cached: String @cacheControl(maxAge: 60) one: Part }
  type Mutation { enter: String }
  type Subscription { seen: String }
  type Part @key(fields: "id") { id: ID! }`
const TWO = `${HEAD} type Query { two: String } type Part @key(fields: "id") { id: ID! name: String }`

/** What the subgraphs got, by their names. */
const got: Record<'one' | 'two', IncomingHttpHeaders[]> = { one: [], two: [] }
const last = (name: 'one' | 'two') => got[name].at(-1) ?? {}
/** Headers that each subgraph sends. */
const sends: Record<'one' | 'two', Record<string, string | string[]>> = { one: {}, two: {} }
const closers: (() => unknown)[] = []
let supergraph = ''

async function serveSubgraph(name: 'one' | 'two', sdl: string) {
  const tenantOf = (headers: IncomingHttpHeaders) => String(headers['x-tenant'] ?? 'none')
  type Context = { req: { headers: IncomingHttpHeaders } }
  const schema = buildSubgraphSchema([
    {
      typeDefs: parse(sdl),
      resolvers: {
        Query: {
          tenant: (_: unknown, __: unknown, { req }: Context) => tenantOf(req.headers),
          cached: (_: unknown, __: unknown, { req }: Context) => tenantOf(req.headers),
          one: () => ({ id: '1' }),
          two: () => 'two',
        },
        Mutation: { enter: () => 'in' },
        Subscription: {
          seen: {
            async *subscribe(_: unknown, __: unknown, { req }: Context) {
              yield { seen: tenantOf(req.headers) }
              await new Promise((resolve) => setTimeout(resolve, 2_000).unref())
            },
          },
        },
        Part: { name: () => 'part' },
      } as never,
    },
  ])
  const server = createServer(async (request, response) => {
    got[name].push(request.headers)
    for (const [key, value] of Object.entries(sends[name])) response.setHeader(key, value)
    let body = ''
    for await (const chunk of request) body += chunk
    const { query, variables } = JSON.parse(body)
    const contextValue = { req: request }
    if (!request.headers.accept?.includes('event-stream')) {
      const result = await graphql({ schema, source: query, variableValues: variables, contextValue })
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(result))
    }
    response.setHeader('content-type', 'text/event-stream')
    const events = await subscribe({ schema, document: parse(query), contextValue })
    if (!(Symbol.asyncIterator in events)) return response.end()
    for await (const event of events) response.write(`event: next\ndata: ${JSON.stringify(event)}\n\n`)
    return response.end('event: complete\ndata:\n\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
}

beforeAll(async () => {
  const [one, two] = [await serveSubgraph('one', ONE), await serveSubgraph('two', TWO)]
  supergraph = compose([
    { name: 'one', typeDefs: parse(ONE), url: one },
    { name: 'two', typeDefs: parse(TWO), url: two },
  ])
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

/** A gateway with these options behind a real server. */
async function serve(options: GatewayOptions) {
  const { log } = recordingLog()
  const gateway = await createGateway({ supergraph, log, ...options })
  const server = await serveGateway(gateway, { port: 0, log, batchLimit: 5 })
  closers.push(async () => {
    await server.close()
    await gateway.close()
  })
  const post = (query: string, headers: Record<string, string> = {}, body: unknown = { query }) =>
    fetch(server.url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  return { url: server.url, post, data: async (...args: Parameters<typeof post>) => (await post(...args)).json() }
}

const PARTS = '{ one { name } }'

describe('requests to subgraphs', () => {
  test('get no header that no rule names', async () => {
    const { data } = await serve({})
    await data(PARTS, { 'x-tenant': 'a', cookie: 'session=1', 'user-agent': 'browser' })
    for (const name of ['one', 'two'] as const) {
      expect(last(name)).not.toHaveProperty('x-tenant')
      expect(last(name)).not.toHaveProperty('cookie')
    }
  })

  test('get what rules of all subgraphs and their own propagate, rename, default, insert and remove, in order', async () => {
    const { data } = await serve({
      allSubgraphs: {
        headers: {
          request: [
            { propagate: 'X-Tenant', rename: 'x-org' },
            { propagate: 'x-region', default: 'eu' },
            { propagate: 'x-flag-*' },
            { cookies: ['session', 'pref-*'] },
            { insert: 'x-api-version', value: '2' },
            { insert: 'x-subgraph', context: 'subgraph' },
            { insert: 'x-client-method', context: 'method' },
          ],
        },
      },
      subgraphs: {
        two: {
          headers: { request: [{ remove: 'x-flag-*' }, { insert: 'x-api-version', value: '3' }, { remove: 'authorization' }] },
        },
      },
    })
    await data(PARTS, {
      'x-tenant': 'acme',
      'x-flag-new': 'on',
      'x-flag-old': 'off',
      authorization: 'Bearer t',
      cookie: 'session=1; ads=2; pref-lang=de; broken',
    })
    expect(last('one')).toMatchObject({
      'x-org': 'acme',
      'x-region': 'eu',
      'x-flag-new': 'on',
      'x-flag-old': 'off',
      cookie: 'session=1; pref-lang=de',
      'x-api-version': '2',
      'x-subgraph': 'one',
      'x-client-method': 'POST',
      authorization: 'Bearer t',
    })
    expect(last('one')).not.toHaveProperty('x-tenant')
    expect(last('two')).toMatchObject({ 'x-org': 'acme', 'x-api-version': '3', 'x-subgraph': 'two' })
    for (const name of ['x-flag-new', 'x-flag-old', 'authorization']) expect(last('two')).not.toHaveProperty(name)
  })

  test('a pattern for everything propagates neither headers of the connection, nor those of the gateway, nor credentials', async () => {
    const { data } = await serve({ allSubgraphs: { headers: { request: [{ propagate: '*' }] } } })
    await data(PARTS, {
      'x-any': 'yes',
      'x-request-id': 'mine',
      'x-forwarded-host': 'evil.example',
      'x-connected-at': 'now',
      'x-atrium-signature': '1 forged',
      forwarded: 'for=evil',
      cookie: 'a=b',
      'atrium-trace': 'the token of query traces',
      te: 'trailers',
    })
    const { 'x-request-id': requestId, ...headers } = last('one')
    expect(headers['x-any']).toBe('yes')
    expect(requestId).toBe('mine')
    const hidden = ['x-forwarded-host', 'x-connected-at', 'x-atrium-signature', 'forwarded', 'cookie', 'atrium-trace', 'te']
    for (const name of hidden) {
      expect([name, headers[name]]).toEqual([name, undefined])
    }
    expect(headers.host).toMatch(/^127\.0\.0\.1:/)
    expect(headers['content-length']).not.toBe(undefined)
  })

  test.each([
    'host',
    'Content-Length',
    'connection',
    'transfer-encoding',
    'te',
    'x-request-id',
    'x-atrium-signature',
    'traceparent',
  ])('no rule may name %s', async (name) => {
    const rules = [{ propagate: name }, { insert: name, value: 'x' }, { remove: name }, { propagate: 'x-a', rename: name }]
    for (const rule of rules) {
      await expect(serve({ allSubgraphs: { headers: { request: [rule] } } })).rejects.toThrow(
        /"allSubgraphs\.headers\.request\[0\]/,
      )
    }
  })

  test('a value of a rule cannot begin another header', async () => {
    await expect(serve({ allSubgraphs: { headers: { request: [{ insert: 'x-a', value: 'a\r\nx-evil: 1' }] } } })).rejects.toThrow(
      /headers\.request\[0\]/,
    )
  })
})

describe('what is shared', () => {
  const TENANT = { allSubgraphs: { headers: { request: [{ propagate: 'x-tenant' }] } } } as const

  test('a cached response is for callers with the same propagated headers only', async () => {
    const { data, url } = await serve({ ...TENANT, responseCacheBytes: 1_000_000 })
    const before = got.one.length
    for (const [tenant, times] of [
      ['a', 3],
      ['b', 2],
      ['a', 1],
    ] as const) {
      for (let time = 0; time < times; time++) {
        expect(await data('{ cached }', { 'x-tenant': tenant })).toEqual({ data: { cached: tenant } })
      }
    }
    expect(await data('{ cached }')).toEqual({ data: { cached: 'none' } })
    // Case and order of headers, and an unrelated header, make no other caller.
    expect(await data('{ cached }', { 'X-TENANT': 'a', 'x-other': '1' })).toEqual({ data: { cached: 'a' } })
    expect(got.one.length - before).toBe(3)
    const get = await fetch(`${url}?query={cached}`, { headers: { 'apollo-require-preflight': '1', 'x-tenant': 'a' } })
    expect(get.headers.get('cache-control')).toBe('max-age=60, private')
    expect(get.headers.get('vary')).toContain('x-tenant')
  })

  test('equal requests of one moment are one only for the same headers', async () => {
    const { data } = await serve({ ...TENANT, responseCacheBytes: 1_000_000 })
    const tenants = ['p', 'q', 'p', 'q', 'r']
    const answers = await Promise.all(tenants.map((tenant) => data('{ cached }', { 'x-tenant': tenant })))
    expect(answers).toEqual(tenants.map((tenant) => ({ data: { cached: tenant } })))
  })

  test('patterns make responses unfit for shared caches', async () => {
    const { url } = await serve({ allSubgraphs: { headers: { request: [{ propagate: 'x-*' }] } }, responseCacheBytes: 1_000_000 })
    const get = await fetch(`${url}?query={cached}`, { headers: { 'apollo-require-preflight': '1' } })
    expect(get.headers.get('cache-control')).toBe('no-store')
  })

  test('a header that a subgraph sends along is neither stored nor given to others', async () => {
    const { post } = await serve({
      allSubgraphs: { headers: { response: [{ propagate: 'set-cookie' }] } },
      responseCacheBytes: 1_000_000,
    })
    sends.one = { 'set-cookie': ['session=of-the-first'] }
    const first = await post('{ cached }')
    sends.one = {}
    const second = await post('{ cached }')
    const third = await post('{ cached }')
    expect([first, second, third].map(({ headers }) => headers.getSetCookie())).toEqual([['session=of-the-first'], [], []])
  })

  test('subscriptions of callers with other headers share no events', async () => {
    const { url } = await serve(TENANT)
    const seen = await Promise.all(
      ['a', 'b', 'a'].map(async (tenant) => {
        class WithHeaders extends WebSocket {
          constructor(address: string, protocols: string[]) {
            super(address, protocols, { headers: { 'x-tenant': tenant } })
          }
        }
        const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WithHeaders, retryAttempts: 0 })
        for await (const { data } of client.iterate<{ seen: string }>({ query: 'subscription { seen }' })) {
          void client.dispose()
          return data?.seen
        }
        return null
      }),
    )
    expect(seen).toEqual(['a', 'b', 'a'])
    const byInit = createClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { 'X-Tenant': 'from init' },
      retryAttempts: 0,
    })
    for await (const { data } of byInit.iterate<{ seen: string }>({ query: 'subscription { seen }' })) {
      expect(data?.seen).toBe('from init')
      break
    }
    await byInit.dispose()
  })
})

describe('responses to clients', () => {
  test('have what rules propagate, by their merge, and Set-Cookie of every subgraph', async () => {
    const rules = [
      { propagate: 'x-first', merge: 'first' },
      { propagate: 'x-last', merge: 'last' },
      { propagate: 'x-all', merge: 'append' },
      { propagate: 'set-cookie' },
      { propagate: 'x-old', rename: 'x-new', default: 'unset' },
      { insert: 'x-served-by', value: 'atrium' },
    ] as const
    const { post } = await serve({ allSubgraphs: { headers: { response: [...rules] } } })
    sends.one = { 'x-first': '1', 'x-last': '1', 'x-all': '1', 'set-cookie': ['a=1', 'b=2'], 'x-secret': 's' }
    sends.two = { 'x-first': '2', 'x-last': '2', 'x-all': '2', 'set-cookie': 'c=3' }
    const { headers } = await post(PARTS)
    sends.one = {}
    sends.two = {}
    expect([headers.get('x-first'), headers.get('x-last'), headers.get('x-all')]).toEqual(['1', '2', '1, 2'])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3'])
    expect([headers.get('x-new'), headers.get('x-served-by'), headers.get('x-secret')]).toEqual(['unset', 'atrium', null])
  })

  test('a subgraph cannot open the gateway to other origins, change caching or the body, or fill the head', async () => {
    const { post } = await serve({ allSubgraphs: { headers: { response: [{ propagate: '*' }] } } })
    sends.one = {
      'access-control-allow-credentials': 'true',
      'cache-control': 'public, max-age=9',
      etag: '"x"',
      'content-security-policy': "default-src 'none'",
      'set-cookie': 'stolen=1',
      'x-ok': '1',
      ...Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x-many-${index}`, 'v'.repeat(200)])),
    }
    const response = await post('{ tenant }')
    sends.one = {}
    const { headers } = response
    expect(await response.json()).toEqual({ data: { tenant: 'none' } })
    expect([headers.get('x-ok'), headers.get('access-control-allow-credentials'), headers.get('etag')]).toEqual(['1', null, null])
    expect([headers.get('cache-control'), headers.getSetCookie()]).toEqual(['no-store', []])
    const many = [...headers].filter(([name]) => name.startsWith('x-many-'))
    expect(many.length).toBeGreaterThan(5)
    expect(many.reduce((sum, [name, value]) => sum + name.length + value.length, 0)).toBeLessThanOrEqual(6_000)
  })

  test('operations of a batch share a response', async () => {
    const { post } = await serve({ allSubgraphs: { headers: { response: [{ propagate: 'set-cookie' }] } } })
    sends.one = { 'set-cookie': 'a=1' }
    const { headers } = await post('', {}, [{ query: '{ tenant }' }, { query: 'mutation { enter }' }])
    sends.one = {}
    expect(headers.getSetCookie()).toEqual(['a=1', 'a=1'])
  })
})

test.each([
  ['x-*', 'x-tenant', true],
  ['*', '', true],
  ['x-*-id', 'x-trace-id', true],
  ['x-*-id', 'x-trace-ids', false],
  ['x', 'x-tenant', false],
  ['a*b*c', 'abbbc', true],
  ['**', 'anything', true],
])('pattern %s and %s: %s', (pattern, text, matches) => {
  expect(matchesGlob(pattern, text)).toBe(matches)
})

test('no pattern takes long, as a regular expression would', () => {
  const before = process.cpuUsage().user
  for (let round = 0; round < 100; round++) matchesGlob(`${'*a'.repeat(50)}b`, 'a'.repeat(4_000))
  // 100 times 100 by 4,000 steps: a tenth of a second; backtracking would never end.
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(5_000)
})

test('a pattern never matches values that identify a caller and are no header, such as the token of a cookie', () => {
  const caller = { requestId: 'r', address: '::1', credentials: {}, headers: { ':token': 'secret', 'x-a': '1' } }
  const headers = {}
  compileRequestRules([{ propagate: '*' }], 'one')?.(headers, { caller, signal: new AbortController().signal })
  expect(headers).toEqual({ 'x-a': '1' })
})
