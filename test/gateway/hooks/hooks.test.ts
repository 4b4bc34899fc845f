import { GraphQLError, parse } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hooks } from '../../../gateway/hooks/hooks.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import type { GatewayOptions } from '../../../gateway/options/gateway-options.ts'
import { composeOnce } from '../support/compose.ts'
import { REVIEW_SDL, recordingLog, reviewSubgraph, SHOP_SDL, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import { type Exchange, type Remote, serveRemote } from '../support/remote.ts'

const ACROSS = '{ latestReview { text about { name } } }'
const ANSWER = { latestReview: { text: 'Fine.', about: { name: 'Product b' } } }
const NAME = '{ product(id: "a") { name } }'
const NAMED = { product: { name: 'Product a' } }

/** A gateway with hooks over two servers. */
async function aGateway(hooks: NonNullable<GatewayOptions['hooks']>, others: GatewayOptions = {}) {
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const { log, lines } = recordingLog()
  const supergraph = cacheable({ shop, review })
  const gateway = await createGateway({ supergraph, log, hooks, ...others })
  onTestFinished(async () => {
    await gateway.close()
    for (const { server } of [shop, review]) server.close().closeAllConnections()
  })
  const post = async (query: string, headers: Record<string, string> = {}, variables: object = {}) => {
    const request = new Request('http://gateway.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
      body: JSON.stringify({ query, variables }),
    })
    const response = await gateway.fetch(request)
    return { status: response.status, headers: response.headers, ...((await response.json()) as Answer) }
  }
  return { gateway, shop, review, lines, post }
}
type Answer = { data?: unknown; errors?: { message: string; path?: unknown; extensions: Record<string, unknown> }[] }

const CACHE_CONTROL = `extend schema
  @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
  @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION | OBJECT`
const ofAge = (sdl: string) =>
  `${sdl.replace('import: [', 'import: ["@composeDirective", ').replace(/type (Product|Review) /g, 'type $1 @cacheControl(maxAge: 60) ')} ${CACHE_CONTROL}`
/** The same supergraph, whose products and reviews may be cached for a minute. */
const cacheable = ({ shop, review }: { shop: Remote; review: Remote }) =>
  composeOnce([
    { name: 'shop', url: shop.url, typeDefs: parse(ofAge(SHOP_SDL)) },
    { name: 'review', url: review.url, typeDefs: parse(ofAge(REVIEW_SDL)) },
  ])

const json = ({ response }: Exchange, body: unknown, headers: Record<string, string> = {}) =>
  void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const forbidden = new GraphQLError('Not today.', { extensions: { code: 'CLOSED' } })

describe('stages', () => {
  test('come in order, with one context for the whole operation', async () => {
    const seen: string[] = []
    const note = ({ context }: { context: Record<string, unknown> }, stage: string) => {
      context.stages = [...((context.stages as string[] | undefined) ?? []), stage]
      seen.push((context.stages as string[]).join(' '))
    }
    const { post } = await aGateway({
      request: async (call) => note(call, 'request'),
      operation: (call) => note(call, 'operation'),
      plan: async (call) => note(call, 'plan'),
      subgraphRequest: (call) => note(call, `>${call.subgraph}`),
      subgraphResponse: async (call) => note(call, `<${call.subgraph}`),
    })
    expect((await post(ACROSS)).data).toEqual(ANSWER)
    expect(seen.at(-1)).toBe('request operation plan >review <review >shop <shop')
    seen.length = 0
    await post(NAME)
    expect(seen.at(-1)).toBe('request operation plan >shop <shop')
  })

  test('say what is run, for whom, and what it takes', async () => {
    const calls: Record<string, unknown> = {}
    const keep = (stage: string) => (call: object) => {
      calls[stage] = { ...call, signal: null }
    }
    const { post } = await aGateway({
      request: keep('request'),
      operation: keep('operation'),
      plan: keep('plan'),
      subgraphRequest: keep('subgraphRequest'),
      subgraphResponse: keep('subgraphResponse'),
    })
    await post('query Named($id: ID!) { product(id: $id) { name } }', { authorization: 'Bearer t' }, { id: 'a' })
    const query = 'query Named($id: ID!) {\n  product(id: $id) {\n    name\n  }\n}'
    const operation = { query, operationName: 'Named', operationType: 'query', variables: { id: 'a' } }
    expect(calls).toMatchObject({
      request: { ...operation, method: 'POST', address: '0.0.0.0', headers: { authorization: 'Bearer t' } },
      operation: { ...operation, claims: null },
      plan: { ...operation, cost: 3, fetches: [{ subgraph: 'shop', isEntityFetch: false }] },
      subgraphRequest: { subgraph: 'shop', variables: { id: 'a' }, headers: { authorization: 'Bearer t' } },
      subgraphResponse: { subgraph: 'shop', data: NAMED, headers: { 'content-type': 'application/json' } },
    })
  })

  test('before the execution change headers of the client, variables and the status of a refusal', async () => {
    const { post, shop } = await aGateway({
      request: ({ headers }) => ({ headers: { authorization: `Bearer ${headers['x-session']}`, 'x-api-key': null } }),
      operation: ({ variables }) => ({ variables: { id: variables.id === 'first' ? 'a' : 'c' } }),
      plan: ({ cost }) => (cost > 3 ? { refuse: forbidden, status: 402 } : null),
    })
    const query = 'query ($id: ID!) { product(id: $id) { name } }'
    expect(await post(query, { 'x-session': 's1', 'x-api-key': 'k' }, { id: 'first' })).toMatchObject({
      status: 200,
      data: NAMED,
    })
    expect(shop.requests[0]?.headers.authorization).toBe('Bearer s1')
    expect(shop.requests[0]?.headers).not.toHaveProperty('x-api-key')
    const dear = await post(`query ($id: ID!) { product(id: $id) { name id } }`, {}, { id: 'first' })
    expect(dear).toMatchObject({ status: 402, errors: [{ message: 'Not today.', extensions: { code: 'CLOSED' } }] })
    expect(dear).not.toHaveProperty('data')
    expect(shop.requests).toHaveLength(1)
  })

  test('of subgraphs change their requests and responses, also of a subgraph in this process', async () => {
    const hooks: Hooks = {
      subgraphRequest: ({ subgraph }) => ({ headers: { 'x-for': subgraph, authorization: null } }),
      subgraphResponse: ({ subgraph, data }) =>
        subgraph === 'review' ? { result: { data: JSON.parse(JSON.stringify(data).replace('Fine.', 'Hidden.')) } } : null,
    }
    const { post, review } = await aGateway(hooks)
    expect((await post(ACROSS, { authorization: 'Bearer t' })).data).toEqual({
      latestReview: { ...ANSWER.latestReview, text: 'Hidden.' },
    })
    expect(review.requests[0]?.headers).toMatchObject({ 'x-for': 'review' })
    expect(review.requests[0]?.headers).not.toHaveProperty('authorization')
    const local = await aGateway(hooks, { subgraphs: { review: { schema: reviewSubgraph().schema } } })
    expect((await local.post('{ latestReview { text } }')).data).toEqual({ latestReview: { text: 'Hidden.' } })
  })

  test('change the data of a response in place, also where its bytes would be the answer', async () => {
    const { post } = await aGateway({
      subgraphResponse({ data }) {
        if (data) Object.assign(data, { product: { name: 'Changed' } })
      },
    })
    for (const _ of [1, 2]) expect((await post(NAME)).data).toEqual({ product: { name: 'Changed' } })
  })

  test.each<{ why: string; hooks: Hooks; data?: unknown }>([
    {
      why: 'a returned error',
      hooks: { request: () => ({ refuse: { message: 'Not today.', extensions: { code: 'CLOSED' } } }) },
    },
    { why: 'a returned GraphQLError', hooks: { operation: () => ({ refuse: [forbidden] }) } },
    { why: 'a thrown GraphQLError', hooks: { plan: () => Promise.reject(forbidden) } },
    { why: 'an error of a fetch', hooks: { subgraphRequest: () => ({ refuse: forbidden }) }, data: { product: null } },
    {
      why: 'an error in place of a response',
      hooks: { subgraphResponse: () => ({ refuse: forbidden }) },
      data: { product: null },
    },
  ])('refuse with $why', async ({ hooks, data }) => {
    const { post, lines } = await aGateway(hooks)
    const answer = await post(NAME)
    expect(answer.data).toEqual(data)
    expect(answer.errors).toMatchObject([{ message: 'Not today.', extensions: { code: 'CLOSED' } }])
    expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})

/** What a hook does that it should not. */
const hang = () => new Promise<never>(() => {})
const SECRET = 'password=hunter2'
const HOSTILE: readonly { why: string; hook: () => unknown }[] = [
  {
    why: 'throws',
    hook: () => {
      throw new Error(SECRET)
    },
  },
  {
    why: 'rejects',
    hook: async () => {
      throw new TypeError(SECRET)
    },
  },
  {
    why: 'throws no error',
    hook: () => {
      throw SECRET
    },
  },
  {
    why: 'throws a GraphQLError without a code',
    hook: () => {
      throw new GraphQLError(SECRET)
    },
  },
  { why: 'hangs', hook: hang },
  { why: 'returns a text', hook: () => SECRET },
  { why: 'refuses with nothing', hook: () => ({ refuse: [] }) },
  { why: 'refuses with no error', hook: () => ({ refuse: { code: SECRET } }) },
  {
    why: 'has a getter that throws',
    hook: () => ({
      get refuse() {
        throw new Error(SECRET)
      },
    }),
  },
]

describe('a hostile hook', () => {
  test.each(HOSTILE)('that $why gives HOOK_FAILED at every stage, no detail, and a line in the log', async ({ hook }) => {
    const stages = ['request', 'operation', 'plan', 'subgraphRequest', 'subgraphResponse'] as const
    let active: string = ''
    const hooks = Object.fromEntries(stages.map((stage) => [stage, () => (stage === active ? hook() : null)]))
    const { post, lines } = await aGateway({ timeoutMilliseconds: 20, ...hooks })
    for (active of stages) {
      const { status, data, errors } = await post(NAME)
      expect([status, data]).toEqual(active.startsWith('subgraph') ? [200, { product: null }] : [503, undefined])
      expect(errors).toMatchObject([{ extensions: { code: 'HOOK_FAILED', stage: active } }])
      expect(JSON.stringify(errors)).not.toContain('hunter2')
    }
    const logged = lines.filter(({ msg }) => msg === 'a hook failed')
    expect(logged).toMatchObject(stages.map((stage) => ({ stage, level: 50 })))
  })

  test.each<{ why: string; hooks: Record<string, () => unknown> }>([
    { why: 'a header of the connection', hooks: { subgraphRequest: () => ({ headers: { host: 'elsewhere' } }) } },
    { why: 'a header that smuggles another', hooks: { subgraphRequest: () => ({ headers: { 'x-a': 'b\r\nx-c: d' } }) } },
    { why: 'a header that has no name', hooks: { subgraphRequest: () => ({ headers: { 'x a': 'b' } }) } },
    { why: 'the length of a body that was read', hooks: { request: () => ({ headers: { 'content-length': '1' } }) } },
    { why: 'variables that are a list', hooks: { operation: () => ({ variables: [] }) } },
    { why: 'a result that is a text', hooks: { subgraphResponse: () => ({ result: 'x' }) } },
    {
      why: 'a result that refers to itself',
      hooks: {
        subgraphResponse: () => {
          const data: Record<string, unknown> = {}
          data.product = data
          return { result: { data } }
        },
      },
    },
  ])('that returns $why is HOOK_FAILED', async ({ hooks }) => {
    const { post } = await aGateway(hooks)
    expect((await post(NAME)).errors).toMatchObject([{ extensions: { code: 'HOOK_FAILED' } }])
  })

  test.each([false, true])(
    'that returns data of another type is reported like a subgraph that does (in this process: %s)',
    async (isLocal) => {
      const queries: string[] = []
      const hooks: Hooks = {
        subgraphRequest: ({ query }) => void queries.push(query),
        subgraphResponse: () => ({ result: { data: { product: { name: { a: 1 } } } } }),
      }
      const { post } = await aGateway(hooks, isLocal ? { subgraphs: { shop: { schema: shopSubgraph().schema } } } : {})
      expect((await post(NAME)).errors).toMatchObject([{ extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }])
      expect(queries[0]).toContain('name')
    },
  )

  test('sees errors of resolvers masked, so that it cannot give them away', async () => {
    const { post } = await aGateway(
      { subgraphResponse: ({ data, errors }) => ({ result: { data: data ?? null, ...(errors && { errors }) } }) },
      { subgraphs: { shop: { schema: shopSubgraph().schema } } },
    )
    const { errors } = await post('{ broken }')
    expect(errors).toMatchObject([{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
    expect(JSON.stringify(errors)).not.toContain('hunter2')
  })

  test('gets a signal that aborts when its time is up, and the operation does not wait for it', async () => {
    let reason: unknown = null
    const { post } = await aGateway({
      timeoutMilliseconds: 20,
      operation: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            resolve(null)
          })
        }),
    })
    expect((await post(NAME)).errors).toMatchObject([{ extensions: { code: 'HOOK_FAILED' } }])
    expect(String(reason)).toMatch(/within 20 ms/)
  })

  test('does not keep an operation whose client has left', async () => {
    const { gateway } = await aGateway({ timeoutMilliseconds: 10_000, request: hang })
    const client = new AbortController()
    const running = gateway.execute({ query: NAME }, { signal: client.signal })
    client.abort()
    expect(await running).toMatchObject({ errors: [] })
  })

  test.each([
    { options: { request: 'no function' }, says: 'Expected "hooks.request" to be a function, got a text of 11 characters.' },
    {
      options: { timeoutMilliseconds: 0 },
      says: 'Expected "hooks.timeoutMilliseconds" to be a whole number from 1 to 10000, got 0.',
    },
    { options: { reqest: hang }, says: 'Unknown option "hooks.reqest".' },
  ])('is refused at the start: $says', async ({ options, says }) => {
    const given = { supergraph: supergraphSdl(), hooks: options as never }
    await expect(createGateway(given)).rejects.toThrow(says)
  })
})

describe('what hooks make for one caller', () => {
  const CACHED = { responseCacheBytes: 1_000_000, entityCache: { maxBytes: 1_000_000 } }

  test.each<{ why: string; hooks: Hooks; options: GatewayOptions }>([
    {
      why: 'a header of the fetch, with the response cache',
      hooks: { subgraphRequest: ({ context }) => ({ headers: { 'x-tenant': String(context.tenant) } }) },
      options: { responseCacheBytes: 1_000_000 },
    },
    {
      why: 'a header of the fetch, with the entity cache',
      hooks: { subgraphRequest: ({ context }) => ({ headers: { 'x-tenant': String(context.tenant) } }) },
      options: CACHED,
    },
    {
      why: 'a changed response, with the entity cache',
      hooks: {
        subgraphResponse: ({ context, data, subgraph }) =>
          subgraph === 'shop'
            ? { result: { data: JSON.parse(JSON.stringify(data).replace('of ', `of ${context.tenant}`)) } }
            : null,
      },
      options: CACHED,
    },
  ])('never reaches another caller: $why', async ({ hooks, options }) => {
    const { post, shop } = await aGateway(
      {
        request: ({ headers, context }) => {
          context.tenant = headers['x-tenant']
        },
        ...hooks,
      },
      options,
    )
    shop.always = (exchange) => {
      const name = `Product of ${exchange.request.headers['x-tenant'] ?? ''}`
      json(exchange, { data: { _entities: [{ name }] } }, { 'cache-control': 'public, max-age=60' })
    }
    const answers = await Promise.all(['one', 'two', 'one', 'two'].map((tenant) => post(ACROSS, { 'x-tenant': tenant })))
    expect(answers.map(({ data }) => (data as typeof ANSWER).latestReview.about.name)).toEqual(
      ['one', 'two', 'one', 'two'].map((tenant) => `Product of ${tenant}`),
    )
    const [later] = [await post(ACROSS, { 'x-tenant': 'three' })]
    expect((later.data as typeof ANSWER).latestReview.about.name).toBe('Product of three')
  })

  test('is no part of an equal fetch of the same operation that has other headers', async () => {
    let fetches = 0
    const query = '{ latestReview { about { name } } other: latestReview { about { name } } }'
    const apart = { allSubgraphs: { mergeFetches: false } }
    const changing = await aGateway({ subgraphRequest: async () => ({ headers: { 'x-number': String(++fetches) } }) }, apart)
    expect((await changing.post(query)).errors).toBeUndefined()
    expect(new Set(changing.shop.requests.map(({ headers }) => headers['x-number'])).size).toBe(2)
    const watching = await aGateway({ subgraphRequest: async () => {} }, apart)
    await watching.post(query)
    expect(watching.shop.requests).toHaveLength(1)
  })

  test('forbids shared caches: a hook may have refused another caller', async () => {
    const { gateway } = await aGateway({ request: ({ headers }) => (headers['x-ok'] ? null : { refuse: forbidden }) })
    const response = await gateway.fetch(
      new Request(`http://g/?query=${encodeURIComponent(NAME)}`, { headers: { 'x-ok': '1', 'apollo-require-preflight': '1' } }),
    )
    expect(await response.json()).toEqual({ data: NAMED })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('runs before the response cache, for each of its hits', async () => {
    let plans = 0
    const plan = () => (++plans > 2 ? { refuse: forbidden } : null)
    const { post, shop } = await aGateway({ plan }, { responseCacheBytes: 1_000_000 })
    for (let turn = 0; turn < 2; turn++) expect((await post(NAME)).data).toEqual(NAMED)
    expect((await post(NAME)).errors).toMatchObject([{ extensions: { code: 'CLOSED' } }])
    expect([plans, shop.requests.length]).toEqual([3, 1])
  })
})

test('without hooks, links, cache and operations are the ones that they would be', async () => {
  const { gateway } = await aGateway({})
  expect(gateway.gateway.readsClientHeaders).toBe(false)
})
