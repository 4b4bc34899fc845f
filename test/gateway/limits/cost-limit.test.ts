import { buildSchema, Kind, parse } from 'graphql'
import { createClient as createEventClient } from 'graphql-sse'
import { afterEach, describe, expect, test } from 'vitest'
import { BUDGETS_PER_ADDRESS, type Budget, memoryBudget } from '../../../gateway/limits/budget.ts'
import { compileCostModel } from '../../../gateway/limits/cost-limit.ts'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { limitsFromConfig } from '../../../gateway/limits/limits.ts'
import { redisBudget } from '../../../gateway/limits/redis-budget.ts'
import { validateOperation } from '../../../gateway/operations/document-cache.ts'
import { runBatch } from '../../../gateway/transports/batch.ts'
import { createFetchHandler } from '../../../gateway/transports/fetch.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { localGraph, recordingLog, requestContext, supergraphSdl } from '../support/graph.ts'
import { hasRedis, REDIS, redisServer } from '../support/redis.ts'
import { startTicker } from '../support/ticker.ts'
import { openTransports, type Transports } from '../support/transports.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

const times = (count: number, text: string) => Array(count).fill(text).join(' ')
const LIMITS = { depth: 10, cost: 1000 }
const PAGE = '{ products(first: 5) { totalCount edges { node { id } } } }'
const PAGE_COST = 2 + 1 + 5 * (2 + (2 + 1))
/** Three products are there. */
const PAGE_ACTUAL = 2 + 1 + 3 * (2 + (2 + 1))

async function transportsOf({ limits = LIMITS, budget = null }: { limits?: typeof LIMITS; budget?: Budget | null } = {}) {
  const transports = await openTransports((await localGraph(limits, budget)).gateway)
  cleanups.push(transports.close)
  return transports
}
const costOf = async (transports: Transports, query: string, variables = {}) => {
  const { body } = await transports.post({ query, variables, extensions: { cost: true } })
  return body.extensions?.cost
}

describe('weights', () => {
  const config = { DEPTH_LIMIT: 10, COST_LIMIT: 1000, COST_PROFILE: 'default' as const }

  test.each([
    { why: 'the default: 1, 2, 10', settings: {}, query: '{ wholes { id } }', cost: 10 * (2 + 1) },
    {
      why: 'dear objects: 1, 10, 10',
      settings: { COST_PROFILE: 'dear-objects' as const },
      query: '{ wholes { id } }',
      cost: 110,
    },
    { why: 'a leaf of 3', settings: { COST_SCALAR: 3 }, query: '{ wholes { id } }', cost: 10 * (2 + 3) },
    { why: 'an object of 4', settings: { COST_OBJECT: 4 }, query: '{ wholes { id } }', cost: 10 * (4 + 1) },
    { why: 'lists of 7', settings: { COST_LIST_FACTOR: 7 }, query: '{ wholes { id } }', cost: 7 * (2 + 1) },
    {
      why: 'a weight of its own wins over the profile',
      settings: { COST_PROFILE: 'dear-objects' as const, COST_OBJECT: 1 },
      query: '{ wholes { id } }',
      cost: 10 * (1 + 1),
    },
    {
      why: 'a page size in the text wins over the list factor',
      settings: { COST_LIST_FACTOR: 100 },
      query: '{ things(limit: 3) { __typename ... on Note { text } } }',
      cost: 3 * (2 + 1),
    },
    {
      why: 'a page size in a variable does as well',
      settings: { COST_LIST_FACTOR: 100 },
      query: 'query ($n: Int) { things(limit: $n) { ... on Note { text } } }',
      variables: { n: 4 },
      cost: 4 * (2 + 1),
    },
    {
      why: 'a page size that is null is none',
      settings: { COST_LIST_FACTOR: 100 },
      query: 'query ($n: Int) { things(limit: $n) { ... on Note { text } } }',
      variables: { n: null },
      cost: 100 * (2 + 1),
    },
    {
      why: '@cost of the schema stays',
      settings: { COST_OBJECT: 100 },
      query: '{ dear(first: 2) { id } }',
      cost: 2 * (5 + 1),
    },
  ])('$why', async ({ settings, query, variables, cost }) => {
    const transports = await transportsOf({ limits: limitsFromConfig({ ...config, ...settings }) })
    expect(await costOf(transports, query, variables)).toMatchObject({ requested: cost, limit: 1000, budget: null })
  })
})

describe('the cost of an operation is reported on request', () => {
  const expected = { requested: PAGE_COST, actual: PAGE_ACTUAL, limit: 1000, budget: null }

  test('requested by a header or an extension, over POST and GET, and never reported otherwise', async () => {
    const transports = await transportsOf()
    expect((await transports.post({ query: PAGE })).body).not.toHaveProperty('extensions')
    expect((await transports.post({ query: PAGE }, { 'graphql-cost': 'other' })).body).not.toHaveProperty('extensions')
    expect((await transports.post({ query: PAGE, extensions: { cost: 'true' } })).body).not.toHaveProperty('extensions')
    expect((await transports.post({ query: PAGE }, { 'graphql-cost': 'report' })).body.extensions).toEqual({ cost: expected })
    expect((await transports.post({ query: PAGE, extensions: { cost: true } })).body.extensions).toEqual({ cost: expected })
    for (const [search, headers] of [
      [{ query: PAGE, extensions: '{"cost":true}' }, {}],
      [{ query: PAGE }, { 'graphql-cost': 'report' }],
    ] as const) {
      const answer = await fetch(`${transports.base}/graphql?${new URLSearchParams(search)}`, {
        headers: { 'apollo-require-preflight': '1', ...headers },
      })
      expect(await answer.json()).toMatchObject({ data: { products: { totalCount: 3 } }, extensions: { cost: expected } })
    }
  })

  test('validated only, an operation is not run, and one that is invalid is refused', async () => {
    const transports = await transportsOf()
    const validate = { 'graphql-cost': 'validate' }
    expect((await transports.post({ query: PAGE }, validate)).body).toEqual({
      data: null,
      extensions: { cost: { requested: PAGE_COST, limit: 1000 } },
    })
    const { body } = await transports.post({ query: '{ nothing }' }, validate)
    expect(Object.keys(body)).toEqual(['errors'])
    const dear = await transports.post({ query: '{ products(first: 1000) { edges { node { id } } } }' }, validate)
    expect(dear.body.extensions.cost).toEqual({ requested: 2 + 1000 * (2 + (2 + 1)), limit: 1000 })
  })

  test.each([
    ['a page that is too long', { n: 1001 }, 'PAGE_SIZE_OUT_OF_RANGE'],
    ['a variable of another type', { n: 'many' }, 'BAD_USER_INPUT'],
    ['a variable that is not there', {}, 'BAD_USER_INPUT'],
  ])('validated only, %s is an error, and not a cost of 0', async (_, variables, code) => {
    const transports = await transportsOf()
    const query = 'query ($n: Int!) { products(first: $n) { totalCount } }'
    const { body } = await transports.post({ query, variables }, { 'graphql-cost': 'validate' })
    expect([body.errors[0].extensions.code, body.extensions]).toEqual([code, undefined])
  })

  test('a page beyond the limit of all fields says that the field may have a lower one', async () => {
    const transports = await transportsOf()
    const refusal = async (n: number) =>
      (await transports.post({ query: `{ products(first: ${n}) { totalCount } }` })).body.errors[0].message
    expect(await refusal(100_000)).toBe(
      'Expected "first" to be at most 1000, as for any field, got 100000: this one may allow less.',
    )
    expect(await refusal(-1)).toBe('Expected "first" to be 0 or more, got -1.')
  })

  test('validated only, its limit is that of a minute where this is less', async () => {
    const transports = await transportsOf({ budget: memoryBudget(100) })
    const { body } = await transports.post({ query: PAGE, extensions: { cost: 'validate' } })
    expect(body.extensions.cost).toEqual({ requested: PAGE_COST, limit: 100 })
  })

  test('validated only, nothing is run over any transport: a mutation has no data', async () => {
    const { gateway } = await localGraph(LIMITS)
    const transports = await openTransports(gateway)
    cleanups.push(transports.close)
    const fetchHandler = createFetchHandler(gateway, { batchLimit: 2 })
    cleanups.push(fetchHandler.close)
    const query = 'mutation { rename(id: "a", name: "b") { id } }'
    const expected = { data: null, extensions: { cost: { requested: 3, limit: 1000 } } }
    const json = { 'content-type': 'application/json' }
    const inBody = { query, extensions: { cost: 'validate' } }
    const byHeader = { ...json, 'graphql-cost': 'Validate' }
    const fetched = async (headers: Record<string, string>, body: object) => {
      const request = new Request('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify(body) })
      return (await fetchHandler.fetch(request)).text()
    }
    const streamed = async (headers: Record<string, string>, body: object) =>
      (await fetch(`${transports.base}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })).text()
    const events = { accept: 'text/event-stream' }

    expect((await transports.post(inBody)).body).toEqual(expected)
    expect(JSON.parse(await fetched(byHeader, { query }))).toEqual(expected)
    expect(JSON.parse(await fetched(json, inBody))).toEqual(expected)
    expect(JSON.parse(await fetched(byHeader, [{ query }]))).toEqual([expected])
    for (const ask of [fetched, streamed]) {
      for (const text of [await ask({ ...byHeader, ...events }, { query }), await ask({ ...json, ...events }, inBody)]) {
        expect(text).toContain(`data: ${JSON.stringify(expected)}`)
      }
    }
    const { ask } = await transports.socket()
    expect((await ask(inBody))[0]).toEqual({ type: 'next', payload: expected })
  })

  test('validated only, a subscription does not begin', async () => {
    const ticker = await startTicker()
    const transports = await openTransports(ticker.gateway)
    cleanups.push(transports.close)
    const { body } = await transports.post({ query: 'subscription { ticked { text } }', extensions: { cost: 'validate' } })
    expect(body).toMatchObject({ data: null, extensions: { cost: { requested: expect.any(Number) } } })
    expect(ticker.listening()).toBe(0)
  })

  test('a page of another origin may send the header', async () => {
    const transports = await transportsOf()
    const answer = await fetch(`${transports.base}/graphql`, { method: 'OPTIONS' })
    expect(answer.headers.get('access-control-allow-headers')).toContain('graphql-cost')
  })

  test('introspection costs nothing, nor do skipped fields', async () => {
    const transports = await transportsOf()
    expect(await costOf(transports, '{ __schema { types { name } } }')).toMatchObject({ requested: 0 })
    const query = 'query ($all: Boolean!) { wholes @include(if: $all) { id } caller }'
    expect(await costOf(transports, query, { all: false })).toMatchObject({ requested: 1 })
  })

  test.each([
    { why: 'a fragment that is left out', query: '... @include(if: $no) { dear(first: 900) { id } } caller', cost: 1 },
    { why: 'one that is not', query: '... @skip(if: $no) { dear(first: 5) { id } } caller', cost: 5 * (5 + 1) + 1 },
    { why: 'a named one', query: '...a @include(if: $no) caller', cost: 1 },
    { why: 'one that stands in another', query: '... @skip(if: $no) { caller ... @include(if: $no) { ...a } }', cost: 1 },
    { why: 'one that another leaves out', query: '... @include(if: $no) { ... @skip(if: $no) { ...a } } caller', cost: 1 },
    { why: 'all of several conditions count', query: '... @skip(if: $no) @include(if: $no) { ...a } caller', cost: 1 },
    {
      why: 'of types, the dearest of what is left',
      query: 'things(limit: 2) { ... on Note @include(if: $no) { a: text b: text c: text } ... on Product { id name } }',
      cost: 2 * (2 + 2),
    },
    {
      why: 'types in a fragment are the same types outside of it',
      query:
        'things(limit: 2) { ... @skip(if: $no) { ... on Note { a: text } ... on Product { id } } ... on Note { b: text c: text } ... on Product { name } }',
      cost: 2 * (2 + 3),
    },
    {
      why: 'also where it is left out',
      query:
        'things(limit: 2) { ... @include(if: $no) { ... on Note { a: text } ... on Product { id } } ... on Note { b: text c: text } ... on Product { name } }',
      cost: 2 * (2 + 2),
    },
  ])('of fragments under conditions: $why', async ({ query, cost }) => {
    const used = 'fragment a on Query { wholes { children(first: 900) { id } } }'
    const whole = `query ($no: Boolean!) { ${query} } ${query.includes('...a') ? used : ''}`
    expect(await costOf(await transportsOf(), whole, { no: false })).toMatchObject({ requested: cost })
  })

  test.each([
    { why: 'objects and leaves by their type', query: '{ a(first: 10) { x y } }', cost: 2 + 10 * (0.5 + 2 * 0.25) },
    { why: '@cost of a field comes first', query: '{ a(first: 10) { dear } }', cost: 2 + 10 * (0.5 + 3) },
    { why: 'a batch once, however many parents', query: '{ a(first: 10) { b { x } } }', cost: 2 + 7 + 10 * (0.5 + 2 + 1) },
    { why: 'once for each field', query: '{ a(first: 10) { b { x } other: b { x } } }', cost: 2 + 2 * 7 + 10 * (0.5 + 2 * 3) },
    {
      why: 'not where it is left out',
      query: 'query ($no: Boolean!) { a(first: 10) { b @include(if: $no) { x } } }',
      cost: 2 + 5,
    },
    {
      why: 'not in a fragment that is left out',
      query: 'query ($no: Boolean!) { a(first: 2) { ... @skip(if: $no) { ... @include(if: $no) { b { x } } } } }',
      cost: 2 + 1,
    },
    { why: 'whole points, rounded up', query: '{ a(first: 3) { x } }', cost: Math.ceil(2 + 3 * 0.75) },
    { why: 'no number and less than 0 count as absent', query: '{ wrong { x } }', cost: 2 + 1 },
  ])('of measured types: $why', ({ query, cost }) => {
    const sdl = `
      directive @cost(weight: String) on FIELD_DEFINITION
      directive @listSize(slicingArguments: [String!]) on FIELD_DEFINITION
      directive @measuredCost(object: Float, leaf: Float, batch: Float) on OBJECT
      type Query { a(first: Int): [A!]! @listSize(slicingArguments: ["first"]) wrong: Wrong }
      type A @measuredCost(object: 0.5, leaf: 0.25, batch: 2) { x: Int y: Int dear: Int @cost(weight: "3") b: B }
      type B @measuredCost(batch: 7) { x: Int }
      type Wrong @measuredCost(object: -5, leaf: -1, batch: -100) { x: Int }`
    const document = parse(query)
    const operation = document.definitions[0]
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('Expected an operation.')
    const model = compileCostModel(buildSchema(sdl), readCostWeights(parse(sdl)), document, operation)
    expect(model.cost({ no: false })).toBe(cost)
  })

  test('a condition variable is read once, however many fields depend on it', async () => {
    const { gateway } = await localGraph()
    const weights = readCostWeights(parse(supergraphSdl()), undefined)
    const within = (inside: string) => `${'... @include(if: $yes) { '.repeat(280)}${inside}${' }'.repeat(280)}`
    const text = `query ($yes: Boolean!) { product(id: "a") { ${within('...a')} } } fragment a on Product { ${times(50, '...b')} } fragment b on Product { ${times(90, 'id')} }`
    const result = validateOperation(text, undefined, { schema: gateway.schema, weights, limits: LIMITS, introspection: true })
    if (result.kind === 'rejected') throw new Error(JSON.stringify(result.errors))
    let requestCount = 0
    const variables = {
      get yes() {
        requestCount++
        return true
      },
    }
    expect([result.model.cost(variables), requestCount]).toEqual([2 + 50 * 90, 280])
  })

  test('for each operation of a batch, with one request for all', async () => {
    const { gateway } = await localGraph()
    const batch = [{ query: PAGE }, { query: '{ caller }', extensions: { cost: false } }, { query: '{ nope }' }]
    const requestCount = (wantsCost: boolean) => runBatch(gateway, batch, 5, { ...requestContext(), wantsCost })
    expect(await requestCount(true)).toMatchObject({
      results: [{ extensions: { cost: { requested: PAGE_COST } } }, { extensions: { cost: { requested: 1 } } }, { errors: [{}] }],
    })
    expect(JSON.stringify(await requestCount(false))).not.toContain('requested')
  })

  test('without a limit the report has none', async () => {
    expect(await costOf(await transportsOf({ limits: { depth: 10, cost: 0 } }), PAGE)).toEqual({ ...expected, limit: null })
  })

  test('over WebSocket: beside the answer of a query, with the first event of a subscription only', async () => {
    const ticker = await startTicker()
    const transports = await openTransports(ticker.gateway)
    cleanups.push(transports.close)
    const client = await transports.socket()
    const [answer] = await client.ask({ query: '{ now }', extensions: { cost: true } })
    expect(answer.payload).toEqual({
      data: { now: 0 },
      extensions: { cost: { requested: 1, actual: 1, limit: 1000, budget: null } },
    })
    expect((await client.ask({ query: '{ now }' }))[0].payload).toEqual({ data: { now: 0 } })

    const query = 'subscription { ticked { number } }'
    for (const [id, extensions] of [
      ['asks', { cost: true }],
      ['does-not', undefined],
    ] as const)
      client.socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, extensions } }))
    while (ticker.gateway.subscriptions() < 2) await new Promise(setImmediate)
    ticker.tick()
    ticker.tick()
    const first = await client.next('asks')
    expect(first.payload).toEqual({
      data: { ticked: { number: 1 } },
      extensions: { cost: { requested: 3, limit: 1000, budget: null } },
    })
    expect((await client.next('asks')).payload).toEqual({ data: { ticked: { number: 2 } } })
    expect((await client.next('does-not')).payload).toEqual({ data: { ticked: { number: 1 } } })
  })

  test('over an event stream', async () => {
    const transports = await transportsOf()
    const client = createEventClient({ url: `${transports.base}/graphql` })
    cleanups.push(client.dispose)
    const allResults: unknown[] = []
    for await (const result of client.iterate({ query: PAGE, extensions: { cost: true } })) allResults.push(result)
    expect(allResults).toMatchObject([{ data: {}, extensions: { cost: expected } }])
  })

  test('a refusal says cost and limit in its error, and beside it over HTTP', async () => {
    const transports = await transportsOf({ limits: { depth: 10, cost: 5 } })
    const { status, body } = await transports.post({ query: PAGE }, { 'graphql-cost': 'report' })
    expect([status, body.errors[0].extensions]).toMatchObject([400, { code: 'COST_LIMIT_EXCEEDED', cost: PAGE_COST, limit: 5 }])
    expect(body.extensions).toEqual({ cost: { requested: PAGE_COST, limit: 5, budget: null } })
    const [refused] = await (await transports.socket()).ask({ query: PAGE })
    expect(refused).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', cost: PAGE_COST, limit: 5 } }],
    })
  })
})

describe('a budget of cost', () => {
  /** A budget whose clock only moves when it is told to. */
  function aBudget(perMinute: number) {
    let milliseconds = 0
    const budget = memoryBudget(perMinute, () => new Date(milliseconds))
    const wait = (seconds: number) => {
      milliseconds += seconds * 1000
    }
    return { budget, wait }
  }
  const caller = (address: string, authorization?: string): Caller => ({
    requestId: 'r',
    address,
    credentials: authorization === undefined ? {} : { authorization },
  })

  test('is rejected over HTTP with 429 and Retry-After, and accepted after that time', async () => {
    const { budget, wait } = aBudget(60)
    const transports = await transportsOf({ budget })
    const requestCount = { query: PAGE, extensions: { cost: true } }
    const spent = [await transports.post(requestCount), await transports.post(requestCount)]
    expect(spent.map(({ body }) => body.extensions.cost.budget)).toEqual([
      { remaining: 60 - PAGE_COST, resetSeconds: PAGE_COST },
      { remaining: 60 - 2 * PAGE_COST, resetSeconds: 2 * PAGE_COST },
    ])

    const { status, headers, body } = await transports.post(requestCount)
    const missing = 3 * PAGE_COST - 60
    expect([status, headers.get('retry-after'), body.data]).toEqual([429, `${missing}`, undefined])
    expect(body.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', cost: PAGE_COST, retryAfterSeconds: missing })
    expect(body.extensions.cost).toEqual({
      requested: PAGE_COST,
      limit: 60,
      budget: { remaining: 60 - 2 * PAGE_COST, resetSeconds: 2 * PAGE_COST },
    })
    // What is cheap still fits in what is left.
    expect((await transports.post({ query: '{ caller }' })).status).toBe(200)
    wait(missing + 1)
    expect((await transports.post(requestCount)).status).toBe(200)
  })

  test('is one for all transports: what was spent over HTTP is missing over WebSocket and event streams', async () => {
    const { budget } = aBudget(60)
    const transports = await transportsOf({ budget })
    for (let count = 0; count < 2; count++) await transports.post({ query: PAGE })
    const [refused] = await (await transports.socket()).ask({ query: PAGE })
    expect(refused).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'RATE_LIMITED', budget: { remaining: 4 } } }],
    })
    const stream = await fetch(`${transports.base}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: PAGE }),
    })
    expect(await stream.text()).toContain('"RATE_LIMITED"')
  })

  test('a subscription spends once, when it begins', async () => {
    const { budget } = aBudget(7)
    const ticker = await startTicker(LIMITS, budget)
    const transports = await openTransports(ticker.gateway)
    cleanups.push(transports.close)
    const client = await transports.socket()
    const query = 'subscription { ticked { number } }'
    for (const id of ['one', 'two', 'three']) client.socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }))
    expect(await client.next('three')).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'RATE_LIMITED' } }] })
    for (let count = 0; count < 5; count++) ticker.tick()
    for (let count = 1; count <= 5; count++)
      expect((await client.next('two')).payload).toEqual({ data: { ticked: { number: count } } })
  })

  test('is not spent by what is refused', async () => {
    const { budget } = aBudget(60)
    const transports = await transportsOf({ budget })
    for (const query of [
      '{',
      '{ nope }',
      '{ products(first: -1) { totalCount } }',
      '{ wholes { children { children { id } } } }',
    ]) {
      const { status } = await transports.post({ query })
      expect(status).toBe(400)
    }
    expect((await costOf(transports, '{ caller }')).budget).toEqual({ remaining: 59, resetSeconds: 1 })
  })

  test('what costs more than a whole budget could never run, and is refused as too dear', async () => {
    const transports = await transportsOf({ budget: aBudget(10).budget })
    const { status, body } = await transports.post({ query: PAGE, extensions: { cost: true } })
    expect([status, body.errors[0].extensions]).toMatchObject([400, { code: 'COST_LIMIT_EXCEEDED', cost: PAGE_COST, limit: 10 }])
    expect(body.extensions.cost.budget).toEqual({ remaining: 10, resetSeconds: 0 })
  })

  test('introspection counts one point', async () => {
    const transports = await transportsOf({ budget: aBudget(60).budget })
    expect(await costOf(transports, '{ __schema { types { name } } }')).toMatchObject({ requested: 0, budget: { remaining: 59 } })
  })

  test.each<{ why: string; one: Caller; other: Caller; isShared: boolean }>([
    { why: 'two addresses', one: caller('1.1.1.1'), other: caller('2.2.2.2'), isShared: false },
    { why: 'two credentials of one address', one: caller('1.1.1.1', 'a'), other: caller('1.1.1.1', 'b'), isShared: false },
    { why: 'one credential at two addresses', one: caller('1.1.1.1', 'a'), other: caller('2.2.2.2', 'a'), isShared: true },
    { why: 'one network of IPv6', one: caller('2001:db8::1'), other: caller('2001:db8::2'), isShared: true },
    { why: 'two networks of IPv6', one: caller('2001:db8:1:1::1'), other: caller('2001:db8:1:2::1'), isShared: false },
  ])('of $why: shared is $isShared', async ({ one, other, isShared }) => {
    const { budget } = aBudget(10)
    await budget.spend(one, 10)
    expect((await budget.spend(other, 10)).isGranted).toBe(!isShared)
  })

  test('a new credential for every operation buys no more than ten budgets', async () => {
    const { budget } = aBudget(10)
    const granted: boolean[] = []
    for (let count = 0; count < 20; count++)
      granted.push((await budget.spend(caller('1.1.1.1', `forged ${count}`), 10)).isGranted)
    expect(granted).toEqual(Array.from({ length: 20 }, (_, index) => index < BUDGETS_PER_ADDRESS))
    expect((await budget.spend(caller('2.2.2.2', 'forged 19'), 10)).isGranted).toBe(true)
  })

  test('an operation that the budget of the client rejects refunds the budget of the address', async () => {
    const { budget } = aBudget(10)
    for (let count = 0; count < 1_000; count++) await budget.spend(caller('1.1.1.1', 'greedy'), 10)
    expect((await budget.spend(caller('1.1.1.1', 'modest'), 10)).isGranted).toBe(true)
  })
})

describe.skipIf(!hasRedis)(`a budget in Redis (skipped where ${REDIS} is not installed)`, () => {
  const who = (address: string, authorization = 'a'): Caller => ({ requestId: 'r', address, credentials: { authorization } })
  // On a busy machine an answer may take longer than a client should wait for it.
  async function twoGateways(perMinute: number, commandMilliseconds = 10_000) {
    const redis = await redisServer()
    cleanups.push(redis.stop)
    const { log, lines } = recordingLog()
    const budgets = await Promise.all([1, 2].map(() => redisBudget({ url: redis.url, perMinute, log, commandMilliseconds })))
    for (const { close } of budgets) cleanups.push(close)
    return { redis, lines, budgets: budgets as [Budget, Budget] }
  }

  test('is counted by all gateways together, and to the point', async () => {
    const { budgets, lines } = await twoGateways(60)
    const levels = await Promise.all(
      Array.from({ length: 100 }, (_, index) => budgets[index % 2 === 0 ? 0 : 1].spend(who('1.1.1.1'), 3)),
    )
    // One point comes back each second, so one more at most.
    expect([20, 21]).toContain(levels.filter(({ isGranted }) => isGranted).length)
    const refused = await budgets[0].spend(who('1.1.1.1'), 60)
    expect(refused).toMatchObject({ isGranted: false, left: expect.toSatisfy((left: number) => left < 3) })
    expect(refused.waitSeconds).toBeGreaterThan(50)
    expect((await budgets[1].spend(who('2.2.2.2', 'b'), 60)).isGranted).toBe(true)
    expect(lines).toEqual([])
  })

  test('is forgotten when it is full again, and says nothing about credentials', async () => {
    const { redis, budgets } = await twoGateways(60)
    await budgets[0].spend(who('1.1.1.1', 'Bearer sesame'), 3)
    const { Redis } = await import('ioredis')
    const looking = new Redis(redis.url)
    const keys = await looking.keys('*')
    const lives = await Promise.all(keys.map((key) => looking.pttl(key)))
    looking.disconnect()
    expect(keys).toHaveLength(2)
    expect(keys.join()).not.toContain('sesame')
    for (const life of lives) expect(life).toBeGreaterThan(0)
  })

  test('bounds forged credentials as well', async () => {
    const { budgets } = await twoGateways(1)
    const levels = await Promise.all(
      Array.from({ length: 20 }, (_, index) => budgets[0].spend(who('1.1.1.1', `forged ${index}`), 1)),
    )
    expect(levels.filter(({ isGranted }) => isGranted)).toHaveLength(BUDGETS_PER_ADDRESS)
  })

  test.each(['stop', 'freeze'] as const)(
    'is counted per process while Redis is unavailable (%s), with one log line',
    async (away) => {
      const { redis, budgets, lines } = await twoGateways(60, 250)
      await redis[away]()
      const levels = []
      // A third one is granted after half a minute.
      for (let count = 0; count < 30; count++) levels.push(await budgets[0].spend(who('1.1.1.1'), 30))
      expect(levels.filter(({ isGranted }) => isGranted)).toHaveLength(2)
      const said = () => lines.filter(({ msg }) => String(msg).includes('Redis cannot be reached'))
      // Each of the two says it for itself, and the other may not have asked yet.
      while (said().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      expect(said().length).toBeLessThanOrEqual(2)

      await (away === 'stop' ? redis.start() : redis.resume())
      while (!lines.some(({ msg }) => String(msg).includes('can be reached again'))) {
        await budgets[0].spend(who('3.3.3.3', 'c'), 1)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(said().length).toBeLessThanOrEqual(2)
    },
  )

  test('a Redis that was never there delays no start and no answer', async () => {
    const { log, lines } = recordingLog()
    const budget = await redisBudget({ url: 'redis://:sesame@127.0.0.1:1', perMinute: 60, log })
    cleanups.push(budget.close)
    expect((await budget.spend(who('1.1.1.1'), 3)).isGranted).toBe(true)
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain('sesame')
  })
})
