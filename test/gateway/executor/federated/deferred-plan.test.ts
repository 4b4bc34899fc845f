import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hotSwappableGateway } from '../../../../gateway/planning/hot-swap.ts'
import { askDeferred, library } from '../../support/deferred.ts'
import { ask, recordingLog, requestContext } from '../../support/graph.ts'
import { gatewayOf, type PartsGateway } from '../../support/parts.ts'

const CASES: readonly {
  readonly what: string
  readonly query: string
  readonly variables?: Record<string, unknown>
  readonly parts?: number
}[] = [
  { what: 'a field of another subgraph', query: '{ book(id: "1") { title ... @defer { reviews { text } } } }', parts: 1 },
  { what: 'a field of the same subgraph', query: '{ book(id: "1") { id ... @defer { title author { name } } } }', parts: 1 },
  { what: 'each object of a list', query: '{ books { id ... @defer { reviews { id text } } } }', parts: 3 },
  {
    what: 'a named fragment',
    query: '{ book(id: "1") { ...T ...R @defer } } fragment T on Book { title } fragment R on Book { reviews { likes } }',
  },
  {
    what: 'one fragment at two places',
    query: '{ a: book(id: "1") { ...R @defer } b: book(id: "2") { id ...R @defer } } fragment R on Book { reviews { text } }',
    parts: 2,
  },
  { what: 'the root', query: '{ books { id } ... @defer(label: "root") { book(id: "1") { title } pages { text } } }', parts: 1 },
  { what: 'everything', query: '{ ... @defer { books { id reviews { text } } } }' },
  {
    what: 'nested parts',
    query:
      '{ books { id ... @defer(label: "outer") { title reviews { text ... @defer(label: "inner") { likes by { name reviewCount } } } } } }',
  },
  {
    what: 'an object without a key',
    query: '{ book(id: "1") { id cover { color ... @defer { size } } pages { number ... @defer { text } } } }',
  },
  {
    what: 'a type of an interface',
    query: '{ items { id ... on Film @defer { minutes stars } ... on Book { title ... @defer { reviews { text } } } } }',
  },
  {
    what: 'type names',
    query: '{ __typename book(id: "1") { __typename ... @defer { __typename reviews { __typename text } } } }',
  },
  {
    what: 'aliases that plans need themselves',
    query: '{ it: book(id: "1") { id: title ... @defer { __proto__: reviews { constructor: text } representations: title } } }',
  },
  { what: 'fields in both parts', query: '{ book(id: "1") { title author { id } ... @defer { title author { id name } } } }' },
  {
    what: 'conditions inside',
    query:
      'query ($yes: Boolean!, $no: Boolean!) { book(id: "1") { id ... @defer { title @skip(if: $yes) reviews @include(if: $yes) { text likes @include(if: $no) } } } }',
    variables: { yes: true, no: false },
  },
  {
    what: 'a variable that defers',
    query: 'query ($on: Boolean!) { book(id: "1") { id ... @defer(if: $on) { reviews { text } } } }',
    variables: { on: true },
    parts: 1,
  },
  {
    what: 'a default that defers',
    query: 'query ($on: Boolean = true) { book(id: "1") { id ... @defer(if: $on) { reviews { text } } } }',
    parts: 1,
  },
  {
    what: 'one of two',
    query:
      'query ($on: Boolean = false) { book(id: "1") { id ... @defer(if: $on) { title } ... @defer(if: true) { reviews { text } } } }',
    parts: 1,
  },
  { what: 'a mutation', query: 'mutation { borrow(id: "1") { title ... @defer { reviews { text } } } }', parts: 1 },
  { what: 'null', query: '{ books { id ... @defer { reviews { by { name ... @defer { reviewCount } } } } } }' },
]

describe.each(['local', 'http'] as const)('%s', (where) => {
  let graph: PartsGateway
  let close = async () => {}
  beforeAll(async () => {
    graph = await gatewayOf(library(), where, {}, (closing) => {
      close = closing
    })
  })
  afterAll(() => close())

  test.each(CASES)('deferred parts of $what make the complete result', async ({ query, variables = {}, parts }) => {
    const complete = await ask(graph.gateway, query, variables)
    const { initial, payloads, merged, errors } = await askDeferred(graph.gateway, query, variables)
    expect([complete.errors, errors]).toEqual([undefined, []])
    expect(merged).toEqual(complete.data)
    expect(initial.data).not.toEqual(complete.data)
    expect(payloads?.map(({ hasNext }) => hasNext)).toEqual(payloads?.map((_, index) => index < payloads.length - 1))
    if (parts !== undefined) expect(payloads?.flatMap(({ incremental = [] }) => incremental)).toHaveLength(parts)
  })

  test('payloads have labels and paths, the outer part before the inner', async () => {
    const query = '{ books { id ... @defer(label: "outer") { title reviews { ... @defer(label: "inner") { likes } } } } }'
    const { payloads } = await askDeferred(graph.gateway, query)
    const parts = payloads?.flatMap(({ incremental = [] }) => incremental) ?? []
    expect(parts.map(({ label, path }) => `${label} ${path.join('.')}`)).toEqual([
      ...[0, 1, 2].map((book) => `outer books.${book}`),
      ...[0, 1, 2].flatMap((book) => [0, 1].map((review) => `inner books.${book}.reviews.${review}`)),
    ])
    expect(parts[0]?.data).toEqual({ title: 'title 1', reviews: [{}, {}] })
  })

  test.each([
    { if: 'false', query: '{ book(id: "1") { title ... @defer(if: false) { reviews { text } } } }', variables: {} },
    {
      if: '$off',
      query: 'query ($off: Boolean!) { book(id: "1") { title ... @defer(if: $off) { reviews { text } } } }',
      variables: { off: false },
    },
  ])('if: $if defers nothing', async ({ query, variables }) => {
    const { initial, payloads } = await askDeferred(graph.gateway, query, variables)
    expect(payloads).toBeNull()
    expect(initial).toEqual({ data: { book: { title: 'title 1', reviews: [{ text: 'text 1a' }, { text: 'text 1b' }] } } })
  })

  test('errors of a part are in that part, with paths from the root; a part that must not be null is null', async () => {
    const { initial, payloads } = await askDeferred(graph.gateway, '{ books { id ... @defer { score } } }')
    expect(initial).toEqual({ data: { books: [{ id: '1' }, { id: '2' }, { id: '3' }] } })
    expect(payloads).toMatchObject([
      {
        incremental: [
          { data: { score: 1 }, path: ['books', 0] },
          { data: null, path: ['books', 1], errors: [{ path: ['books', 1, 'score'] }] },
          { data: { score: 3 }, path: ['books', 2] },
        ],
        hasNext: false,
      },
    ])
    expect(payloads?.[0]?.incremental?.filter(({ errors }) => errors)).toHaveLength(1)
  })

  test('a part at an object that the part around it lacks is not delivered', async () => {
    const query = '{ book(id: "1") { id cover { broken ... @defer { size } } } }'
    const { initial, payloads } = await askDeferred(graph.gateway, query)
    expect(initial).toMatchObject({ data: { book: { id: '1', cover: null } }, errors: [{ path: ['book', 'cover', 'broken'] }] })
    expect(payloads).toEqual([{ hasNext: false }])
  })

  test('nor at one that became null because of another subgraph', async () => {
    const query = '{ book(id: "2") { id score ... @defer { author { name } } } }'
    const { initial, payloads } = await askDeferred(graph.gateway, query)
    expect(initial).toMatchObject({ data: { book: null }, errors: [{ path: ['book', 'score'] }] })
    expect(payloads).toEqual([{ hasNext: false }])
  })

  test.each([
    [
      'twice the label "a"',
      '{ book(id: "1") { ... @defer(label: "a") { id } ... @defer(label: "a") { title } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a label in a variable',
      'query ($l: String) { book(id: "1") { ... @defer(label: $l) { id } } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['a deferred root field of a mutation', 'mutation { ... @defer { borrow(id: "1") { id } } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a deferred subscription', 'subscription { borrowed { ... @defer { id } } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      '21 of them',
      `{ ${Array.from({ length: 21 }, (_, at) => `b${at}: book(id: "1") { ...F @defer }`).join(' ')} } fragment F on Book { id }`,
      'OPERATION_TOO_LARGE',
    ],
    ['@stream', '{ books @stream(initialCount: 1) { id } }', 'STREAM_NOT_SUPPORTED'],
  ])('%s is refused', async (_, query, code) => {
    const { initial } = await askDeferred(graph.gateway, query)
    expect(initial).toMatchObject({ errors: [{ extensions: { code } }] })
    expect(initial.data).toBeUndefined()
  })

  test('null as the condition is refused as bad input', async () => {
    const query = 'query ($on: Boolean = true) { book(id: "1") { id ... @defer(if: $on) { title } } }'
    const { initial, payloads } = await askDeferred(graph.gateway, query, { on: null })
    expect([initial.errors?.[0]?.extensions?.code, payloads]).toEqual(['BAD_USER_INPUT', null])
  })
})

test('the initial result does not wait for a deferred part', async () => {
  const gate = Promise.withResolvers<void>()
  const { gateway } = await gatewayOf(library({ opened: gate.promise }), 'http')
  const prepared = gateway.prepareText('{ book(id: "1") { title ... @defer { reviews { text } } } }', undefined)
  if (prepared.kind === 'rejected' || !prepared.runIncremental) throw new Error('Expected an operation with @defer.')
  const { initial, rest } = await prepared.runIncremental({}, requestContext())
  expect(initial).toEqual({ data: { book: { title: 'title 1' } } })
  gate.resolve()
  expect(await rest?.next()).toMatchObject({ incremental: [{ path: ['book'] }], hasNext: false })
  expect(await rest?.next()).toBeNull()
})

test('a client that leaves ends the fetches of deferred parts', async () => {
  const { gateway, remotes } = await gatewayOf(library({ opened: new Promise(() => {}) }), 'http')
  const prepared = gateway.prepareText('{ book(id: "1") { title ... @defer { reviews { text } } } }', undefined)
  if (prepared.kind === 'rejected' || !prepared.runIncremental) throw new Error('Expected an operation with @defer.')
  const client = new AbortController()
  const { rest } = await prepared.runIncremental({}, { ...requestContext(), signal: client.signal })
  const { reviews } = remotes
  const closed = new Promise((resolve) => reviews?.server.on('connection', (socket) => socket.on('close', resolve)))
  client.abort(new Error('gone'))
  await closed
  while (await rest?.next());
})

test('an unavailable subgraph nulls its own deferred parts with an error', async () => {
  const { gateway, remotes } = await gatewayOf(library(), 'http')
  remotes.reviews?.server.close().closeAllConnections()
  const query =
    '{ book(id: "1") { title ... @defer(label: "a") { reviews { text } } ... @defer(label: "b") { author { name } } } }'
  const { initial, payloads } = await askDeferred(gateway, query)
  expect(initial).toEqual({ data: { book: { title: 'title 1' } } })
  const parts = payloads?.flatMap(({ incremental = [] }) => incremental) ?? []
  expect(parts.find(({ label }) => label === 'a')).toMatchObject({
    data: null,
    errors: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }],
  })
  expect(parts.find(({ label }) => label === 'b')).toEqual({
    label: 'b',
    path: ['book'],
    data: { author: { name: 'author a1' } },
  })
})

test('a graph that is replaced serves its deferred parts before it is released', async () => {
  const gate = Promise.withResolvers<void>()
  const [old, next] = [await gatewayOf(library({ opened: gate.promise }), 'local'), await gatewayOf(library(), 'local')]
  const released: string[] = []
  const graphOf = (name: string, { gateway }: PartsGateway) => ({ gateway, release: async () => void released.push(name) })
  const gateway = hotSwappableGateway(graphOf('old', old), recordingLog().log)
  const prepared = gateway.prepareText('{ book(id: "1") { title ... @defer { reviews { text } } } }', undefined)
  if (prepared.kind === 'rejected' || !prepared.runIncremental) throw new Error('Expected an operation with @defer.')
  const { rest } = await prepared.runIncremental({}, requestContext())
  gateway.swap(graphOf('next', next))
  // A release takes a few turns.
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
  expect(released).toEqual([])
  gate.resolve()
  expect(await rest?.next()).toMatchObject({ incremental: [{ path: ['book'] }], hasNext: false })
  expect(await rest?.next()).toBeNull()
  await expect.poll(() => released).toEqual(['old'])
  const { initial } = await prepared.runIncremental({}, requestContext())
  expect(initial).toEqual({ data: { book: { title: 'title 1' } } })
})

describe('a deferred part that requires a signed-in caller', () => {
  const QUERY = '{ book(id: "1") { title ... @defer { secret reviews { id } } } }'
  const reviews = [{ id: '1a' }, { id: '1b' }]

  test('is null with an error in the complete result for others', async () => {
    const { gateway, fetches } = await gatewayOf(library(), 'local')
    const { initial, payloads } = await askDeferred(gateway, QUERY)
    expect(payloads).toBeNull()
    expect(initial).toMatchObject({
      data: { book: { title: 'title 1', secret: null, reviews } },
      errors: [{ path: ['book', 'secret'], extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }],
    })
    expect(fetches).toEqual(['books', 'reviews'])
  })

  test('is delivered to signed-in callers', async () => {
    const grants = async () => ({ isAuthenticated: true, scopes: new Set<string>(), policies: new Set<string>() })
    const { gateway } = await gatewayOf(library(), 'local', { grantsOver: () => grants as never })
    const { initial, payloads } = await askDeferred(gateway, QUERY)
    expect(initial).toEqual({ data: { book: { title: 'title 1' } } })
    expect(payloads).toMatchObject([{ incremental: [{ data: { secret: 'secret 1', reviews } }] }])
  })
})
