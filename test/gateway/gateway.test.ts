import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import {
  ask,
  CALLER,
  type LocalGraph,
  localGraph,
  recordingLog,
  requestContext,
  shopSubgraph,
  supergraphSdl,
} from './support/graph.ts'

let graph: LocalGraph
beforeAll(async () => {
  graph = await localGraph()
})
afterAll(() => graph.gateway.close())

const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')

describe('operations', () => {
  test('fields of an entity come from all subgraphs that define them', async () => {
    const answer = await ask(
      graph.gateway,
      '{ latestReview { text about { name reviews(contains: "Good") { text } } } products(first: 3) { edges { node { id rating } } } }',
    )
    expect(answer).toEqual({
      data: {
        latestReview: { text: 'Fine.', about: { name: 'Product b', reviews: [{ text: 'Good b' }] } },
        products: { edges: ['a', 'b', 'c'].map((id) => ({ node: { id, rating: id === 'c' ? 0 : 4.5 } })) },
      },
    })
  })

  test.each([
    ['one subgraph, asked directly', 'query ($id: ID!) { product(id: $id) { n: name parent { id } } }', { id: 'b' }],
    ['types of a union', '{ things { ... on Note { text } ... on Product { name } } }', {}],
    ['skipped fields', 'query ($no: Boolean = false) { product(id: "a") { id name @include(if: $no) } }', {}],
    ['names that objects have by themselves', '{ constructor: product(id: "a") { toString: name __proto__: id } }', {}],
    ['__typename at the root', '{ __typename product(id: "a") { __typename } }', {}],
    ['introspection beside data', '{ __type(name: "Note") { name } product(id: "a") { id } }', {}],
  ])('the fast path returns the same as the general one: %s', async (_, query, variables) => {
    // A link that does not show its schema never takes the shortest way.
    const { execute, name } = createLocalLink(shopSubgraph())
    const review = createLocalLink(graph.review)
    const general = await startGateway({
      supergraphSdl: supergraphSdl(),
      links: [
        { name, execute },
        { name: review.name, execute: review.execute },
      ],
      limits: { depth: 0, cost: 0 },
      log: recordingLog().log,
    })
    const [short, long] = [await ask(graph.gateway, query, variables), await ask(general, query, variables)]
    expect(short).toEqual(long)
    expect(short.errors).toBeUndefined()
  })

  test('a variable called representations reaches its field, also beside fetches of entities', async () => {
    const query =
      'query ($representations: [String!]) { echo(representations: $representations) latestReview { about { name } } }'
    const { data } = await ask(graph.gateway, query, { representations: ['x'] })
    expect(data).toEqual({ echo: '{"representations":["x"],"flag":true}', latestReview: { about: { name: 'Product b' } } })
  })

  test('all fetches of one operation share one context of a subgraph', async () => {
    const before = graph.shop.contexts()
    await ask(graph.gateway, '{ latestReview { about { name } } products { totalCount } }')
    expect(graph.shop.contexts() - before).toBe(1)
  })

  test('a text is checked once per operation name', () => {
    const query = 'query A { __typename } query B { products { totalCount } }'
    expect(graph.gateway.prepareText(query, 'A')).toBe(graph.gateway.prepareText(query, 'A'))
    expect(graph.gateway.prepareText(query, 'A')).not.toBe(graph.gateway.prepareText(query, 'B'))
    expect(graph.gateway.prepareText('{', undefined)).toBe(graph.gateway.prepareText('{', undefined))
  })

  test('a supergraph whose subgraph has no link does not start', async () => {
    const starting = startGateway({
      supergraphSdl: supergraphSdl(),
      links: [],
      limits: { depth: 10, cost: 1000 },
      log: recordingLog().log,
    })
    await expect(starting).rejects.toThrow('Expected a link to subgraph')
  })
})

describe('errors', () => {
  test.each(['{ broken }', '{ broken latestReview { text } }'])(
    'a fault says its request id, and its detail only in the log, once: %s',
    async (query) => {
      graph.lines.length = 0
      const answer = await ask(graph.gateway, query)
      expect(answer.errors).toEqual([
        {
          message: `Something went wrong on our side; quote request ${CALLER.requestId} when you report it.`,
          path: ['broken'],
          extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: CALLER.requestId },
        },
      ])
      expect(JSON.stringify(answer)).not.toContain('hunter2')
      const leaks = graph.lines.filter((line) => JSON.stringify(line).includes('hunter2'))
      expect(leaks).toHaveLength(1)
      expect(leaks[0]).toMatchObject({ requestId: CALLER.requestId, subgraph: 'shop', path: ['broken'] })
    },
  )

  test('an error with a code was written for clients and reaches them', async () => {
    const { errors } = await ask(graph.gateway, '{ refused }')
    expect(errors).toEqual([{ message: 'Expected a nicer question.', path: ['refused'], extensions: { code: 'NOT_NICE' } }])
  })

  test('a null where the schema promises a value is a fault', async () => {
    const { data, errors } = await ask(graph.gateway, '{ promised }')
    expect([data, errors?.[0]?.extensions.code]).toEqual([null, 'INTERNAL_SERVER_ERROR'])
  })

  test('an operation ends when its client goes', async () => {
    const prepared = graph.gateway.prepareText('{ slow }', undefined)
    const gone = new AbortController()
    if (prepared.kind !== 'executable') throw new Error('Expected it to be executable.')
    const running = prepared.run({}, { ...requestContext(), signal: gone.signal })
    gone.abort(new Error('The client is gone.'))
    expect((await running).errors?.[0]?.extensions?.code).toBe('TIMEOUT')
  })
})

const deep = (levels: number) => `{ product(id: "a") { ${'parent { '.repeat(levels)} id ${'} '.repeat(levels)} } }`

describe('limits', () => {
  test.each<{ why: string; query: string; code: string; variables?: Record<string, unknown> }>([
    { why: 'deep nesting', query: deep(10), code: 'DEPTH_LIMIT_EXCEEDED' },
    { why: 'nesting so deep that parsing would not return', query: deep(20_000), code: 'OPERATION_TOO_LARGE' },
    {
      why: '40 fragments that each spread the next one twice',
      query: `{ product(id: "a") { ...f0 } } ${times(40, (i) => `fragment f${i} on Product { ${i < 39 ? `a: parent { ...f${i + 1} } b: parent { ...f${i + 1} }` : 'id'} }`)}`,
      code: 'DEPTH_LIMIT_EXCEEDED',
    },
    {
      why: '40 fragments that spread the next one twice without a level between',
      query: `{ product(id: "a") { ...f0 } } ${times(40, (i) => `fragment f${i} on Product { ${i < 39 ? `...f${i + 1} ...f${i + 1}` : 'id'} }`)}`,
      code: 'OPERATION_TOO_LARGE',
    },
    {
      why: '8 levels of 10 aliases',
      query: `{ product(id: "a") { ...f0 } } ${times(8, (i) => `fragment f${i} on Product { ${i < 7 ? times(10, (n) => `a${n}: parent { ...f${i + 1} }`) : 'id'} }`)}`,
      code: 'OPERATION_TOO_LARGE',
    },
    {
      why: 'a cycle of fragments',
      query: '{ product(id: "a") { ...a } } fragment a on Product { parent { ...a } }',
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    { why: 'an unknown fragment', query: '{ ...__proto__ }', code: 'GRAPHQL_VALIDATION_FAILED' },
    { why: '10,000 aliases', query: `{ ${times(10_000, (i) => `a${i}: slow`)} }`, code: 'OPERATION_TOO_LARGE' },
    { why: '201 aliases', query: `{ product(id: "a") { ${times(201, (i) => `a${i}: id`)} } }`, code: 'OPERATION_TOO_LARGE' },
    { why: '51 fields at the root', query: `{ ${times(51, (i) => `a${i}: caller`)} }`, code: 'OPERATION_TOO_LARGE' },
    { why: '100,000 fields', query: `{ ${'id '.repeat(100_000)} }`, code: 'OPERATION_TOO_LARGE' },
    { why: 'one field 4,000 times', query: `{ ${'caller '.repeat(4_000)} }`, code: 'OPERATION_TOO_LARGE' },
    { why: '4,000 unknown fields', query: `{ ${times(4_000, (i) => `x${i}`)} }`, code: 'GRAPHQL_VALIDATION_FAILED' },
    {
      why: '1,000 fragments',
      query: `{ ...f0 } ${times(1_000, (i) => `fragment f${i} on Query { caller }`)}`,
      code: 'OPERATION_TOO_LARGE',
    },
    { why: '2,000 directives', query: `{ caller ${'@skip(if: false) '.repeat(700)} }`, code: 'OPERATION_TOO_LARGE' },
    {
      why: 'introspection 5 times',
      query: `{ ${times(5, (i) => `a${i}: __schema { types { name } }`)} }`,
      code: 'OPERATION_TOO_LARGE',
    },
    {
      why: 'introspection that turns in circles',
      query: '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }',
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    {
      why: 'introspection beside other fields is counted',
      query: '{ caller __schema { types { fields { args { type { name kind } } type { name kind } } } } }',
      code: 'COST_LIMIT_EXCEEDED',
    },
    { why: 'a page of 2,000', query: '{ products(first: 2000) { totalCount } }', code: 'PAGE_SIZE_OUT_OF_RANGE' },
    {
      why: 'a negative page that would pay for dear fields',
      query: `{ products(first: -2000000) { edges { node { id } } } ${times(30, (i) => `a${i}: dear { id }`)} }`,
      code: 'PAGE_SIZE_OUT_OF_RANGE',
    },
    {
      why: 'a negative page in a variable',
      query: 'query ($n: Int) { products(first: $n) { totalCount } }',
      variables: { n: -1 },
      code: 'PAGE_SIZE_OUT_OF_RANGE',
    },
    {
      why: 'a negative page of a graph without @listSize',
      query: '{ things(limit: -5) { __typename } }',
      code: 'PAGE_SIZE_OUT_OF_RANGE',
    },
    {
      why: 'a page that is too dear with the real variables',
      query: 'query ($n: Int!) { products(first: $n) { edges { node { id name } } } }',
      variables: { n: 200 },
      code: 'COST_LIMIT_EXCEEDED',
    },
    { why: 'lists in lists', query: '{ wholes { children { children { id } } } }', code: 'COST_LIMIT_EXCEEDED' },
    {
      why: 'variables nested 40,000 deep',
      query: 'query ($m: [[Int]]) { echo(matrix: $m) }',
      variables: { m: JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) },
      code: 'BAD_USER_INPUT',
    },
    {
      why: 'a variable of the wrong type',
      query: 'query ($id: ID!) { product(id: $id) { id } }',
      variables: { id: {} },
      code: 'BAD_USER_INPUT',
    },
    { why: 'a missing variable', query: 'query ($id: ID!) { product(id: $id) { id } }', code: 'BAD_USER_INPUT' },
    {
      why: 'a subscription, whose validation would throw',
      query: 'subscription ($s: Boolean!) { x @skip(if: $s) }',
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    { why: 'no operation', query: 'fragment a on Product { id }', code: 'OPERATION_RESOLUTION_FAILURE' },
    { why: 'nothing', query: '   ', code: 'GRAPHQL_PARSE_FAILED' },
    { why: 'a type definition', query: '{ caller } type X { y: Int }', code: 'GRAPHQL_VALIDATION_FAILED' },
  ])('refused: $why', async ({ query, variables, code }) => {
    const { data, errors } = await ask(graph.gateway, query, variables)
    expect([data, errors?.[0]?.extensions.code]).toEqual([undefined, code])
  })

  test.each<{ why: string; query: string; variables?: Record<string, unknown> }>([
    { why: 'exactly ten levels', query: deep(9) },
    {
      why: 'fragments used often',
      query: `{ product(id: "a") { ...f0 } } ${times(30, (i) => `fragment f${i} on Product { ${i < 29 ? `...f${i + 1}` : 'id name'} }`)}`,
    },
    { why: '200 aliases', query: `{ product(id: "a") { ${times(200, (i) => `a${i}: id`)} } }` },
    { why: 'a page of 100 with two fields', query: '{ products(first: 100) { edges { node { id name } } } }' },
    { why: 'a page of 0', query: '{ products(first: 0) { edges { node { id } } } }' },
    {
      why: 'a dear list that a page size makes cheap',
      query: '{ dear(first: 1) { children(first: 1) { children(first: 1) { id } } } }',
    },
    {
      why: 'the dearest of several types, not their sum',
      query: `{ things { ${times(2, (i) => `... on ${['Note', 'Product'][i]} { ${i ? times(60, (n) => `a${n}: id`) : times(60, (n) => `b${n}: text`)} }`)} } }`,
    },
    {
      why: 'fields that are left out',
      query: 'query ($all: Boolean!) { wholes @include(if: $all) { children { children { id } } } caller }',
      variables: { all: false },
    },
    {
      why: 'a document with another, dear operation',
      query: 'query Cheap { caller } query Dear { wholes { children { children { id } } } }',
    },
  ])('accepted: $why', async ({ query, variables, why }) => {
    const answer = await ask(graph.gateway, query, variables, why.includes('another') ? 'Cheap' : undefined)
    expect(answer.errors).toBeUndefined()
    expect(answer.data).toBeTruthy()
  })

  test('the standard introspection query is answered', async () => {
    const { data, errors } = await ask(graph.gateway, getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))
    expect(errors).toBeUndefined()
    expect(JSON.stringify(data)).toContain('ProductConnection')
    expect(JSON.stringify(data)).not.toContain('join__')
  })

  test.each([
    ['{ caller }', 1],
    ['{ product(id: "a") { id name } }', 2 + 2],
    ['{ products(first: 5) { totalCount edges { node { id } } } }', 2 + 1 + 5 * (2 + (2 + 1))],
    ['{ products { edges { node { id } } } }', 2 + 10 * (2 + (2 + 1))],
    ['{ dear(first: 3) { id } }', 3 * (5 + 1)],
    ['{ wholes { id __typename } }', 10 * (2 + 1)],
  ])('the cost of %s is %i', async (query, cost) => {
    const at = (limit: number) => localGraph({ depth: 10, cost: limit }).then(({ gateway }) => ask(gateway, query))
    expect((await at(cost)).errors).toBeUndefined()
    if (cost === 1) return
    expect((await at(cost - 1)).errors?.[0]).toMatchObject({
      message: expect.stringContaining(`${cost - 1}, got ${cost}`),
      extensions: { code: 'COST_LIMIT_EXCEEDED', cost, limit: cost - 1 },
    })
  })

  test('0 turns depth and cost off, and nothing else', async () => {
    const { gateway } = await localGraph({ depth: 0, cost: 0 })
    expect((await ask(gateway, deep(30))).errors).toBeUndefined()
    expect((await ask(gateway, '{ wholes { children { children { children { id } } } } }')).errors).toBeUndefined()
    expect((await ask(gateway, '{ products(first: -1) { totalCount } }')).errors?.[0]?.extensions.code).toBe(
      'PAGE_SIZE_OUT_OF_RANGE',
    )
    const bomb = `{ product(id: "a") { ...f0 } } ${times(40, (i) => `fragment f${i} on Product { ${i < 39 ? `a: parent { ...f${i + 1} } b: parent { ...f${i + 1} }` : 'id'} }`)}`
    expect((await ask(gateway, bomb)).errors?.[0]?.extensions.code).toBe('OPERATION_TOO_LARGE')
  })
})
