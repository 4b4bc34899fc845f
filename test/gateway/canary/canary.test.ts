import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVersionStatistics } from '../../../gateway/canary/version-statistics.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { recordingLog } from '../support/graph.ts'
import type { Remote } from '../support/remote.ts'
import { type Answer, aCanary, caller, clientOf, twoSupergraphs } from './canary-graph.ts'

const PRICES = '{ goods { price } }'
const priced = (price: number) => ({ data: { goods: [{ price }, { price }] } })

/** Has servers keep idle connections for as long as a test may take. */
function keepIdle(...servers: readonly Remote[]): void {
  for (const { server } of servers) server.keepAliveTimeout = 60_000
}

describe('callers', () => {
  test('are the same share of the candidate at every request, and more of them when the share grows', async () => {
    const { priceFor, canary } = await aCanary({ percent: 30 })
    const callers = Array.from({ length: 60 }, (_, at) => caller(at))
    const pricesOf = () => Promise.all(callers.map(priceFor))
    const first = await pricesOf()
    expect(await pricesOf()).toEqual(first)
    const ofCandidate = (prices: readonly unknown[]) => prices.filter((price) => price === 2).length
    expect(ofCandidate(first)).toBeGreaterThan(5)
    expect(ofCandidate(first)).toBeLessThan(35)
    canary.setPercent(60)
    const second = await pricesOf()
    expect(ofCandidate(second)).toBeGreaterThan(ofCandidate(first))
    expect(first.every((price, at) => price === 1 || second[at] === 2)).toBe(true)
    canary.setPercent(0)
    expect(ofCandidate(await pricesOf())).toBe(0)
    canary.setPercent(100)
    expect(ofCandidate(await pricesOf())).toBe(60)
  })

  test('are identified by a header of the options, and take part by another at any share', async () => {
    const { priceFor, canary } = await aCanary({
      percent: 50,
      header: 'X-User',
      optIn: { header: 'X-Canary', value: 'please' },
    })
    const users = Array.from({ length: 30 }, (_, at) => `u${at}`)
    const byUser = await Promise.all(users.map((user) => priceFor({ 'x-user': user, ...caller(user) })))
    expect(new Set(byUser)).toEqual(new Set([1, 2]))
    // Whatever credentials they have.
    expect(await Promise.all(users.map((user) => priceFor({ 'x-user': user, ...caller('other') })))).toEqual(byUser)
    canary.setPercent(0)
    expect(await priceFor({ 'x-canary': 'please' })).toBe(2)
    expect(await priceFor({ 'x-canary': 'no' })).toBe(1)
  })
})

test('both supergraphs share the connections to a subgraph that is at one address, also while one of them goes', async () => {
  const { post, canary, goods, prices } = await aCanary({ optIn: { header: 'x-canary', value: '1' } })
  keepIdle(goods, prices.served, prices.candidate)
  const sockets = () => [goods, prices.served, prices.candidate].map(({ connections }) => connections())
  for (let request = 0; request < 3; request++) {
    expect(await post(PRICES)).toEqual(priced(1))
    expect(await post(PRICES, { 'x-canary': '1' })).toEqual(priced(2))
  }
  expect(sockets()).toEqual([1, 1, 1])
  canary.rollBack('of the test')
  for (const headers of [{ 'x-canary': '1' }, {}]) expect(await post(PRICES, headers)).toEqual(priced(1))
  expect(sockets()).toEqual([1, 1, 1])
})

test.each([
  { what: 'a subgraph', connections: { maxConnections: 2 } },
  { what: 'a subgraph that may have HTTP/2', connections: { maxConnections: 2, http2: true } },
])('a slow candidate takes half of the connections to $what, until it is promoted', async ({ connections }) => {
  const { post, canary, goods } = await aCanary({ optIn: { header: 'x-canary', value: '1' } }, { allSubgraphs: { connections } })
  const held: (() => void)[] = []
  goods.always = ({ response, body }) => {
    const answer = (data: object) => void response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
    if (body.includes('plain')) held.push(() => answer({ plain: 1 }))
    else answer({ goods: [] })
  }
  const slow = (requests: number) =>
    Array.from({ length: requests }, (_, at) => post(`{ plain } # ${at}`, { 'x-canary': '1', ...caller(at) }))
  const first = slow(3)
  await expect.poll(() => held.length).toBe(1)
  expect(await post('{ goods { id } }')).toEqual({ data: { goods: [] } })
  for (let at = 0; at < first.length; at++) {
    await expect.poll(() => held.length).toBe(at + 1)
    held[at]?.()
  }
  expect((await Promise.all(first)).map(({ data }) => data)).toEqual([{ plain: 1 }, { plain: 1 }, { plain: 1 }])

  expect(canary.promote()).toBe(true)
  const second = slow(2)
  await expect.poll(() => held.length).toBe(5)
  for (const release of held.slice(3)) release()
  expect((await Promise.all(second)).map(({ data }) => data)).toEqual([{ plain: 1 }, { plain: 1 }])
})

test('a promotion keeps the connections of both supergraphs', async () => {
  const { post, canary, goods, prices } = await aCanary({ optIn: { header: 'x-canary', value: '1' } })
  keepIdle(goods, prices.served, prices.candidate)
  expect([await post(PRICES), await post(PRICES, { 'x-canary': '1' })]).toEqual([priced(1), priced(2)])
  expect(canary.promote()).toBe(true)
  for (let request = 0; request < 3; request++) expect(await post(PRICES)).toEqual(priced(2))
  expect([goods, prices.served, prices.candidate].map(({ connections }) => connections())).toEqual([1, 1, 1])
})

describe('nothing of one supergraph answers for the other', () => {
  test.each([
    { why: 'the response cache', options: { responseCacheBytes: 1_000_000 }, fetches: 1 },
    { why: 'the entity cache', options: { entityCache: { maxBytes: 1_000_000 } }, fetches: 1 },
    { why: 'the document and plan cache', options: {}, fetches: 3 },
  ])('from $why', async ({ options, fetches }) => {
    const { post, prices } = await aCanary({ optIn: { header: 'x-canary', value: '1' } }, options)
    for (let request = 0; request < 3; request++) {
      expect(await post(PRICES)).toEqual(priced(1))
      expect(await post(PRICES, { 'x-canary': '1' })).toEqual(priced(2))
    }
    // The caches are in use: each supergraph fills its own.
    expect([prices.served.requests.length, prices.candidate.requests.length]).toEqual([fetches, fetches])
  })

  test('from a cache in front of the gateway, which may store answers of the served one alone', async () => {
    const { server } = await aCanary({ optIn: { header: 'x-canary', value: '1' } }, { responseCacheBytes: 1_000_000 })
    const get = (headers: Record<string, string>) => fetch(`${server.url}?query=${encodeURIComponent(PRICES)}`, { headers })
    const preflight = { 'apollo-require-preflight': '1' }
    const [served, candidate] = [await get(preflight), await get({ ...preflight, 'x-canary': '1' })]
    expect([served.headers.get('cache-control'), await served.json()]).toEqual(['max-age=60, public', priced(1)])
    expect([candidate.headers.get('cache-control'), await candidate.json()]).toEqual(['no-store', priced(2)])
  })

  test('for documents that clients register by their hash', async () => {
    const { send } = await aCanary({ optIn: { header: 'x-canary', value: '1' } })
    const sha256Hash = createHash('sha256').update(PRICES).digest('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    const ask = async (body: object, isCandidate: boolean) =>
      (await (await send({ ...body, extensions }, isCandidate ? { 'x-canary': '1' } : {})).json()) as Answer
    expect(await ask({ query: PRICES }, false)).toEqual(priced(1))
    const [unknown] = (await ask({}, true)).errors ?? []
    expect(unknown?.extensions.code).toBe('PERSISTED_QUERY_NOT_FOUND')
    expect(await ask({ query: PRICES }, true)).toEqual(priced(2))
    expect([await ask({}, true), await ask({}, false)]).toEqual([priced(2), priced(1)])
  })

  test('for fields that one of them lacks', async () => {
    const { post } = await aCanary({ optIn: { header: 'x-canary', value: '1' } })
    const [candidate, served] = [{ 'x-canary': '1' }, {}]
    expect((await post('{ goods { fresh } }', candidate)).data?.goods).toEqual([{ fresh: 2 }, { fresh: 2 }])
    expect((await post('{ goods { old } }', served)).data?.goods).toEqual([{ old: 1 }, { old: 1 }])
    for (const [query, headers] of [
      ['{ goods { fresh } }', served],
      ['{ goods { old } }', candidate],
      ['{ goods { neither } }', candidate],
    ] as const) {
      const { data, errors } = await post(query, headers)
      expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, 'GRAPHQL_VALIDATION_FAILED'])
    }
  })
})

describe('a rollback', () => {
  const broken = { percent: 100, rollback: { errorPercent: 10, minRequests: 8 } }
  test('comes by itself when more operations have errors, not before enough of them ran, and serves all callers', async () => {
    const { post, priceFor, prices, canary, lines } = await aCanary(broken)
    expect(await priceFor({})).toBe(2)
    prices.candidate.always = ({ response }) => void response.writeHead(400).end('{}')
    for (let request = 0; request < 6; request++) expect((await post(PRICES)).errors).toHaveLength(1)
    expect(canary.status().candidate).toMatchObject({ percent: 100 })
    await post(PRICES)
    expect(canary.status()).toMatchObject({
      candidate: null,
      versions: { candidate: { requests: 8, errors: 7 } },
      ended: { kind: 'rolled-back', reason: "87.5 % of 8 operations had errors, 0.0 % of the served supergraph's" },
    })
    expect(lines.filter(({ msg }) => msg === 'the candidate supergraph was rolled back')).toHaveLength(1)
    expect(await priceFor({})).toBe(1)
  })

  test('does not come for errors that the served supergraph has as well', async () => {
    const { post, goods, canary } = await aCanary({ ...broken, percent: 0, optIn: { header: 'x-canary', value: '1' } })
    goods.always = ({ response }) => void response.writeHead(400).end('{}')
    for (let request = 0; request < 12; request++) {
      await post(PRICES)
      await post(PRICES, { 'x-canary': '1' })
    }
    expect(canary.status().versions).toMatchObject({ served: { errors: 12 }, candidate: { errors: 12 } })
    expect(canary.status().candidate).not.toBeNull()
  })

  test('comes by command, and ends nothing that runs', async () => {
    const { post, prices, canary, gateway, priceFor } = await aCanary({ percent: 100 })
    const arrived = Promise.withResolvers<() => void>()
    prices.candidate.next.push(({ response }) =>
      arrived.resolve(() => {
        const entities = [{ price: 2 }, { price: 2 }]
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { _entities: entities } }))
      }),
    )
    const running = post(PRICES)
    const finish = await arrived.promise
    expect(canary.rollBack('by hand')).toBe(true)
    expect(canary.rollBack('again')).toBe(false)
    expect(await priceFor({})).toBe(1)
    finish()
    expect(await running).toEqual(priced(2))
    expect(gateway.schema.getType('Good')?.toConfig()).toHaveProperty('fields.old')
  })
})

test('a promotion swaps the candidate in, warm, and its schema is the served one', async () => {
  const { priceFor, canary, gateway, prices } = await aCanary({ percent: 100 }, { responseCacheBytes: 1_000_000 })
  expect(await priceFor({})).toBe(2)
  let swaps = 0
  gateway.gateway.onSwap(() => void swaps++)
  expect(canary.promote('another')).toBe(false)
  expect(canary.promote(canary.status().candidate?.id)).toBe(true)
  expect([canary.status().candidate, canary.status().ended?.kind, swaps]).toEqual([null, 'promoted', 1])
  expect(await priceFor({})).toBe(2)
  expect(prices.candidate.requests).toHaveLength(1)
  expect(gateway.schema.getType('Good')?.toConfig()).toHaveProperty('fields.fresh')
  // What follows a promotion replaces the promoted graph.
  const { supergraphs } = await twoSupergraphs()
  gateway.replaceSupergraph(supergraphs.served)
  expect(await priceFor({})).toBe(1)
})

test('answers of the candidate are compared with those of the served supergraph, and the differences are printed', async () => {
  const { priceFor, post, prices, admin, canary, lines } = await aCanary({ percent: 100, compare: true })
  prices.candidate.next.push(({ response }) => {
    const entities = [{ price: null }, { price: null }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data: { _entities: entities } }))
  })
  expect(await priceFor({})).toBe(null)
  await post('{ plain }')
  await post('{ goods { fresh } }')
  await post('mutation { touch }')
  await expect
    .poll(() => canary.status().comparison?.verdicts)
    .toMatchObject({ same: 1, different: 1, refused: 1, failed: 0, dropped: 0 })
  expect(lines.find(({ msg }) => msg === 'the candidate supergraph gave another answer')).toMatchObject({
    differences: ['data.goods.@.price: number → null, 2 times'],
  })
  const text = await (await admin({ headers: { accept: 'text/plain' } })).text()
  expect(text).toMatch(/^candidate [0-9a-f]{12}: 100 % of callers since /)
  expect(text).toContain('candidate: 4 operations, 0 with errors')
  expect(text).toContain('  data.goods.@.price: number → null, 2 times\n')
})

test('each new supergraph of a source is a new candidate', async () => {
  const { supergraphs } = await twoSupergraphs()
  const { candidate: first } = supergraphs
  let sdl = first
  const source = createServer((_, response) => void response.end(sdl))
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void source.close())
  const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`
  const { log, lines } = recordingLog()
  const gateway = await createGateway({
    supergraph: supergraphs.served,
    canary: { supergraph: { type: 'http', url, pollSeconds: 1 }, percent: 10 },
    log,
  })
  onTestFinished(gateway.close)
  const id = gateway.canary?.status().candidate?.id
  expect(gateway.canary?.setPercent(80)).toBe(true)
  sdl = `${first}\n# next`
  await expect.poll(() => gateway.canary?.status().ended, { timeout: 20_000 }).toMatchObject({ candidate: id, kind: 'replaced' })
  expect(gateway.canary?.status().candidate).toMatchObject({ percent: 10 })
  sdl = 'type Query {'
  await expect.poll(() => lines.filter(({ level }) => Number(level) >= 40).length, { timeout: 20_000 }).toBeGreaterThan(0)
  expect(gateway.canary?.status().candidate).toMatchObject({ percent: 10 })
})

test('a candidate that cannot be served stops the start, with a sentence', async () => {
  const { supergraphs } = await twoSupergraphs()
  const given = (canary: object) =>
    createGateway({ supergraph: supergraphs.served, canary: canary as never, log: recordingLog().log })
  await expect(given({ supergraph: 'type Query { a: Int }', percent: 5 })).rejects.toThrow(
    '"canary.supergraph" cannot be served: ',
  )
  await expect(given({ supergraph: supergraphs.candidate, percent: 101 })).rejects.toThrow(
    'Expected "canary.percent" to be a number from 0 to 100, got 101.',
  )
})

test('a batch runs on the supergraph of its caller', async () => {
  const { gateway } = await aCanary({ percent: 100 })
  const server = await serveGateway(gateway, { port: 0, batchLimit: 2, graceSeconds: 0 })
  onTestFinished(server.close)
  const response = await clientOf(server).send([{ query: PRICES }, { query: '{ goods { fresh } }' }])
  expect(await response.json()).toEqual([priced(2), { data: { goods: [{ fresh: 2 }, { fresh: 2 }] } }])
})

test('counts are of a window that moves, and percentiles are upper bounds', () => {
  let now = 0
  const statistics = createVersionStatistics(10_000, () => now)
  for (let at = 0; at < 100; at++) {
    now = at * 200
    statistics.record('candidate', at >= 50, at < 90 ? 3 : 400)
  }
  // The last ten seconds, in steps of one.
  expect(statistics.inWindow('candidate')).toEqual({ requests: 50, errors: 50 })
  expect(statistics.inWindow('served')).toEqual({ requests: 0, errors: 0 })
  const { requests, errors, p50Milliseconds, p95Milliseconds } = statistics.total('candidate')
  expect([requests, errors]).toEqual([100, 50])
  expect(p50Milliseconds).toBeGreaterThanOrEqual(3)
  expect(p50Milliseconds).toBeLessThan(4)
  expect(p95Milliseconds).toBeGreaterThanOrEqual(400)
  expect(p95Milliseconds).toBeLessThan(500)
  now += 60_000
  expect(statistics.inWindow('candidate')).toEqual({ requests: 0, errors: 0 })
})
