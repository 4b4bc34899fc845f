import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Gateway, StartGatewayOptions } from '../../../gateway/gateway.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { memoryBudget } from '../../../gateway/limits/budget.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../gateway/limits/limits.ts'
import { compareResults } from '../../../gateway/shadow/compare-results.ts'
import { createDifferenceLog, lineOf } from '../../../gateway/shadow/difference-log.ts'
import { printReport } from '../../../gateway/shadow/shadow-endpoint.ts'
import { createShadowTraffic, type ShadowOptions } from '../../../gateway/shadow/shadow-traffic.ts'
import { ask, recordingLog, requestContext } from '../support/graph.ts'
import { gatewayOf, type Parts, supergraphOf } from '../support/parts.ts'
import { hasRedis, redisServer } from '../support/redis.ts'

const GOODS = [
  { id: 'g1', price: 1, tags: ['a'] },
  { id: 'g2', price: 2, tags: [] },
]

/** What is served now. */
const SERVED: Parts = {
  goods: {
    sdl: `
      type Query { goods: [Good!]! failing: Int draw: Int @tag(name: "once") }
      type Mutation { touch: Int }
      type Good @key(fields: "id") { id: ID! price: Int tags: [String] old: String }`,
    resolvers: {
      Query: { goods: () => GOODS, failing: () => 1, draw: () => 1 },
      Mutation: { touch: () => 1 },
      Good: { old: () => 'old' },
    },
  },
}

/** The candidate: another subgraph has the prices, and one field is gone. */
const CANDIDATE: Parts = {
  goods: {
    sdl: `
      type Query { goods: [Good!]! failing: Int draw: Int @tag(name: "once") }
      type Mutation { touch: Int }
      type Good @key(fields: "id") { id: ID! tags: [String] }`,
    resolvers: {
      Query: {
        goods: () => GOODS.map(({ id }) => ({ id, tags: ['a'] })),
        failing: () => {
          throw new Error('it fails')
        },
        draw: () => expect.unreachable('a query with side effects must not run twice'),
      },
      Mutation: { touch: () => expect.unreachable('a mutation must not run twice') },
    },
  },
  prices: {
    sdl: 'type Good @key(fields: "id") { id: ID! price: Int }',
    resolvers: { Good: { __resolveReference: ({ id }: { id: string }) => ({ id, price: id === 'g1' ? 1 : null }) } },
  },
}

async function shadowed(given: Partial<ShadowOptions> = {}, options: Partial<StartGatewayOptions> = {}, parts = SERVED) {
  const candidate = await gatewayOf(CANDIDATE, 'http')
  const { log, lines } = recordingLog()
  const shadow = createShadowTraffic(
    { prepareText: candidate.gateway.prepareText, close: async () => {} },
    { percent: 100, isCompared: true, maxConcurrency: 10, withValues: false, ...given },
    { log, metrics: null },
  )
  const served = await gatewayOf(parts, 'local', { shadow, ...options })
  return { gateway: served.gateway, shadow, candidate, lines }
}

describe('queries run on the candidate after their answer, and answers are compared', () => {
  test.each([
    { why: 'an equal answer', query: '{ goods { id } }', verdict: 'same', lines: [] },
    {
      why: 'other kinds of values, by the path of all items',
      query: '{ goods { price } }',
      verdict: 'different',
      lines: ['data.goods.@.price: number → null'],
    },
    {
      why: 'lists of other lengths',
      query: '{ goods { tags } }',
      verdict: 'different',
      lines: ['data.goods.@.tags: list of 0 → list of 1'],
    },
    {
      why: 'an error where there was none',
      query: '{ failing }',
      verdict: 'different',
      lines: ['data.failing: number → null', 'errors.failing: absent → DOWNSTREAM_SERVICE_ERROR'],
    },
    {
      why: 'a field that the candidate does not have',
      query: '{ goods { old } }',
      verdict: 'refused',
      lines: ['data: object → null', 'errors: absent → GRAPHQL_VALIDATION_FAILED'],
    },
  ])('$why', async ({ query, verdict, lines: printed }) => {
    const { gateway, shadow, lines } = await shadowed()
    const answer = await ask(gateway, query)
    expect(answer.errors).toBeUndefined()
    await ask(gateway, query)
    await shadow.idle()
    const { verdicts, differences } = shadow.report()
    expect(verdicts).toMatchObject({ [verdict]: 2 })
    // The second was known.
    expect(lines.flatMap(({ differences }) => differences ?? [])).toEqual(printed)
    expect(differences.map(({ count }) => count)).toEqual(printed.length > 0 ? [2] : [])
    const text = printReport(shadow.report())
    for (const line of printed) expect(text).toContain(`\n  ${line}\n`)
  })

  test('values are recorded only where they are wanted', async () => {
    for (const withValues of [false, true]) {
      const { gateway, shadow } = await shadowed({ withValues })
      await ask(gateway, 'query Prices { goods { price } }')
      await shadow.idle()
      const [recorded] = shadow.report().differences
      expect(recorded).toMatchObject({ operationName: 'Prices', signature: expect.stringMatching(/^[\da-f]{12}$/) })
      expect(recorded?.differences[0]?.values).toEqual(withValues ? { served: 2, candidate: null } : undefined)
    }
  })
})

describe('what never runs twice', () => {
  test.each([
    { why: 'a mutation', query: 'mutation { touch }' },
    { why: 'a query with side effects', query: '{ draw }' },
    { why: 'introspection', query: '{ __schema { queryType { name } } }' },
  ])('$why', async ({ query }) => {
    const { gateway, shadow, candidate } = await shadowed()
    expect((await ask(gateway, query)).errors).toBeUndefined()
    await shadow.idle()
    expect(candidate.fetches).toEqual([])
    expect(Object.values(shadow.report().verdicts).every((count) => count === 0)).toBe(true)
  })

  test.each<{ why: string; limits: Partial<Limits>; query: string; code: string }>([
    { why: 'costs too much', limits: { cost: 1 }, query: '{ goods { id } }', code: 'COST_LIMIT_EXCEEDED' },
    {
      why: 'costs a subgraph too much',
      limits: { subgraphs: { goods: { cost: 1 } } },
      query: '{ goods { id } }',
      code: 'SUBGRAPH_COST_LIMIT_EXCEEDED',
    },
    {
      why: 'has wrong variables',
      limits: {},
      query: 'query ($yes: Boolean!) { goods { id @include(if: $yes) } }',
      code: 'BAD_USER_INPUT',
    },
  ])('a query that $why', async ({ limits, query, code }) => {
    const { gateway, shadow } = await shadowed({}, { limits: { ...DEFAULT_LIMITS, ...limits } })
    expect((await ask(gateway, query)).errors).toMatchObject([{ extensions: { code } }])
    await shadow.idle()
    expect(Object.values(shadow.report().verdicts).every((count) => count === 0)).toBe(true)
  })

  test('a query beyond the budget of its client', async () => {
    const budget = memoryBudget(40, () => new Date(0))
    const { gateway, shadow } = await shadowed({}, { budget })
    await ask(gateway, '{ goods { id } }')
    expect((await ask(gateway, '{ goods { id } }')).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    await shadow.idle()
    expect(shadow.report().verdicts).toMatchObject({ same: 1, different: 0 })
  })

  test('a query whose client is gone', async () => {
    const { gateway, shadow } = await shadowed()
    const prepared = gateway.prepareText('{ goods { id } }', undefined)
    if (prepared.kind === 'rejected') throw new Error('Expected an operation.')
    await prepared.run({}, { ...requestContext(), signal: AbortSignal.abort() })
    await shadow.idle()
    expect(Object.values(shadow.report().verdicts).every((count) => count === 0)).toBe(true)
  })

  test('queries beyond the percentage, and beyond those that run already', async () => {
    const draws = [0.1, 0.49, 0.5, 0.9, 0.2]
    const { gateway, shadow } = await shadowed({ percent: 50, maxConcurrency: 2, random: () => draws.shift() ?? 1 })
    await Promise.all(Array.from({ length: 5 }, () => ask(gateway, '{ goods { id } }')))
    await shadow.idle()
    expect(shadow.report().verdicts).toMatchObject({ same: 2, dropped: 1 })
  })
})

describe('queries whose response may be cached', () => {
  const cached = `
    extend schema
      @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
      @composeDirective(name: "@cacheControl")
    directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT`
  const { goods } = SERVED
  const sdl = goods?.sdl.replace('goods: [Good!]!', 'goods: [Good!]! @cacheControl(maxAge: 60)')
  const parts: Parts = { goods: { ...goods, sdl: `${cached} ${sdl}` } }

  test.each([
    { why: 'run on the candidate each time without a cache', responseCacheBytes: 0, runs: 2 },
    { why: 'run there when they are not cached yet', responseCacheBytes: 1_000_000, runs: 1 },
  ])('$why', async ({ responseCacheBytes, runs }) => {
    const { gateway, shadow } = await shadowed({}, { responseCacheBytes }, parts)
    const prepared = gateway.prepareText('{ goods { price } }', undefined)
    if (prepared.kind === 'rejected' || !prepared.answer) throw new Error('Expected a cacheable query.')
    for (let request = 0; request < 2; request++) expect(await prepared.answer({}, requestContext())).toHaveProperty('bytes')
    await shadow.idle()
    expect(shadow.report().verdicts).toMatchObject({ different: runs })
  })
})

test('a list that grows, and an error that is there more often, are one difference', () => {
  const { log, lines } = recordingLog()
  const recorded = createDifferenceLog(log)
  const error = { message: 'x', path: ['tags'], extensions: { code: 'TIMEOUT' } }
  for (let length = 1; length <= 150; length++) {
    const served = { data: { tags: Array.from({ length }, () => 'a'), other: [] }, errors: Array.from({ length }, () => error) }
    const candidate = { data: { tags: null, other: Array.from({ length }, () => 'a') }, errors: [] }
    recorded.record({ signature: 's', operationName: null }, compareResults(served, candidate))
  }
  expect(recorded.entries()).toMatchObject([{ count: 150 }])
  const last = ['data.tags: list → null', 'data.other: list of 0 → list of 150', 'errors.tags: 150 × TIMEOUT → absent']
  expect(recorded.entries()[0]?.differences.map(lineOf)).toEqual(last)
  expect(lines).toHaveLength(1)
})

test('a client gets its answer when the candidate is out of reach', async () => {
  const { gateway, shadow, candidate } = await shadowed()
  for (const { server } of Object.values(candidate.remotes)) server.close().closeAllConnections()
  expect(await ask(gateway, '{ goods { id } }')).toEqual({ data: { goods: [{ id: 'g1' }, { id: 'g2' }] } })
  await shadow.idle()
  expect(shadow.report().verdicts).toMatchObject({ different: 1 })
})

test('what runs on the candidate ends when the gateway closes', async () => {
  let release = () => {}
  const waiting = new Promise<void>((resolve) => {
    release = resolve
  })
  const { log } = recordingLog()
  let isAborted = false
  const prepared: Partial<ReturnType<Gateway['prepareText']>> = {
    kind: 'executable',
    run: async (_: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true
        release()
      })
      await waiting
      return {}
    },
  }
  const shadow = createShadowTraffic(
    // Only `run` of it is called.
    { prepareText: () => prepared as ReturnType<Gateway['prepareText']>, close: async () => {} },
    { percent: 100, isCompared: true, maxConcurrency: 10, withValues: false },
    { log, metrics: null },
  )
  const { gateway } = await gatewayOf(SERVED, 'local', { shadow })
  await ask(gateway, '{ goods { id } }')
  await new Promise((resolve) => setImmediate(resolve))
  await shadow.close()
  expect(isAborted).toBe(true)
})

describe('options of createGateway', () => {
  const subgraphs = { goods: { url: 'http://127.0.0.1:9/' } }
  const begin = (shadow: object) => createGateway({ supergraph: supergraphOf(SERVED), subgraphs, shadow } as never)

  test.each([
    {
      why: 'a text that is no supergraph',
      shadow: { supergraph: 'type', percent: 1 },
      message: /"shadow.supergraph" cannot be served/,
    },
    {
      why: 'a percentage above 100',
      shadow: { supergraph: 'x', percent: 101 },
      message: /"shadow.percent" to be a number from 0 to 100/,
    },
    {
      why: 'an unknown option',
      shadow: { supergraph: 'x', percent: 1, mirror: true },
      message: /Unknown option "shadow.mirror"/,
    },
  ])('refuse $why', async ({ shadow, message }) => {
    await expect(begin(shadow)).rejects.toThrow(message)
  })

  test.skipIf(!hasRedis)('leave nothing open when the candidate is refused', async () => {
    const redis = await redisServer()
    onTestFinished(redis.stop)
    await expect(
      createGateway({
        supergraph: supergraphOf(SERVED),
        subgraphs,
        entityCache: { redisUrl: redis.url },
        eventSources: { events: { url: redis.url } },
        shadow: { supergraph: 'type', percent: 1 },
        log: recordingLog().log,
      }),
    ).rejects.toThrow('"shadow.supergraph" cannot be served')
    const socket = connect(Number(new URL(redis.url).port), '127.0.0.1').setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    const connections = async () => {
      socket.write('CLIENT LIST\r\n')
      const [answer] = await once(socket, 'data')
      return String(answer).match(/^id=/gm)?.length
    }
    await expect.poll(connections).toBe(1)
  })

  test('serve a candidate with subgraphs of its own', async () => {
    const candidate = await gatewayOf(CANDIDATE, 'http')
    const served = await gatewayOf(SERVED, 'http')
    const urlOf = (graph: typeof served, name: string) => ({ [name]: { url: graph.remotes[name]?.url ?? '' } })
    const gateway = await createGateway({
      supergraph: supergraphOf(SERVED),
      subgraphs: urlOf(served, 'goods'),
      shadow: {
        supergraph: supergraphOf(CANDIDATE).replaceAll(/name: "(\w+)", url: "[^"]*"/g, (_, name: string) => {
          return `name: "${name}", url: "${candidate.remotes[name]?.url ?? ''}"`
        }),
        percent: 100,
      },
      log: recordingLog().log,
    })
    onTestFinished(() => gateway.close())
    expect(await gateway.execute({ query: '{ goods { price } }' })).toEqual({ data: { goods: [{ price: 1 }, { price: 2 }] } })
    await expect.poll(() => gateway.shadowReport()?.differences.length).toBe(1)
  })
})
