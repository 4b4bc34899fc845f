import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Gateway } from '../../../gateway/gateway.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { Limits } from '../../../gateway/limits/limits.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { askDeferred } from '../support/deferred.ts'
import { requestContext } from '../support/graph.ts'
import { gatewayOf, type Parts, supergraphOf } from '../support/parts.ts'

type Row = Record<string, unknown>
const same = (reference: Row) => reference
const GOODS = [{ id: 'g1' }, { id: 'g2' }]

/** Goods of one subgraph, their reviews of another, and the authors of those of a third. */
const PARTS: Parts = {
  goods: {
    sdl: `
      type Query { goods(first: Int = 5): [Good!]! good: Good search: [Found!]! }
      type Mutation { touch: Good }
      union Found = Good | Note
      type Note @key(fields: "id") { id: ID! text: String }
      type Good @key(fields: "id") { id: ID! name: String weight: Int @inaccessible }`,
    resolvers: {
      Query: { goods: () => GOODS, good: () => GOODS[0], search: () => [{ __typename: 'Good', id: 'g1' }] },
      Mutation: { touch: () => expect.unreachable('a refused mutation must not run') },
      Good: { __resolveReference: same, name: ({ id }: Row) => `good ${id}`, weight: () => 3 },
    },
  },
  reviews: {
    sdl: `
      type Good @key(fields: "id") { id: ID! weight: Int @external reviews(first: Int): [Review!]! fee: Int @requires(fields: "weight") }
      type Note @key(fields: "id") { id: ID! reviews(first: Int): [Review!]! }
      type Review { text: String author: Person }
      type Person @key(fields: "id") { id: ID! }`,
    resolvers: {
      Good: { __resolveReference: same, reviews: () => [{ text: 'r', author: { id: 'p1' } }], fee: ({ weight }: Row) => weight },
      Note: { __resolveReference: same, reviews: () => [] },
    },
  },
  people: {
    sdl: 'type Person @key(fields: "id") { id: ID! name: String }',
    resolvers: { Person: { __resolveReference: same, name: ({ id }: Row) => `person ${id}` } },
  },
}

type Answer = { readonly errors?: readonly Row[]; readonly data?: unknown; readonly extensions?: { cost?: { subgraphs?: Row } } }

async function aGateway(
  limits: Partial<Limits>,
  metrics: ReturnType<typeof createMetrics> | null = null,
  finish: Parameters<typeof gatewayOf>[3] = onTestFinished,
) {
  const graph = await gatewayOf(PARTS, 'http', { limits: { depth: 0, cost: 0, ...limits }, metrics }, finish)
  const execute = async (query: string, variables: Row = {}) =>
    JSON.parse(JSON.stringify(await run(graph.gateway, query, variables))) as Answer
  return { ...graph, execute }
}

async function run(gateway: Gateway, query: string, variables: Row): Promise<unknown> {
  const prepared = gateway.prepareText(query, undefined)
  return prepared.kind === 'rejected' ? prepared : prepared.run(variables, { ...requestContext(), wantsCost: true })
}

/** Points of an object, and of a leaf. */
const [OBJECT, LEAF] = [2, 1]

describe('what an operation sends to each subgraph is counted', () => {
  let execute: Awaited<ReturnType<typeof aGateway>>['execute']
  let close = async () => {}
  beforeAll(async () => {
    ;({ execute } = await aGateway({ subgraphs: {} }, null, (closing) => {
      close = closing
    }))
  })
  afterAll(() => close())
  /** `__typename` is free, `id` is not. */
  const keys = LEAF
  test.each([
    { why: 'of one fetch', query: '{ good { name } }', costs: { goods: OBJECT + LEAF } },
    {
      why: 'entities as often as the list on their path is long, with the keys that plans fetch',
      query: '{ goods(first: 3) { reviews(first: 4) { text } } }',
      costs: { goods: 3 * (OBJECT + keys), reviews: 3 * (OBJECT + 4 * (OBJECT + LEAF)) },
    },
    {
      why: 'lists in lists, through three subgraphs, by variables and defaults',
      query: 'query ($first: Int = 2) { goods { reviews(first: $first) { author { name } } } }',
      variables: { first: 6 },
      costs: {
        goods: 5 * (OBJECT + keys),
        reviews: 5 * (OBJECT + 6 * (OBJECT + OBJECT + keys)),
        people: 5 * 6 * (OBJECT + LEAF),
      },
    },
    {
      why: 'the default of a variable, and a list of unknown length',
      query: 'query ($first: Int = 2) { goods(first: $first) { reviews { text } } }',
      costs: { goods: 2 * (OBJECT + keys), reviews: 2 * (OBJECT + 10 * (OBJECT + LEAF)) },
    },
    {
      why: 'required fields that clients do not see',
      query: '{ good { fee } }',
      costs: { goods: OBJECT + keys + LEAF, reviews: OBJECT + LEAF },
    },
    {
      why: 'the dearest of several types',
      query: '{ search { ... on Good { name reviews(first: 2) { text } } ... on Note { reviews(first: 7) { text } } } }',
      costs: { goods: 10 * (OBJECT + LEAF + keys), reviews: 10 * (OBJECT + 7 * (OBJECT + LEAF)) },
    },
    {
      why: 'what a condition leaves out for nothing',
      query: 'query ($no: Boolean!) { good { name reviews(first: 2) @include(if: $no) { text } } }',
      variables: { no: false },
      costs: { goods: OBJECT + LEAF + keys, reviews: 0 },
    },
  ])('$why', async ({ query, variables = {}, costs }) => {
    const { extensions, errors } = await execute(query, variables)
    expect(errors).toBeUndefined()
    const expected = Object.entries(costs).map(([name, requested]) => [name, { requested, limit: null }])
    expect(extensions?.cost?.subgraphs).toEqual(Object.fromEntries(expected))
  })

  test('but not where no subgraph has a limit', async () => {
    const { execute } = await aGateway({})
    expect((await execute('{ good { name } }')).extensions?.cost).toEqual({ requested: 3, actual: 3, limit: null, budget: null })
  })
})

const QUERY = 'query ($first: Int!) { goods(first: $first) { reviews(first: 1) { text } } }'
/** Points of `QUERY` in the subgraph of reviews, per good. */
const EACH = OBJECT + OBJECT + LEAF
const refusal = (subgraph: string, cost: number, limit: number) => ({
  message: `Expected a cost of at most ${limit} for subgraph ${subgraph}, got ${cost}: ask for shorter pages or fewer fields of it.`,
  extensions: { code: 'SUBGRAPH_COST_LIMIT_EXCEEDED', subgraph, cost, limit },
})

describe('an operation that costs a subgraph more than its limit', () => {
  test('is refused before anything is fetched, and one below it runs', async () => {
    const { execute, fetches } = await aGateway({ subgraphs: { reviews: { cost: 3 * EACH } } })
    expect(await execute(QUERY, { first: 4 })).toMatchObject({ errors: [refusal('reviews', 4 * EACH, 3 * EACH)] })
    expect(fetches).toEqual([])
    expect(await execute(QUERY, { first: 3 })).toMatchObject({
      data: { goods: [{ reviews: [{ text: 'r' }] }, { reviews: [{ text: 'r' }] }] },
      extensions: { cost: { subgraphs: { reviews: { requested: 3 * EACH, limit: 3 * EACH }, goods: { limit: null } } } },
    })
    expect(fetches).toEqual(['goods', 'reviews'])
  })

  test('is refused with an error for each subgraph; a mutation does not run', async () => {
    const { execute } = await aGateway({ allSubgraphs: { cost: 2 } })
    expect((await execute('mutation { touch { name reviews(first: 1) { text } } }')).errors).toEqual([
      refusal('goods', OBJECT + LEAF + LEAF, 2),
      refusal('reviews', EACH, 2),
    ])
  })

  test('runs where that subgraph is measured, is logged and counted', async () => {
    const metrics = createMetrics()
    const { execute, lines } = await aGateway(
      { allSubgraphs: { cost: 4 }, subgraphs: { reviews: { cost: 1, costMode: 'measure' }, goods: { cost: 0 } } },
      metrics,
    )
    expect((await execute(QUERY, { first: 1 })).data).toMatchObject({ goods: [{ reviews: [{ text: 'r' }] }, {}] })
    expect(lines).toMatchObject([
      { subgraph: 'reviews', cost: EACH, limit: 1, msg: 'an operation costs a subgraph more than its limit' },
    ])
    expect((await execute('{ good { reviews(first: 1) { author { name } } } }')).data).toBeDefined()
    expect((await execute('{ goods(first: 2) { reviews(first: 1) { author { name } } } }')).errors).toEqual([
      refusal('people', 6, 4),
    ])
    const text = await metrics.text()
    expect(text).toContain('atrium_subgraph_over_cost_limit_total{subgraph="reviews",mode="measure"} 3')
    expect(text).toContain('atrium_subgraph_over_cost_limit_total{subgraph="people",mode="enforce"} 1')
    expect(text).toContain('atrium_subgraph_cost_points_total{subgraph="people"} 9')
  })

  test('has the mode of its own entry and the cost of all subgraphs', async () => {
    const { execute } = await aGateway({ allSubgraphs: { cost: 1 }, subgraphs: { goods: { costMode: 'measure' } } })
    expect(await execute('{ good { name } }')).toMatchObject({
      data: { good: { name: 'good g1' } },
      extensions: { cost: { subgraphs: { goods: { requested: OBJECT + LEAF, limit: 1 } } } },
    })
  })

  test('is refused by a gateway with these options', async () => {
    const gateway = await createGateway({
      supergraph: supergraphOf(PARTS),
      subgraphs: Object.fromEntries(Object.keys(PARTS).map((name) => [name, { url: 'http://127.0.0.1:9/' }])),
      limits: { subgraphs: { goods: { cost: 2 } } },
    })
    onTestFinished(() => gateway.close())
    expect(await gateway.execute({ query: '{ good { name } }' })).toMatchObject({ errors: [refusal('goods', 3, 2)] })
  })
})

test('a limit of a subgraph that does not exist is refused with the names that do', async () => {
  const limits = { subgraphs: { goods: { cost: 2 }, review: { cost: 2 } } }
  await expect(createGateway({ supergraph: supergraphOf(PARTS), limits })).rejects.toMatchObject({
    name: 'OperatorError',
    message: 'Expected "limits.subgraphs" to have names of the supergraph (goods, people, reviews), got "review".',
  })
})

describe('a field that moves to another subgraph by a label', () => {
  const moving = (label: string): Parts => ({
    catalogue: {
      sdl: 'type Query { products: [Product!]! } type Product @key(fields: "id") { id: ID! name: String }',
      resolvers: { Query: { products: () => [{ id: '1' }] }, Product: { __resolveReference: same, name: () => 'name' } },
    },
    old: {
      sdl: 'type Product @key(fields: "id") { id: ID! price: String }',
      resolvers: { Product: { __resolveReference: same, price: () => 'old' } },
    },
    fresh: {
      sdl: `type Product @key(fields: "id") { id: ID! price: String @override(from: "old", label: "${label}") }`,
      resolvers: { Product: { __resolveReference: same, price: () => 'fresh' } },
    },
  })
  const prices = '{ products { price } }'

  test.each([
    { why: 'active', labels: ['beta'], subgraph: 'fresh' },
    { why: 'inactive', labels: [], subgraph: 'old' },
  ])('counts for the subgraph that fetches it: its label is $why', async ({ labels, subgraph }) => {
    const limits = { depth: 0, cost: 0, subgraphs: { [subgraph]: { cost: 1 } } }
    const { gateway, fetches } = await gatewayOf(moving('beta'), 'local', { limits, overrideLabels: () => labels })
    expect(await run(gateway, prices, {})).toMatchObject({ errors: [refusal(subgraph, 10 * (OBJECT + LEAF), 1)] })
    expect(fetches).toEqual([])
  })

  test.each([
    { why: 'complete', isDeferred: false, query: prices },
    { why: 'in parts', isDeferred: true, query: '{ products { name ... @defer { price } } }' },
  ])('counts for the subgraph that fetches it, chosen once for each request, $why', async ({ isDeferred, query }) => {
    const limits = { depth: 0, cost: 0, allSubgraphs: { cost: 1_000 } }
    const { gateway, fetches } = await gatewayOf(moving('percent(50)'), 'local', { limits })
    for (let request = 0; request < 32; request++) {
      fetches.length = 0
      const context = { ...requestContext(), wantsCost: true }
      const answered = isDeferred ? (await askDeferred(gateway, query, {}, context)).initial : await run(gateway, query, {})
      const { extensions } = answered as Answer
      expect(new Set(Object.keys(extensions?.cost?.subgraphs ?? {}))).toEqual(new Set(fetches))
    }
  })
})
