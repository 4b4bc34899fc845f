import { createHash } from 'node:crypto'
import { parse } from 'graphql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readCacheHints } from '../../../gateway/caching/cache-hints.ts'
import { cachePolicyOf } from '../../../gateway/caching/policy.ts'
import { responseCache } from '../../../gateway/caching/response-cache.ts'
import { memoryBudget } from '../../../gateway/limits/budget.ts'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { BOUNDS, DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { validateOperation } from '../../../gateway/operations/document-cache.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'
import { type Library, librarySupergraph, openLibrary } from '../support/book-graph.ts'
import { ask, requestContext } from '../support/graph.ts'

describe('how long a response may be cached', () => {
  const supergraph = parse(librarySupergraph())
  const { api } = readSupergraph(supergraph)
  const hints = readCacheHints(supergraph)
  const policy = (text: string) => {
    const result = validateOperation(text, undefined, {
      schema: api,
      weights: readCostWeights(supergraph),
      limits: DEFAULT_LIMITS,
      introspection: true,
    })
    if (result.kind === 'rejected') throw new Error(JSON.stringify(result.errors))
    return cachePolicyOf(result.validated, api, hints)
  }
  const [forAll, forOne] = [(maxAge: number) => ({ maxAge, isPrivate: false }), (maxAge: number) => ({ maxAge, isPrivate: true })]

  test.each<{ why: string; text: string; is: ReturnType<typeof policy> }>([
    { why: 'the hint of its type', text: '{ book(id: 1) { name } }', is: forAll(60) },
    { why: 'the shortest of all fields', text: '{ book(id: 1) { name rating } motto }', is: forAll(10) },
    { why: 'a scalar of the root has its own hint', text: '{ motto }', is: forAll(300) },
    { why: 'or none', text: '{ count }', is: null },
    { why: 'one without an age spoils all', text: '{ motto count }', is: null },
    { why: 'an object without a hint has none', text: '{ book(id: 1) { pages { count } } }', is: null },
    { why: 'an object that inherits is as old as its parent', text: '{ book(id: 1) { author { name } } }', is: forAll(60) },
    {
      why: 'a field can inherit for a type without a hint',
      text: '{ book(id: 1) { author { shelf { label } } } }',
      is: forAll(60),
    },
    { why: 'a field of the root that only inherits has nothing to inherit', text: '{ shelf { label } }', is: null },
    { why: 'one private field makes all private', text: '{ motto mine }', is: forOne(60) },
    { why: 'an interface counts for what it may be', text: '{ media { id } }', is: forAll(30) },
    { why: 'also through a fragment', text: '{ media { ... on Book { brief } } }', is: forAll(20) },
    { why: 'also through a named one', text: '{ media { ...F } } fragment F on Film { name }', is: forAll(30) },
    { why: 'a union may be private', text: '{ mixed { __typename } }', is: forOne(40) },
    { why: 'a field may be skipped, but not always', text: 'query ($s: Boolean!) { motto count @skip(if: $s) }', is: null },
    { why: '__typename does not matter', text: '{ __typename motto }', is: forAll(300) },
    { why: 'introspection is not kept', text: '{ motto __schema { queryType { name } } }', is: null },
    { why: 'neither alone', text: '{ __typename }', is: null },
    { why: 'a mutation is not kept', text: 'mutation { rename(id: 1, name: "x") { name } }', is: null },
  ])('$text: $why', ({ text, is }) => expect(policy(text)).toEqual(is))

  test('abstract types within each other take no time of their own', () => {
    const deep = `{ media { ${'related { '.repeat(40)} name ${'}'.repeat(40)} } }`
    expect(cachePolicyOf(checked(deep), api, hints)).toEqual(forAll(30))
  })

  function checked(text: string) {
    const result = validateOperation(text, undefined, {
      schema: api,
      weights: readCostWeights(supergraph),
      limits: { depth: 0, cost: 0 },
      introspection: true,
    })
    if (result.kind === 'rejected') throw new Error(JSON.stringify(result.errors))
    return result.validated
  }
})

let library: Library
beforeEach(async () => {
  library = await openLibrary()
})
afterEach(() => library.app.close())

const get = (query: string, headers: Record<string, string> = {}, variables?: object) =>
  getBy({ query, ...(variables && { variables: JSON.stringify(variables) }) }, headers)
const getBy = async (parameters: Record<string, string>, headers: Record<string, string> = {}) => {
  const search = new URLSearchParams(parameters)
  const answer = await fetch(`${library.base}/graphql?${search}`, { headers: { 'apollo-require-preflight': '1', ...headers } })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const post = (query: string, variables?: object, headers: Record<string, string> = {}) => postBody({ query, variables }, headers)
const postBody = async (body: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${library.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const A = '{ book(id: "a") { name } }'
const B = '{ book(id: "b") { name } }'
const NAMED = (name: string) => JSON.stringify({ data: { book: { name } } })

describe('Cache-Control', () => {
  test('Cache-Control of a GET follows the hints, and Vary names the headers that the answer depends on', async () => {
    const { status, headers, text } = await get(A)
    expect([status, text]).toEqual([200, NAMED('Atlas')])
    expect(headers.get('cache-control')).toBe('max-age=60, public')
    expect(headers.get('vary')).toBe(
      'Accept, Accept-Encoding, graphql-cost, authorization, x-api-key, x-login-key, x-auth-token, x-store-code',
    )
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test.each([
    ['a credential', A, { authorization: 'Bearer x' }, 'max-age=60, private'],
    ['another credential', A, { 'x-api-key': 'x' }, 'max-age=60, private'],
    ['a private field', '{ mine }', {}, 'max-age=60, private'],
    ['a field that depends on who asks', '{ seen { name } }', {}, 'max-age=60, private'],
    ['a field without a hint', '{ count }', {}, 'no-store'],
    ['an error', '{ broken { name } }', {}, 'no-store'],
    ['an error beside data', '{ half { label } motto }', {}, 'no-store'],
    ['a refusal', '{ nope }', {}, 'no-store'],
  ])('with %s: %s', async (_, query, headers, says) => {
    expect((await get(query, headers as never)).headers.get('cache-control')).toBe(says)
  })

  test('POST is answered with no-store, also from the cache', async () => {
    for (const { headers, text } of [await post(A), await post(A)]) {
      expect([headers.get('cache-control'), headers.get('etag'), text]).toEqual(['no-store', null, NAMED('Atlas')])
    }
    expect(library.fetchCounts.book).toBe(1)
  })
})

describe('ETag', () => {
  test('a matching If-None-Match gets 304 without a body', async () => {
    const tag = (await get(A)).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const { status, text, headers } = await get(A, { 'if-none-match': given })
      expect([status, text, headers.get('etag'), headers.get('cache-control')]).toEqual([304, '', tag, 'max-age=60, public'])
    }
    expect((await get(A, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('another answer, another coding and another media type have another tag', async () => {
    const tags = [
      await get(A, { 'accept-encoding': 'identity' }),
      await get(B, { 'accept-encoding': 'identity' }),
      await get(B, { 'accept-encoding': 'gzip' }),
      await get(B, { 'accept-encoding': 'br' }),
      await get(A, { accept: 'application/graphql-response+json' }),
    ].map(({ headers }) => headers.get('etag'))
    expect(new Set(tags).size).toBe(5)
  })

  test('compressed answers unfold to the same bytes, the first time and from the cache', async () => {
    const plain = (await get(B, { 'accept-encoding': 'identity' })).text
    for (const coding of ['gzip', 'br', 'gzip', 'br']) {
      const { headers, text } = await get(B, { 'accept-encoding': coding })
      expect([headers.get('content-encoding'), text]).toEqual([coding, plain])
    }
    expect(library.fetchCounts.book).toBe(1)
  })

  test('HEAD has the headers of GET and no bytes', async () => {
    const answer = await fetch(`${library.base}/graphql?${new URLSearchParams({ query: A })}`, {
      method: 'HEAD',
      headers: { 'apollo-require-preflight': '1' },
    })
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([
      200,
      (await get(A)).headers.get('etag'),
      '',
    ])
  })
})

describe('answers are kept', () => {
  test('for the same operation, however it is formatted', async () => {
    const text = 'query ($named: Names) { books(named: $named) { id } }'
    await get(text, {}, { named: { any: ['x'], not: 'y' } })
    await get('query($named: Names)  {books(named:$named){id}}', {}, { named: { not: 'y', any: ['x'] }, other: 1 })
    expect(library.fetchCounts).toEqual({ 'books {"named":{"any":["x"],"not":"y"}}': 1 })
  })

  test.each([
    [{ named: { any: ['x', 'y'] } }, { named: { any: ['y', 'x'] } }],
    [{ named: null }, {}],
    [{ named: { not: null } }, { named: {} }],
    [{ named: { any: ['1'] } }, { named: { any: ['1', '1'] } }],
  ])('%j and %j are two questions', async (one, other) => {
    const text = 'query ($named: Names) { books(named: $named) { id } }'
    await get(text, {}, one)
    await get(text, {}, other)
    expect(Object.values(library.fetchCounts)).toEqual([1, 1])
  })

  test('is separate for every caller with credentials, and absent where the viewer is unknown', async () => {
    const mine = async (authorization?: string) => (await get('{ mine }', authorization ? { authorization } : {})).text
    expect([await mine('one'), await mine('two'), await mine('one')]).toEqual(
      ['one', 'two', 'one'].map((name) => JSON.stringify({ data: { mine: name } })),
    )
    expect(library.fetchCounts.mine).toBe(2)
    await mine()
    await mine()
    expect(library.fetchCounts.mine).toBe(4)
    await get(A)
    await get(A, { authorization: 'one' })
    expect(library.fetchCounts.book).toBe(2)
  })

  test('but not with errors', async () => {
    await get('{ broken { name } }')
    expect((await get('{ broken { name } }')).text).toContain('"errors"')
    expect(library.gateway.cache.entries()).toBe(0)
  })

  test('identical queries in flight run once, and a client that disconnects cancels no other', async () => {
    const leaving = new AbortController()
    const left = new Promise((resolve) => library.app.server.once('connection', (socket) => socket.once('close', resolve)))
    const init = { signal: leaving.signal, headers: { 'apollo-require-preflight': '1' } }
    const gone = fetch(`${library.base}/graphql?${new URLSearchParams({ query: '{ later { name } }' })}`, init).catch(
      () => 'gone',
    )
    while (library.waiting() === 0) await new Promise(setImmediate)
    const others = [get('{ later { name } }'), get('{ later { name } }')]
    while (!(await library.metrics.text()).includes('atrium_plan_cache_lookups_total{outcome="hit"} 2'))
      await new Promise(setImmediate)
    leaving.abort()
    expect(await gone).toBe('gone')
    await left
    library.release()
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(Array(2).fill('{"data":{"later":{"name":"Atlas"}}}'))
    expect(library.fetchCounts.later).toBe(1)
  })

  test('and counted', async () => {
    await get(A)
    await get(A)
    const text = await library.metrics.text()
    expect(text).toContain('atrium_response_cache_questions_total{outcome="hit"} 1')
    expect(text).toContain('atrium_response_cache_questions_total{outcome="miss"} 1')
    expect(text).toContain('atrium_operations_total{operation="other",kind="query",outcome="ok"} 2')
  })

  test('none, when the cache is off; the headers stay', async () => {
    await library.app.close()
    library = await openLibrary({ bytes: 0 })
    const [one, other] = [await get(A), await get(A)]
    expect([library.fetchCounts.book, other.headers.get('etag')]).toEqual([2, one.headers.get('etag')])
    expect(other.headers.get('cache-control')).toBe('max-age=60, public')
  })
})

describe('no cached response is served that a mutation may have changed', () => {
  const names = async () => [(await get(A)).text, (await post(B)).text]

  test('the entities of its answer', async () => {
    await names()
    await post('mutation { rename(id: "a", name: "New") { id } }')
    expect(await names()).toContain(NAMED('New'))
  })

  test('the entities that it deletes without naming them', async () => {
    await names()
    await post('mutation { remove(id: "a") }')
    expect((await get(A)).text).toBe('{"data":{"book":null}}')
  })

  test('what another subgraph says about the same type', async () => {
    await get('{ best { rating } }')
    await post('mutation { remove(id: "b") }')
    await get('{ best { rating } }')
    expect(library.fetchCounts.best).toBe(1)
    await post('mutation { rename(id: "a", name: "New") { id } }')
    await get('{ best { rating } }')
    expect(library.fetchCounts.best).toBe(2)
  })

  test('what was read before it and answered after it', async () => {
    const old = get('{ later { name } }')
    while (library.waiting() === 0) await new Promise(setImmediate)
    await post('mutation { rename(id: "a", name: "New") { id } }')
    // Must not wait for the answer that was begun before.
    const fresh = get('{ later { name } }')
    while (library.waiting() < 2) await new Promise(setImmediate)
    library.release()
    expect((await old).text).toContain('Atlas')
    expect((await fresh).text).toContain('New')
    expect((await get('{ later { name } }')).text).toContain('New')
  })

  test('what one changes whose client is gone', async () => {
    await get(A)
    const leaving = new AbortController()
    const mutation = fetch(`${library.base}/graphql`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation Slow { slowly(id: "a", name: "New") }' }),
    }).catch(() => {})
    while (library.waiting() === 0) await new Promise(setImmediate)
    leaving.abort()
    await mutation
    expect((await get(A)).text).toBe(NAMED('Atlas'))
    library.release()
    await expect.poll(() => library.metrics.text()).toContain('operation="Slow",kind="mutation",outcome="ok"} 1')
    expect((await get(A)).text).toBe(NAMED('New'))
  })

  test('what one may change that was given up', async () => {
    await get(A)
    const prepared = library.gateway.prepareText('mutation { slowly(id: "a", name: "New") }', undefined)
    if (prepared.kind === 'rejected') throw new Error('Expected it to be admitted.')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const given = prepared.run({}, requestContext())
      while (library.waiting() === 0) await new Promise(setImmediate)
      vi.advanceTimersByTime(BOUNDS.operationTimeoutMs)
      expect((await given).errors?.[0]?.extensions?.code).toBe('TIMEOUT')
    } finally {
      vi.useRealTimers()
    }
    expect((await get(A)).text).toBe(NAMED('Atlas'))
    library.release()
    await new Promise(setImmediate)
    expect((await get(A)).text).toBe(NAMED('New'))
  })

  test('also when the mutation arrives through a facade or over another transport', async () => {
    await names()
    // Doors other than HTTP take the same way from here.
    await ask(library.gateway, 'mutation { rename(id: "a", name: "Other") { id } }')
    expect((await get(A)).text).toBe(NAMED('Other'))

    const { parse } = await import('graphql')
    const own = parse('mutation Own { remove(id: "a") }') as never
    await library.gateway.client.prepare(own)
    await library.gateway.client.run(own, {}, requestContext().caller, requestContext().signal)
    expect((await get(A)).text).toBe('{"data":{"book":null}}')
  })
})

describe('no cached response is served that a subgraph says has changed', () => {
  const BEST = '{ best { rating } }'
  test.each([
    ['a type, wherever it is from', 'ratings', ['Book'], { book: 2, best: 2, motto: 1 }],
    ['an interface of that type', 'books', ['Medium'], { book: 2, best: 2, motto: 1 }],
    ['another type', 'books', ['Film'], { book: 1, best: 1, motto: 1 }],
    ['everything, of its own', 'books', null, { book: 2, best: 1, motto: 2 }],
    ['a type that nobody knows', 'books', ['Nope'], { book: 1, best: 1, motto: 1 }],
  ] as const)('%s', async (_, from, types, requestCount) => {
    for (const query of [A, BEST, '{ motto }']) await get(query)
    library.changed[from](types)
    for (const query of [A, BEST, '{ motto }']) await get(query)
    expect(library.fetchCounts).toMatchObject(requestCount)
  })

  test('a closed gateway listens no more', async () => {
    await get(A)
    await library.gateway.close()
    library.changed.books(null)
    await get(A)
    expect(library.fetchCounts.book).toBe(1)
  })
})

describe('documents that are named instead of sent', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const persistedQuery = { version: 1, sha256Hash: sha256(A) }
  const byHash = (headers?: Record<string, string>) => getBy({ extensions: JSON.stringify({ persistedQuery }) }, headers)

  test('GET by hash is cacheable, has an ETag, and shares the answer of the full text', async () => {
    const unknown = await byHash()
    expect([unknown.status, unknown.headers.get('cache-control'), unknown.headers.get('etag')]).toEqual([200, 'no-store', null])
    expect(unknown.text).toContain('PERSISTED_QUERY_NOT_FOUND')
    await postBody({ query: A, extensions: { persistedQuery } })

    const { status, headers, text } = await byHash()
    expect([status, text, headers.get('cache-control')]).toEqual([200, NAMED('Atlas'), 'max-age=60, public'])
    const tag = headers.get('etag') ?? ''
    expect(tag).toBe((await get(A)).headers.get('etag'))
    const again = await byHash({ 'if-none-match': tag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    expect(library.fetchCounts.book).toBe(1)

    await post('mutation { rename(id: "a", name: "New") { id } }')
    const { status: changed, text: fresh } = await byHash({ 'if-none-match': tag })
    expect([changed, fresh]).toEqual([200, NAMED('New')])
  })

  test('GET by the id of a trusted document is cacheable, also where only these are allowed', async () => {
    await library.app.close()
    library = await openLibrary({ persisted: { isOnly: true, documents: [{ id: 'a-book', text: A, operations: [undefined] }] } })
    const { headers, text } = await getBy({ documentId: 'a-book' })
    expect([text, headers.get('cache-control')]).toEqual([NAMED('Atlas'), 'max-age=60, public'])
    const again = await getBy({ documentId: 'a-book' }, { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, library.fetchCounts.book]).toEqual([304, 1])
    const refused = await get(A)
    expect([refused.headers.get('cache-control'), refused.text]).toEqual([
      'no-store',
      expect.stringContaining('PERSISTED_QUERY_ONLY'),
    ])
  })

  test('a batch is not served from the cache, and its mutations invalidate', async () => {
    await library.app.close()
    library = await openLibrary({ batchLimit: 3 })
    await get(A)
    const list = [{ query: A }, { query: 'mutation { rename(id: "a", name: "New") { id } }' }, { query: A }]
    const { headers, text } = await postBody(list)
    expect(JSON.parse(text)).toEqual([JSON.parse(NAMED('Atlas')), { data: { rename: { id: 'a' } } }, JSON.parse(NAMED('New'))])
    expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null])
    expect((await get(A)).text).toBe(NAMED('New'))
  })
})

describe('limits', () => {
  const withBudget = async (perMinute: number) => {
    await library.app.close()
    library = await openLibrary({ budget: memoryBudget(perMinute, () => new Date(0)) })
  }

  test('a cached answer costs as much as a computed one', async () => {
    await withBudget(7)
    const answers = [await get(A), await get(A), await get(A)]
    expect(answers.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
      [200, 'max-age=60, public'],
      [200, 'max-age=60, public'],
      [429, 'no-store'],
    ])
    expect([library.fetchCounts.book, answers[2]?.headers.get('retry-after')]).toEqual([1, '18'])
  })

  test('a request for the cost gets it, in an answer that is not cacheable', async () => {
    await withBudget(100)
    const tag = (await get(A)).headers.get('etag') ?? ''
    const { status, headers, text } = await get(A, { 'graphql-cost': 'report', 'if-none-match': tag })
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([200, 'no-store', null])
    expect(JSON.parse(text)).toEqual({
      ...JSON.parse(NAMED('Atlas')),
      extensions: { cost: { requested: 3, actual: 3, limit: 100, budget: { remaining: 94, resetSeconds: 4 } } },
    })
    expect(JSON.parse((await postBody({ query: A, extensions: { cost: true } })).text).extensions.cost.budget.remaining).toBe(91)
    expect(JSON.parse((await get(A)).text)).toEqual(JSON.parse(NAMED('Atlas')))
    expect((await get(A)).headers.get('vary')).toContain('graphql-cost')
  })
})

describe('the cache', () => {
  const aQuestion = (key: string, maxAge = 60) => ({ key, maxAge, dependencies: new Set(['type Book']) })
  const answering = (text: string) => async () => ({ data: { text } })

  test('serves an answer until its max-age, with its Age', async () => {
    let now = 0
    const cache = responseCache({ maxBytes: 1_000_000, now: () => now })
    const ages = []
    for (const at of [0, 1_999, 59_999, 60_000]) {
      now = at
      const cached = await cache.getOrExecute(aQuestion('k'), requestContext(), answering(`asked at ${at}`))
      ages.push('bytes' in cached && [cached.ageSeconds, String((await cached.bytes.encoded(null)).bytes)])
    }
    const first = '{"data":{"text":"asked at 0"}}'
    expect(ages).toEqual([
      [0, first],
      [1, first],
      [59, first],
      [0, '{"data":{"text":"asked at 60000"}}'],
    ])
  })

  test('the age counts from the start of the execution, not from its end', async () => {
    let now = 0
    const cache = responseCache({ maxBytes: 1_000_000, now: () => now })
    await cache.getOrExecute(aQuestion('k'), requestContext(), async () => {
      now = 50_000
      return { data: {} }
    })
    now = 60_000
    let isRequestedAgain = false
    await cache.getOrExecute(aQuestion('k'), requestContext(), async () => {
      isRequestedAgain = true
      return { data: {} }
    })
    expect(isRequestedAgain).toBe(true)
  })

  test('is bounded over all encodings, and evicts the least recently used', async () => {
    const cache = responseCache({ maxBytes: 20_000 })
    const answerFor = (key: string) => cache.getOrExecute(aQuestion(key), requestContext(), answering(`${key} `.repeat(1_000)))
    for (const key of ['aa', 'bb', 'cc', 'dd']) await answerFor(key)
    expect(cache.entries()).toBe(4)
    await answerFor('aa')
    await answerFor('ee')
    await answerFor('ff')
    expect(cache.bytes()).toBeLessThanOrEqual(20_000)
    const known: string[] = []
    for (const key of ['aa', 'ff']) {
      await cache.getOrExecute(aQuestion(key), requestContext(), async () => {
        known.push(key)
        return { data: {} }
      })
    }
    expect(known).toEqual([])

    const before = cache.bytes()
    const cached = await answerFor('ff')
    if ('bytes' in cached) await cached.bytes.encoded('gzip')
    expect(cache.bytes()).toBeGreaterThan(before)
    await cache.getOrExecute(aQuestion('huge'), requestContext(), answering('x'.repeat(30_000)))
    expect(cache.bytes()).toBeLessThanOrEqual(20_000)
  })
})
