import { describe, expect, test } from 'vitest'
import { entityMemoryStore } from '../../../gateway/caching/entity-memory-store.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { entityGraph, SUPERGRAPH } from '../support/entity-graph.ts'

const MEMORY = { maxBytes: 10_000_000 }
const TTL = { ...MEMORY, subgraphs: { details: { ttlSeconds: 60 } } }
const PUBLIC = { ...MEMORY, subgraphs: { details: { types: { Item: { ttlSeconds: 60, scope: 'PUBLIC' as const } } } } }

describe('what is fetched', () => {
  test('an entity is fetched once, and of several only those that are not cached', async () => {
    const { details, names } = await entityGraph({ entityCache: TTL })
    for (const id of ['a', 'b', 'c']) details.names.set(id, `Name ${id}`)
    expect(await names(['a', 'b'])).toEqual(['Name a', 'Name b'])
    expect(await names(['c', 'a', 'b', 'c'])).toEqual(['Name c', 'Name a', 'Name b', 'Name c'])
    expect(await names(['b', 'c'])).toEqual(['Name b', 'Name c'])
    expect(details.requestedIds).toEqual([['a', 'b'], ['c']])
  })

  test('without the option every entity is fetched each time', async () => {
    const { details, names } = await entityGraph({})
    details.headers = { 'cache-control': 'max-age=60, public' }
    await names(['a'])
    await names(['a'])
    expect(details.requestedIds).toEqual([['a'], ['a']])
  })

  test('equal fetches at the same time are one, and a part of another one waits for it', async () => {
    const { details, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A').set('b', 'B')
    const gate = Promise.withResolvers<void>()
    details.gate = gate.promise
    const running = [names(['a']), names(['a'])]
    await expect.poll(() => details.requestedIds.length).toBe(1)
    running.push(names(['a', 'b']))
    await expect.poll(() => details.requestedIds.length).toBe(2)
    gate.resolve()
    expect(await Promise.all(running)).toEqual([['A'], ['A'], ['A', 'B']])
    expect(details.requestedIds).toEqual([['a'], ['b']])
  })

  test('a request that waits for a shared fetch sends its own when that fails', async () => {
    const { details, items, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A')
    const gate = Promise.withResolvers<void>()
    details.gate = gate.promise
    const left = new AbortController()
    const first = items(['a'], 'name', undefined, { signal: left.signal })
    await expect.poll(() => details.requestedIds.length).toBe(1)
    const second = names(['a'])
    left.abort()
    expect((await first).errors?.[0]?.extensions?.code).toBe('TIMEOUT')
    gate.resolve()
    expect(await second).toEqual(['A'])
  })

  test('other arguments and other fields are other entries', async () => {
    const { details, items } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A')
    const text = async (fields: string) => ((await items(['a'], fields)).data as { items: [{ text: string }] }).items[0].text
    expect([await text('text(size: 1)'), await text('text(size: 2)'), await text('text')]).toEqual(['A:x', 'A:xx', 'A:'])
    expect(await text('text(size: 2)')).toBe('A:xx')
    expect(details.requestedIds).toHaveLength(3)
  })

  test('a mutation reads what is there now', async () => {
    const { gateway, details, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'Old')
    await names(['a'])
    details.names.set('a', 'New')
    const { data } = await gateway.execute({ query: 'mutation { touch(id: "a") { name } }' })
    expect(data).toEqual({ touch: { name: 'New' } })
    expect(await names(['a'])).toEqual(['Old'])
  })
})

describe('how long', () => {
  test.each<{ why: string; headers?: Record<string, string>; entityCache?: object; fields?: string; isCached: boolean }>([
    { why: 'nobody says anything', isCached: false },
    { why: 'the setting of the subgraph', entityCache: TTL, isCached: true },
    { why: 'the response says max-age', headers: { 'cache-control': 'max-age=60' }, isCached: true },
    { why: 'the response says s-maxage', headers: { 'cache-control': 'max-age=0, s-maxage="60"' }, isCached: true },
    { why: 'the response says no-store', headers: { 'cache-control': 'no-store' }, entityCache: TTL, isCached: false },
    { why: 'the response says max-age=0', headers: { 'cache-control': 'max-age=0' }, entityCache: TTL, isCached: false },
    { why: 'an age that is none', headers: { 'cache-control': 'max-age=1e9' }, entityCache: TTL, isCached: false },
    { why: 'the response is as old as it may be', headers: { 'cache-control': 'max-age=60', age: '60' }, isCached: false },
    { why: 'the response varies by everything', headers: { 'cache-control': 'max-age=60', vary: '*' }, isCached: false },
    {
      why: 'the response varies by what the key does not hold',
      headers: { 'cache-control': 'max-age=60', vary: 'Accept, X-Forwarded-For' },
      isCached: false,
    },
    {
      why: 'the response varies by what is the same for all',
      headers: { 'cache-control': 'max-age=60', vary: 'Accept-Encoding' },
      isCached: true,
    },
    {
      why: 'the setting of the type is the most',
      headers: { 'cache-control': 'max-age=60' },
      entityCache: { ...MEMORY, subgraphs: { details: { types: { Item: { ttlSeconds: 0 } } } } },
      isCached: false,
    },
  ])('$why: $isCached', async ({ headers = {}, entityCache = MEMORY, fields = 'name', isCached }) => {
    const { details, items } = await entityGraph({ entityCache })
    details.headers = headers
    await items(['a'], fields)
    await items(['a'], fields)
    expect(details.requestedIds).toHaveLength(isCached ? 1 : 2)
  })

  test('an entry ends after its seconds, measured from its request', () => {
    let now = 0
    const store = entityMemoryStore({ maxBytes: 10_000, now: () => now })
    const lookups = [{ keys: ['k'], tags: () => [] }]
    void store.write([{ key: 'k', text: '{}', tags: [], ttlSeconds: 2 }], 0)
    now = 1_999
    expect(store.read(lookups)).toMatchObject({ found: ['{}'] })
    now = 2_000
    expect(store.read(lookups)).toMatchObject({ found: [null] })
    expect(store.bytes()).toBe(0)
  })
})

describe('for whom', () => {
  test('callers with other credentials, or with none, get entries of their own', async () => {
    const { details, names } = await entityGraph({ entityCache: TTL })
    for (const who of ['ann', 'bob', undefined, 'ann', 'bob', undefined]) await names(['a'], who)
    expect(details.requestedIds).toHaveLength(3)
  })

  test.each([
    ['the response is public', MEMORY, { 'cache-control': 'max-age=60, public' }, 1],
    ['the setting of the type says PUBLIC', PUBLIC, {}, 1],
    ['the response is private all the same', PUBLIC, { 'cache-control': 'max-age=60, private' }, 2],
    ['the response varies by credentials', PUBLIC, { 'cache-control': 'max-age=60, public', vary: 'Authorization' }, 2],
  ])('%s', async (_, entityCache, headers, fetches) => {
    const { details, names } = await entityGraph({ entityCache })
    details.headers = headers
    for (const who of ['ann', 'bob', 'ann', 'bob']) await names(['a'], who)
    expect(details.requestedIds).toHaveLength(fetches)
  })

  test('callers who differ by a forwarded header have separate entries', async () => {
    const headers = { request: [{ propagate: 'x-user' }] }
    const { gateway, details } = await entityGraph({ entityCache: TTL, allSubgraphs: { headers } })
    const nameFor = async (user?: string) => {
      const response = await gateway.fetch(
        new Request('http://gateway.test/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(user && { 'x-user': user }) },
          body: JSON.stringify({ query: '{ items(ids: ["a"]) { name } }' }),
        }),
      )
      const { data } = (await response.json()) as { data: { items: { name: string }[] } }
      return data.items[0]?.name
    }
    details.names.set('a', 'for Ann')
    expect(await nameFor('ann')).toBe('for Ann')
    details.names.set('a', 'for others')
    expect([await nameFor('bob'), await nameFor(), await nameFor('ann')]).toEqual(['for others', 'for others', 'for Ann'])
    expect(details.requestedIds).toHaveLength(3)
  })

  test.each(['secret', 'viewer'])('a field that is private in the schema is never shared: %s', async (field) => {
    const { details, items } = await entityGraph({ entityCache: PUBLIC })
    details.headers = { 'cache-control': 'max-age=60, public' }
    details.names.set('a', 'A')
    const read = async (who?: string) =>
      ((await items(['a'], field, who)).data as { items: [Record<string, string>] }).items[0][field]
    expect([await read('ann'), await read('bob'), await read('ann'), await read(), await read()]).toEqual([
      'A of ann',
      'A of bob',
      'A of ann',
      'A of nobody',
      'A of nobody',
    ])
    // What is private to nobody in particular is not kept.
    expect(details.requestedIds).toHaveLength(4)
  })

  test('a caller does not wait for the private answer of another', async () => {
    const { details, items } = await entityGraph({ entityCache: PUBLIC })
    details.headers = { 'cache-control': 'max-age=60, private' }
    details.names.set('a', 'A')
    const gate = Promise.withResolvers<void>()
    details.gate = gate.promise
    const both = [items(['a'], 'name', 'ann'), items(['a'], 'name', 'bob')]
    await expect.poll(() => details.requestedIds.length).toBeGreaterThan(0)
    gate.resolve()
    await Promise.all(both)
    expect(details.requestedIds).toHaveLength(2)
  })
})

describe('what is not kept', () => {
  test('an entity that does not exist', async () => {
    const { details, names } = await entityGraph({ entityCache: TTL })
    expect(await names(['none'])).toEqual([null])
    await names(['none'])
    expect(details.requestedIds).toHaveLength(2)
  })

  test('a response with an error, also of another entity', async () => {
    const { details, items, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A').set('b', 'B')
    details.failing.add('b')
    const { data, errors } = await items(['a', 'b'])
    expect([data, errors?.map(({ path }) => path)]).toEqual([
      {
        items: [
          { id: 'a', name: 'A' },
          { id: 'b', name: null },
        ],
      },
      [['items', 1, 'name']],
    ])
    details.failing.clear()
    expect(await names(['a', 'b'])).toEqual(['A', 'B'])
    expect(details.requestedIds).toHaveLength(2)
  })

  test('errors beside cached entities have the indices of the full list', async () => {
    const { details, items, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A').set('b', 'B').set('c', 'C')
    await names(['b'])
    details.failing.add('c')
    const { data, errors } = await items(['a', 'b', 'c', 'c'])
    expect(data).toEqual({
      items: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
        { id: 'c', name: null },
        { id: 'c', name: null },
      ],
    })
    expect(errors?.map(({ path }) => path)).toEqual([
      ['items', 2, 'name'],
      ['items', 3, 'name'],
    ])
  })

  test('while the subgraph is down cached entities are served, and one error explains the others', async () => {
    const { details, items } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'A')
    await items(['a'], 'needed')
    details.status = 500
    expect((await items(['a'], 'needed')).data).toEqual({ items: [{ id: 'a', needed: 'A' }] })
    const { data, errors } = await items(['a', 'b', 'c'], 'needed')
    expect(data).toBeNull()
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(['SUBGRAPH_UNAVAILABLE'])
  })

  test('an entity with more tags than are kept', async () => {
    const { details, names } = await entityGraph({ entityCache: TTL })
    details.extensions = () => ({ apolloEntityCacheTags: [Array.from({ length: 33 }, (_, index) => `t${index}`)] })
    await names(['a'])
    await names(['a'])
    expect(details.requestedIds).toHaveLength(2)
  })

  test('more bytes than there is room for: the least recently used entity leaves', async () => {
    const evicted: number[] = []
    const store = entityMemoryStore({ maxBytes: 3_000, onEviction: (entities) => void evicted.push(entities) })
    const lookup = (key: string) => ({ keys: [key], tags: () => [] })
    for (const key of ['a', 'b']) void store.write([{ key, text: 'x'.repeat(1_000), tags: [], ttlSeconds: 9 }], 0)
    void store.read([lookup('a')])
    void store.write([{ key: 'c', text: 'x'.repeat(1_000), tags: [], ttlSeconds: 9 }], 0)
    void store.write([{ key: 'huge', text: 'x'.repeat(4_000), tags: [], ttlSeconds: 9 }], 0)
    expect((await store.read(['a', 'b', 'c', 'huge'].map(lookup))).found.map((text) => text?.length ?? null)).toEqual([
      1_000,
      null,
      1_000,
      null,
    ])
    expect([evicted, store.entries(), store.bytes() <= 3_000]).toEqual([[1], 2, true])
  })
})

describe('invalidation', () => {
  test.each([
    ['a subgraph', { kind: 'subgraph' as const, subgraph: 'details' }, [['a', 'b']]],
    ['a type', { kind: 'type' as const, subgraph: 'details', type: 'Item' }, [['a', 'b']]],
    ['an entity', { kind: 'entity' as const, subgraph: 'details', type: 'Item', key: { id: 'a' } }, [['a']]],
    ['a tag of the response', { kind: 'cache_tag' as const, subgraphs: ['details'], cache_tag: 'tag b' }, [['b']]],
    ['a tag of the header', { kind: 'cache_tag' as const, subgraphs: ['other', 'details'], cache_tag: 'all' }, [['a', 'b']]],
    ['another subgraph', { kind: 'subgraph' as const, subgraph: 'catalog' }, []],
    ['another type', { kind: 'type' as const, subgraph: 'details', type: 'Hinted' }, []],
    ['another entity', { kind: 'entity' as const, subgraph: 'details', type: 'Item', key: { id: 'c' } }, []],
    ['another tag', { kind: 'cache_tag' as const, subgraphs: ['details'], cache_tag: 'b' }, []],
  ])('%s', async (_, invalidation, fetched) => {
    const { gateway, details, names } = await entityGraph({ entityCache: TTL })
    details.headers = { 'cache-tag': 'all, many' }
    details.extensions = (ids) => ({ apolloEntityCacheTags: ids.map((id) => [`tag ${id}`]) })
    await names(['a', 'b'])
    details.requestedIds.length = 0
    expect(await gateway.invalidateEntities([invalidation])).toBe(true)
    await names(['a', 'b'])
    expect(details.requestedIds).toEqual(fetched)
  })

  test('what was requested before is not kept, and not joined', async () => {
    const { gateway, details, names } = await entityGraph({ entityCache: TTL })
    details.names.set('a', 'Old')
    const gate = Promise.withResolvers<void>()
    details.gate = gate.promise
    const before = names(['a'])
    await expect.poll(() => details.requestedIds.length).toBe(1)
    details.names.set('a', 'New')
    await gateway.invalidateEntities([{ kind: 'entity', subgraph: 'details', type: 'Item', key: { id: 'a' } }])
    const after = names(['a'])
    await expect.poll(() => details.requestedIds.length).toBe(2)
    gate.resolve()
    expect([await before, await after, await names(['a'])]).toEqual([['Old'], ['New'], ['New']])
  })

  test('another supergraph begins with an empty cache', async () => {
    const { gateway, details, names } = await entityGraph({ entityCache: TTL })
    await names(['a'])
    gateway.replaceSupergraph(SUPERGRAPH.replace('type Hinted', '"Another." type Hinted'))
    await names(['a'])
    expect(details.requestedIds).toHaveLength(2)
  })
})

describe('over HTTP', () => {
  const TOKEN = 'correct-horse-battery'
  async function served() {
    const graph = await entityGraph({ entityCache: TTL })
    const { url, close } = await serveGateway(graph.gateway, { port: 0, invalidationToken: TOKEN, log: graph.log })
    const post = (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
      fetch(url.replace('/graphql', '/entity-cache/invalidations'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    return { ...graph, post, close }
  }

  test('entities are invalidated over HTTP with the token', async () => {
    const { details, names, post, close } = await served()
    await names(['a'])
    const body = [{ kind: 'entity', subgraph: 'details', type: 'Item', key: { id: 'a' } }]
    expect((await post(body, {})).status).toBe(401)
    expect((await post(body, { authorization: 'Bearer wrong' })).status).toBe(401)
    await names(['a'])
    expect(details.requestedIds).toHaveLength(1)
    const response = await post(body)
    expect([response.status, await response.json()]).toEqual([202, { invalidations: 1 }])
    await names(['a'])
    expect(details.requestedIds).toHaveLength(2)
    await close()
  })

  test('a body that is no list of invalidations is refused with what is expected', async () => {
    const { post, close } = await served()
    for (const body of [
      '{',
      [],
      {},
      null,
      [{ kind: 'all' }],
      [{ kind: 'type', subgraph: 'details' }],
      [{ kind: 'entity', subgraph: 's', type: 'T', key: {} }],
    ]) {
      const response = await post(body)
      const { error } = (await response.json()) as { error: { code: string } }
      expect([JSON.stringify(body), response.status, error.code]).toEqual([JSON.stringify(body), 400, 'BAD_REQUEST'])
    }
    expect(await (await post([{ kind: 'type', subgraph: 'details' }])).text()).toContain('at \\"0.type\\"')
    await close()
  })
})

test.each([
  [{ maxBytes: -1 }, 'Expected "entityCache.maxBytes" to be a whole number from 0 to 999999999'],
  [{ redisUrl: 'http://x' }, 'Expected "entityCache.redisUrl" to be a redis or rediss URL'],
  [
    { maxBytes: 9, subgraphs: { s: { types: { T: { ttlSeconds: -1 } } } } },
    'Expected "entityCache.subgraphs.s.types.T.ttlSeconds" to be a whole number from 0 to 86400',
  ],
])('options that cannot be meant reject: %j', async (entityCache, message) => {
  await expect(createGateway({ supergraph: SUPERGRAPH, entityCache })).rejects.toThrow(message)
})
