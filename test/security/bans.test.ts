import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { hasRedis, REDIS, redisServer } from '../gateway/support/redis.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { type Atrium, basic, startAtrium } from './support/atrium.ts'

/** Somebody who asked the REST API of a store too often, and somebody who did not. */
const BANNED = '127.0.5.1'
const OTHER = '127.0.5.2'

let atrium: Atrium
let store: TestStore
let another: TestStore
beforeAll(async () => {
  atrium = await startAtrium()
  store = await atrium.aStore('Banned from')
  another = await atrium.aStore('Another')
  await beBanned(atrium, store)
}, 120_000)
afterAll(() => atrium?.stop())

/** Asks until the answer has the header of a ban. */
async function beBanned(of: Atrium, from: TestStore): Promise<void> {
  const ask = () => of.ask('/v1/store/languages.json', { headers: basic(from), from: BANNED })
  for (let requestCount = 0; requestCount < 20_000; requestCount += 50) {
    const replies = await Promise.all(Array.from({ length: 50 }, ask))
    if (replies.some(({ headers }) => headers['jumpseller-bannedbyratelimit-reset'])) return
  }
  throw new Error('Expected a ban.')
}

const TOOLS = { accept: 'application/json, text/event-stream' }
const tool = (of: Atrium, as: TestStore, from: string) =>
  of.ask('/mcp/store', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_products', arguments: {} } },
    headers: { ...TOOLS, 'x-login-key': as.login, 'x-auth-token': as.authtoken },
    from,
  })

const limited = { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) }

test('the REST API still answers with the end of the ban, in its own headers', async () => {
  const { status, headers } = await atrium.ask('/v1/products.json', { headers: basic(store), from: BANNED })
  expect(status).toBe(429)
  expect(headers).toMatchObject({
    'jumpseller-bannedbyratelimit-reset': expect.stringMatching(/^\d{4}-.*\+00:00$/),
    'jumpseller-perminuteratelimit-limit': '800',
  })
  expect(Number(headers['retry-after'])).toBeGreaterThan(3_000)
})

test.each([
  ['a field', '{ store { name } }'],
  ['what credentials are', '{ storeAccess { storeCode } }'],
  ['a list', '{ products(first: 1) { totalCount } }'],
  ['a mutation', 'mutation { deleteProductCategory(id: "1") { __typename } }'],
])('the graph answers %s of this store with RATE_LIMITED and the time to wait', async (_, query) => {
  const { errors } = await atrium.graph(query, {}, { headers: basic(store), from: BANNED })
  expect(errors?.[0]?.extensions).toMatchObject(limited)
  expect(errors?.[0]?.extensions.retryAfterSeconds).toBeGreaterThan(3_000)
  expect(errors?.[0]?.extensions.retryAfterSeconds).toBeLessThanOrEqual(3_600)
})

test('tools for agents, too', async () => {
  const { text } = await tool(atrium, store, BANNED)
  expect(text).toMatch(/RATE_LIMITED|rate limit/)
  expect(text).not.toContain('"isError":false')
})

test('a WebSocket, too', async () => {
  class FromBanned extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { localAddress: BANNED })
    }
  }
  const client = createClient({
    url: `ws://127.0.0.1:${atrium.port}/graphql`,
    webSocketImpl: FromBanned,
    connectionParams: basic(store),
    lazyCloseTimeout: 0,
    retryAttempts: 0,
  })
  const answers = client.iterate({ query: '{ store { name } }' })
  const answer = await answers.next().then(
    ({ value }) => value?.errors,
    (errors: unknown) => errors,
  )
  await client.dispose()
  expect(answer).toMatchObject([{ extensions: limited }])
})

test('the same address at another store, and another address at this one, are served', async () => {
  const name = '{ store { name } }'
  expect((await atrium.graph(name, {}, { headers: basic(another), from: BANNED })).data).toEqual({ store: { name: 'Another' } })
  expect((await atrium.graph(name, {}, { headers: basic(store), from: OTHER })).data).toEqual({ store: { name: 'Banned from' } })
  for (const [as, from] of [
    [another, BANNED],
    [store, OTHER],
  ] as const) {
    expect((await atrium.ask('/v1/products.json', { headers: basic(as), from })).status).toBe(200)
    expect((await tool(atrium, as, from)).text).toContain('"text":"[]"')
  }
})

test.skipIf(!hasRedis)(
  `a ban holds in every copy that counts in the same Redis (skipped where ${REDIS} is not installed)`,
  async () => {
    const redis = await redisServer()
    const [one, two] = await Promise.all([1, 2].map(() => startAtrium({ REDIS_URL: redis.url })))
    try {
      if (!one || !two) throw new Error('Expected two copies.')
      const shop = await one.aStore('Shared')
      // The same store in the database of the other copy.
      const twin = await two.aStore('Shared')
      await one.sql('UPDATE store.store SET code = $1 WHERE id = $2', ['shared', shop.storeId])
      await two.sql('UPDATE store.store SET code = $1 WHERE id = $2', ['shared', twin.storeId])
      await beBanned(one, shop)
      const { errors } = await two.graph('{ store { name } }', {}, { headers: basic(twin), from: BANNED })
      expect(errors?.[0]?.extensions).toMatchObject(limited)
      expect((await two.graph('{ store { name } }', {}, { headers: basic(twin), from: OTHER })).data.store.name).toBe('Shared')
    } finally {
      await Promise.all([one?.stop(), two?.stop()])
      await redis.stop()
    }
  },
  120_000,
)
