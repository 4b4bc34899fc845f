import zlib from 'node:zlib'
import { Pool } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTracing } from '../../../gateway/observability/tracing.ts'
import { postRequest } from '../../../gateway/subgraph-client/http-exchange.ts'
import type { RequestContext } from '../../../gateway/subgraph-client/link.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { CALLER, requestContext, shopSubgraph } from '../support/graph.ts'
import {
  aGraph,
  aRequest,
  aShop,
  BOTH,
  bomb,
  drips,
  fastBrotli,
  hangs,
  idle,
  NAME,
  pours,
  RENAME,
  raw,
  replies,
  resets,
  SECRET,
} from '../support/http-graph.ts'
import { answerOf, type Exchange } from '../support/remote.ts'

describe('a subgraph that does not do its part', () => {
  type Row = { what: string; flaw: (exchange: Exchange) => void; code?: string; attempts: number; timeout?: number }
  test.each<Row>([
    { what: 'never answers', flaw: hangs, code: 'TIMEOUT', attempts: 1, timeout: 1_000 },
    { what: 'answers a blank at a time, for ever', flaw: drips, code: 'TIMEOUT', attempts: 1, timeout: 1_000 },
    { what: 'resets the connection before it answers', flaw: resets, attempts: 3 },
    { what: 'closes the connection before it answers', flaw: raw(), attempts: 3 },
    {
      what: 'answers half and closes',
      flaw: raw('HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"data":'),
      attempts: 1,
    },
    {
      what: 'answers half and resets',
      flaw: ({ request, response }) => response.write('{"data":', () => void request.socket.resetAndDestroy()),
      attempts: 1,
    },
    { what: 'does not speak HTTP', flaw: raw(`220 ${SECRET} ESMTP\r\n`), attempts: 1 },
    { what: 'has too much in its headers', flaw: replies(200, { 'x-much': 'x'.repeat(20_000) }), attempts: 1 },
    { what: 'answers a page', flaw: replies(200), attempts: 1 },
    { what: 'answers nothing', flaw: replies(204, {}, ''), attempts: 1 },
    { what: 'does not know the address', flaw: replies(404), attempts: 1 },
    { what: 'fails', flaw: replies(500), attempts: 1 },
    { what: 'is a proxy whose server is gone', flaw: replies(502), attempts: 3 },
    { what: 'is overloaded', flaw: replies(503), attempts: 3 },
    { what: 'is a proxy whose server is late', flaw: replies(504), attempts: 3 },
    { what: 'is overloaded for a minute', flaw: replies(503, { 'retry-after': '60' }), attempts: 1 },
    { what: 'wants fewer requests', flaw: replies(429), attempts: 1 },
    { what: 'wants fewer requests for a moment', flaw: replies(429, { 'retry-after': '0' }), attempts: 3 },
    {
      what: 'wants fewer requests until a date long ago',
      flaw: replies(429, { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }),
      attempts: 3,
    },
    { what: 'says what no date is', flaw: replies(429, { 'retry-after': 'soon' }), attempts: 1 },
    { what: 'pours out without end', flaw: pours, attempts: 1 },
    { what: 'answers a gzip bomb', flaw: bomb('gzip', zlib.gzipSync), attempts: 1 },
    { what: 'answers a brotli bomb', flaw: bomb('br', fastBrotli), attempts: 1 },
    { what: 'answers a zstd bomb', flaw: bomb('zstd', zlib.zstdCompressSync), attempts: 1 },
    {
      what: 'wants 64 MB to decompress',
      flaw: replies(200, { 'content-encoding': 'zstd' }, wideZstd('{"data":{"product":{"name":"x"}}}')),
      attempts: 1,
    },
    { what: 'says gzip and sends none', flaw: replies(200, { 'content-encoding': 'gzip' }, '{"data":{}}'), attempts: 1 },
    {
      what: 'stops in the middle of its gzip',
      flaw: replies(200, { 'content-encoding': 'gzip' }, zlib.gzipSync('{"data":{"product":null}}').subarray(0, -9)),
      attempts: 1,
    },
    {
      what: 'compresses twice',
      flaw: replies(200, { 'content-encoding': 'gzip, gzip' }, zlib.gzipSync(zlib.gzipSync('{"data":{"product":null}}'))),
      attempts: 1,
    },
    {
      what: 'compresses as nobody asked',
      flaw: replies(200, { 'content-encoding': 'compress' }, '{"data":{"product":{"name":"x"}}}'),
      attempts: 1,
    },
  ])('$what: its field is null, one error, $attempts attempts', async ({ flaw, code, attempts, timeout }) => {
    const { shop, executing, lines } = await aGraph(timeout === undefined ? {} : { timeoutMilliseconds: timeout })
    shop.always = flaw
    const { data, errors } = await executing(BOTH)
    expect(data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code ?? 'SUBGRAPH_UNAVAILABLE'])
    expect(JSON.stringify(errors)).not.toMatch(/secret|127\.0\.0\.1|http|localhost|\bat \w/)
    expect(lines.filter(({ msg }) => msg === 'a fetch from a subgraph failed')).toHaveLength(1)
    expect(shop.requests).toHaveLength(attempts)
  })

  test('refuses the connection: its field is null, one error', async () => {
    const { shop, executing } = await aGraph()
    await new Promise((resolve) => shop.server.close(resolve))
    const { data, errors } = await executing(BOTH)
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { product: null, latestReview: { text: 'Fine.' } },
      ['SUBGRAPH_UNAVAILABLE'],
    ])
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|http|ECONN/)
  })

  test('redirects are not followed, so no credential goes elsewhere', async () => {
    const { shop, executing } = await aGraph()
    const elsewhere = await aShop()
    for (const status of [301, 302, 303, 307, 308]) {
      shop.always = replies(status, { location: elsewhere.url }, '{"data":{"product":{"name":"Redirected"}}}')
      expect((await executing(NAME)).data).toEqual({ product: null })
    }
    expect(elsewhere.requests).toEqual([])
  })

  test('is down for entities: what others know of them stays', async () => {
    const { review, executing } = await aGraph()
    review.always = replies(503)
    const { data, errors } = await executing('{ product(id: "c") { name rating } }')
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { product: { name: 'Product c', rating: null } },
      ['SUBGRAPH_UNAVAILABLE'],
    ])
  })

  test('says in GraphQL why it is overloaded: that is what clients get, at last', async () => {
    const { shop, executing } = await aGraph()
    const said = '{"errors":[{"message":"Expected fewer questions.","extensions":{"code":"RATE_LIMITED"}}]}'
    shop.always = replies(503, { 'content-type': 'application/json' }, said)
    expect((await executing(NAME)).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(shop.requests).toHaveLength(3)

    shop.always = replies(503, { 'content-type': 'application/graphql-response+json; charset=utf-8' }, said)
    expect((await executing(NAME)).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(shop.requests, 'its own answer, so it was not asked again').toHaveLength(4)
  })
})

describe('connections and bodies', () => {
  test('one connection serves one operation after another', async () => {
    const { shop, executing } = await aGraph()
    for (let count = 0; count < 5; count++) {
      await executing(NAME)
      await idle()
    }
    expect([shop.requests.length, shop.connections()]).toEqual([5, 1])
  })

  test('there are at most 64, however many ask', async () => {
    const { shop, link } = await aGraph()
    const all = Array.from({ length: 100 }, () => link.execute(aRequest(NAME), requestContext()))
    expect((await Promise.all(all)).every(({ errors }) => errors === undefined)).toBe(true)
    expect(shop.connections()).toBe(64)
  })

  test('a caller that stops waiting for a connection sends nothing when it is available', async () => {
    const { shop, link } = await aGraph()
    const held: Exchange[] = []
    shop.always = (exchange) => void held.push(exchange)
    const served = Array.from({ length: 64 }, () => link.execute(aRequest(NAME), requestContext()))
    await expect.poll(() => held.length).toBe(64)

    const gone = new AbortController()
    const waiting = link.execute(aRequest(NAME), { caller: CALLER, signal: gone.signal })
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    for (const { response } of held) response.end('{"data":{"product":null}}')
    await Promise.all(served)
    await idle()
    shop.always = null
    expect(await link.execute(aRequest(NAME), requestContext())).toEqual({ data: { product: { name: 'Product a' } } })
    expect(shop.requests).toHaveLength(65)
  })

  test('a request that is cancelled before it starts is not sent', async () => {
    const shop = await aShop()
    const pool = new Pool(new URL(shop.url).origin)
    onTestFinished(() => pool.destroy())
    const gone = AbortSignal.abort(new Error('gone'))
    const reply = await postRequest(pool, { path: '/graphql', headers: {}, body: '{}', signal: gone })
    expect(reply).toEqual({ cause: gone.reason, responseHasBegun: false })
    await idle()
    expect(shop.connections()).toBe(0)
  })

  test('a response without remaining callers is closed', async () => {
    const { shop, link } = await aGraph()
    const gone = new AbortController()
    const executing = Promise.withResolvers<Exchange>()
    shop.always = executing.resolve
    const answer = link.execute(aRequest(NAME), { caller: CALLER, signal: gone.signal })
    const { request } = await executing.promise
    const closed = new Promise((resolve) => request.socket.once('close', resolve))
    gone.abort(new Error('gone'))
    await expect(answer).rejects.toThrow('gone')
    await closed
  })

  test('informational responses and a byte order mark are skipped', async () => {
    const { shop, executing } = await aGraph()
    shop.always = async ({ response, body }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' })
      response.end(`\uFEFF${await answerOf(shopSubgraph(), body)}`)
    }
    expect(await executing(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
  })

  test.each([
    ['gzip', zlib.gzipSync],
    ['br', fastBrotli],
    ['zstd', zlib.zstdCompressSync],
    ['GZIP', zlib.gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('a body in %s is read', async (coding, compress) => {
    const { shop, executing } = await aGraph()
    shop.always = async ({ response, body }) => {
      response.setHeader('content-encoding', coding).end(compress(Buffer.from(await answerOf(shopSubgraph(), body))))
    }
    expect(await executing(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
    expect(shop.requests[0]?.headers['accept-encoding']).toBe('gzip, br, zstd')
  })

  test('of a client, the credentials of the allow-list go along and nothing else', async () => {
    const { shop, link } = await aGraph()
    const credentials = {
      'x-api-key': 'key',
      authorization: 'Bearer token',
      cookie: 'a=b',
      connection: 'upgrade',
      te: 'trailers',
    }
    const caller = { ...CALLER, credentials } as Caller
    await link.execute(aRequest(NAME), { caller, signal: new AbortController().signal })
    const { host: _, 'content-length': __, ...sent } = shop.requests[0]?.headers ?? {}
    expect(sent).toEqual({
      connection: 'keep-alive',
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
      'accept-encoding': 'gzip, br, zstd',
      'x-request-id': 'r-1',
      'x-forwarded-for': '127.0.0.1',
      'x-api-key': 'key',
      authorization: 'Bearer token',
    })
  })

  test('a credential that no header can hold is refused here, and closes nothing for others', async () => {
    const { shop, link } = await aGraph()
    const caller = { ...CALLER, credentials: { authorization: 'a\r\nx-evil: 1' } }
    for (let count = 0; count < 10; count++) {
      const executing = link.execute(aRequest(NAME), { caller, signal: new AbortController().signal })
      await expect(executing).rejects.toMatchObject({ code: 'SUBGRAPH_UNAVAILABLE' })
    }
    expect([shop.requests.length, link.circuitState()]).toEqual([0, 'closed'])
  })
})

describe('equal fetches of one operation', () => {
  test('in flight at the same time are one request, whatever names the planner gives', async () => {
    const { review, executing } = await aGraph()
    const TWICE = 'query Twice { a: product(id: "c") { name rating } b: product(id: "c") { name rating } }'
    const c = { name: 'Product c', rating: 0 }
    expect(await executing(TWICE)).toEqual({ data: { a: c, b: c } })
    expect(review.requests).toHaveLength(1)
    // Two clients are two.
    expect(await Promise.all([executing(TWICE), executing(TWICE)])).toEqual([{ data: { a: c, b: c } }, { data: { a: c, b: c } }])
    expect(review.requests).toHaveLength(3)
  })

  test('stay one where each has a span', async () => {
    const tracing = createTracing({ endpoint: 'http://127.0.0.1:9', serviceName: 'test', ratio: 1 })
    const { review, executing } = await aGraph({ tracing })
    await executing('query Twice { a: product(id: "c") { name rating } b: product(id: "c") { name rating } }')
    expect(review.requests.map(({ headers }) => headers.traceparent)).toEqual([expect.stringMatching(/^00-.*-01$/)])
    await tracing.close()
  })

  test('return separate objects; other variables and mutations are sent separately', async () => {
    const { shop, link } = await aGraph()
    const one = requestContext()
    const ask = (query: string, variables = {}, within: RequestContext = one) =>
      link.execute({ query, variables, operationName: undefined }, within)
    const [a, b] = await Promise.all([ask(NAME), ask(NAME)])
    expect([shop.requests.length, a.data === b.data]).toEqual([1, false])
    expect(a).toEqual(b)

    const BY_ID = 'query ($id: ID!) { product(id: $id) { name } }'
    const both = await Promise.all(['a', 'b'].map((id) => ask(BY_ID, { id })))
    expect(both.map(({ data }) => data)).toEqual([{ product: { name: 'Product a' } }, { product: { name: 'Product b' } }])
    await Promise.all([ask(RENAME), ask(RENAME)])
    expect(shop.requests).toHaveLength(5)
  })

  test('fail together', async () => {
    const { shop, link } = await aGraph()
    shop.always = replies(500)
    const one = requestContext()
    const results = await Promise.allSettled([link.execute(aRequest(NAME), one), link.execute(aRequest(NAME), one)])
    expect([results.map(({ status }) => status), shop.requests.length]).toEqual([['rejected', 'rejected'], 1])
  })
})

describe('a subscription', () => {
  test.each([
    { what: 'a page without end', flaw: pours },
    { what: 'nothing', flaw: hangs },
    { what: 'half', flaw: raw('HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"errors":') },
    { what: 'a reset', flaw: resets },
    { what: 'a redirect', flaw: replies(307, { location: 'http://127.0.0.1:1/' }) },
  ])('that gets $what is rejected with a code, without a retry', async ({ flaw }) => {
    const { shop, link } = await aGraph({ timeoutMilliseconds: 1_000 })
    shop.always = flaw
    await expect(link.subscribe?.(aRequest('subscription { sold }'), requestContext())).rejects.toMatchObject({
      code: 'SUBGRAPH_UNAVAILABLE',
      message: 'The shop service does not send the events of this subscription.',
    })
    expect([shop.requests.length, link.circuitState()]).toEqual([1, 'closed'])
  })

  test('ends with its client, who gets no error of the service', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    shop.always = () => controller.abort(new Error('gone'))
    const begun = link.subscribe?.(aRequest('subscription { sold }'), { caller: CALLER, signal: controller.signal })
    await expect(begun).rejects.toThrow('gone')
  })
})

/**
 * A frame that needs a window of 64 MB, though it says little: magic number, no flags, window
 * descriptor, one raw block (RFC 8878 §3.1.1).
 */
function wideZstd(text: string): Buffer {
  const block = Buffer.alloc(3)
  block.writeUIntLE((text.length << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (26 - 10) << 3]), block, Buffer.from(text)])
}
