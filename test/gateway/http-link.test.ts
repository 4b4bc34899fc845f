import { createServer } from 'node:net'
import zlib from 'node:zlib'
import { parse } from 'graphql'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startGateway } from '../../gateway/gateway.ts'
import { type HttpLink, httpLink } from '../../gateway/http-link.ts'
import type { Passage } from '../../gateway/link.ts'
import { readSupergraph } from '../../gateway/supergraph.ts'
import { createTracing, type Tracing } from '../../gateway/tracing.ts'
import { ownGraph } from '../../processes/own-graph.ts'
import type { Caller } from '../../subgraphs/runtime/caller.ts'
import { ask, CALLER, keptLog, passage, reviewSubgraph, shopSubgraph, supergraphSdl } from './support/graph.ts'
import { answerOf, type Exchange, type Remote, serveRemote } from './support/remote.ts'

const used: { readonly links: HttpLink[]; readonly remotes: Remote[] } = { links: [], remotes: [] }
afterEach(async () => {
  await Promise.all(used.links.splice(0).map((link) => link.close()))
  for (const { server } of used.remotes.splice(0)) server.close().closeAllConnections()
})

/** A graph of two subgraphs over HTTP. */
async function aGraph({
  timeoutMilliseconds = 5_000,
  tracing = null,
}: {
  timeoutMilliseconds?: number
  tracing?: Tracing | null
} = {}) {
  const [shop, review] = [await serveRemote(shopSubgraph()), await serveRemote(reviewSubgraph())]
  const { log, lines } = keptLog()
  const link = httpLink({ name: 'shop', url: shop.url, timeoutMilliseconds, log })
  const links = [link, httpLink({ name: 'review', url: review.url, log })]
  used.links.push(...links)
  used.remotes.push(shop, review)
  const gateway = await startGateway({ supergraphSdl: supergraphSdl(), links, limits: { depth: 10, cost: 1000 }, log, tracing })
  return { link, shop, review, lines, asked: (query: string) => ask(gateway, query) }
}

const SECRET = 'secret-host'
const NAME = '{ product(id: "a") { name } }'
const BOTH = '{ product(id: "a") { name } latestReview { text } }'
const RENAME = 'mutation { rename(id: "a", name: "New") { name } }'

const raw =
  (...chunks: readonly string[]) =>
  ({ request }: Exchange) => {
    for (const chunk of chunks) request.socket.write(chunk)
    request.socket.end()
  }
const replies =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = `<html>${SECRET}</html>`) =>
  ({ response }: Exchange) =>
    void response.writeHead(status, headers).end(body)
const hangs = () => {}
const resets = ({ request }: Exchange) => void request.socket.resetAndDestroy()
const drips = ({ response }: Exchange) => {
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const pours = ({ response }: Exchange) => {
  const chunk = 'x'.repeat(1_000_000)
  const write = () => void (response.writable && response.write(chunk, () => setImmediate(write)))
  write()
}
const bomb = (coding: string, compress: (bytes: Buffer) => Buffer) =>
  replies(200, { 'content-encoding': coding }, compress(Buffer.from(`{"data":{"product":{"name":"${'x'.repeat(20_000_000)}"}}}`)))

describe('a subgraph that does not do its part', () => {
  type Row = { what: string; flaw: (exchange: Exchange) => void; code?: string; attempts: number; timeout?: number }
  test.each<Row>([
    { what: 'never answers', flaw: hangs, code: 'TIMEOUT', attempts: 1, timeout: 300 },
    { what: 'answers a blank at a time, for ever', flaw: drips, code: 'TIMEOUT', attempts: 1, timeout: 300 },
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
    const { shop, asked, lines } = await aGraph(timeout === undefined ? {} : { timeoutMilliseconds: timeout })
    shop.always = flaw
    const { data, errors } = await asked(BOTH)
    expect(data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([code ?? 'SUBGRAPH_UNAVAILABLE'])
    expect(JSON.stringify(errors)).not.toMatch(/secret|127\.0\.0\.1|http|localhost|\bat \w/)
    expect(lines.filter(({ msg }) => msg === 'a subgraph could not be asked')).toHaveLength(1)
    expect(shop.requests).toHaveLength(attempts)
  })

  test('refuses the connection: its field is null, one error', async () => {
    const { shop, asked } = await aGraph()
    await new Promise((resolve) => shop.server.close(resolve))
    const { data, errors } = await asked(BOTH)
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { product: null, latestReview: { text: 'Fine.' } },
      ['SUBGRAPH_UNAVAILABLE'],
    ])
    expect(JSON.stringify(errors)).not.toMatch(/127\.0\.0\.1|http|ECONN/)
  })

  test('has another address: nobody follows it, and no credential goes there', async () => {
    const { shop, asked } = await aGraph()
    const elsewhere = await serveRemote(shopSubgraph())
    used.remotes.push(elsewhere)
    for (const status of [301, 302, 303, 307, 308]) {
      shop.always = replies(status, { location: elsewhere.url }, '{"data":{"product":{"name":"Redirected"}}}')
      expect((await asked(NAME)).data).toEqual({ product: null })
    }
    expect(elsewhere.requests).toEqual([])
  })

  test('is down for entities: what others know of them stays', async () => {
    const { review, asked } = await aGraph()
    review.always = replies(503)
    const { data, errors } = await asked('{ product(id: "c") { name rating } }')
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { product: { name: 'Product c', rating: null } },
      ['SUBGRAPH_UNAVAILABLE'],
    ])
  })

  test('says in GraphQL why it is overloaded: that is what clients get, at last', async () => {
    const { shop, asked } = await aGraph()
    const said = '{"errors":[{"message":"Expected fewer questions.","extensions":{"code":"RATE_LIMITED"}}]}'
    shop.always = replies(503, { 'content-type': 'application/json' }, said)
    expect((await asked(NAME)).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(shop.requests).toHaveLength(3)

    shop.always = replies(503, { 'content-type': 'application/graphql-response+json; charset=utf-8' }, said)
    expect((await asked(NAME)).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }])
    expect(shop.requests, 'its own answer, so it was not asked again').toHaveLength(4)
  })
})

describe('retries', () => {
  test.each([
    { what: 'a reset', flaw: resets },
    { what: 'a 503', flaw: replies(503) },
    { what: 'a 429 that says when', flaw: replies(429, { 'retry-after': '0' }) },
  ])('after $what, a query is asked again and nobody notices', async ({ flaw }) => {
    const { shop, asked } = await aGraph()
    shop.next.push(flaw, flaw)
    expect(await asked(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
    expect(shop.requests).toHaveLength(3)
  })

  test.each([
    { what: 'a reset', flaw: resets },
    { what: 'a 503', flaw: replies(503) },
    { what: 'a 429 that says when', flaw: replies(429, { 'retry-after': '0' }) },
  ])('after $what, a mutation is not, nor a query that does something: it may have happened', async ({ flaw }) => {
    for (const [text, data] of [
      [RENAME, { rename: null }],
      ['{ counted }', { counted: null }],
      ['query ($no: Boolean = false) { ... @skip(if: $no) { again: counted } }', { again: null }],
    ] as const) {
      const { shop, asked } = await aGraph()
      shop.next.push(flaw)
      const answer = await asked(text)
      expect([answer.data, answer.errors?.map(({ extensions }) => extensions?.code)]).toEqual([data, ['SUBGRAPH_UNAVAILABLE']])
      expect(shop.requests).toHaveLength(1)
    }
  })

  test('of our graph, the queries that count are asked once', () => {
    const { once } = readSupergraph(parse(ownGraph().supergraphSdl))
    expect([...once].sort()).toEqual(['decide', 'decideBatch'])
  })

  test('an idle connection that is closed as the next query leaves costs nothing', async () => {
    const { shop, asked } = await aGraph()
    const ports: (number | undefined)[] = []
    shop.server.on('connection', ({ remotePort }) => ports.push(remotePort))
    let closed: number | undefined
    shop.next.push(null, ({ request: { socket } }) => {
      closed = socket.remotePort
      socket.destroy()
    })
    await asked(NAME)
    await idle()
    expect(await asked(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
    expect([shop.requests.length, ports.length, closed]).toEqual([3, 2, ports[0]])
  })

  test('stay within the time of the fetch', async () => {
    const { shop, asked } = await aGraph({ timeoutMilliseconds: 500 })
    shop.next.push(resets)
    shop.always = hangs
    expect((await asked(NAME)).errors).toMatchObject([{ extensions: { code: 'TIMEOUT' } }])
    expect(shop.requests).toHaveLength(2)
  })

  test('do not begin when the wait alone would take too long', async () => {
    const { shop, asked } = await aGraph({ timeoutMilliseconds: 900 })
    shop.always = replies(503, { 'retry-after': '1' })
    expect((await asked(NAME)).errors).toMatchObject([{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }])
    expect(shop.requests).toHaveLength(1)
  })

  test('end with the client', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    shop.always = ({ response }) => {
      response.writeHead(503, { 'retry-after': '1' }).end()
      response.on('close', () => setTimeout(() => controller.abort(new Error('gone')), 50))
    }
    const asked = link.execute(aRequest(NAME), { caller: CALLER, signal: controller.signal })
    await expect(asked).rejects.toThrow('gone')
    expect(shop.requests).toHaveLength(1)
  })
})

describe('connections and bodies', () => {
  test('one connection serves one operation after another', async () => {
    const { shop, asked } = await aGraph()
    for (let count = 0; count < 5; count++) {
      await asked(NAME)
      await idle()
    }
    expect([shop.requests.length, shop.connections()]).toEqual([5, 1])
  })

  test('there are at most 64, however many ask', async () => {
    const { shop, link } = await aGraph()
    const all = Array.from({ length: 100 }, () => link.execute(aRequest(NAME), passage()))
    expect((await Promise.all(all)).every(({ errors }) => errors === undefined)).toBe(true)
    expect(shop.connections()).toBe(64)
  })

  test.each([
    ['gzip', zlib.gzipSync],
    ['br', fastBrotli],
    ['zstd', zlib.zstdCompressSync],
    ['GZIP', zlib.gzipSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('a body in %s is read', async (coding, compress) => {
    const { shop, asked } = await aGraph()
    shop.always = async ({ response, body }) => {
      response.setHeader('content-encoding', coding).end(compress(Buffer.from(await answerOf(shopSubgraph(), body))))
    }
    expect(await asked(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
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
      const asked = link.execute(aRequest(NAME), { caller, signal: new AbortController().signal })
      await expect(asked).rejects.toMatchObject({ code: 'SUBGRAPH_UNAVAILABLE' })
    }
    expect([shop.requests.length, link.state()]).toEqual([0, 'closed'])
  })
})

describe('equal fetches of one operation', () => {
  test('that are under way at once are one, whatever the planner calls them', async () => {
    const { review, asked } = await aGraph()
    const TWICE = 'query Twice { a: product(id: "c") { name rating } b: product(id: "c") { name rating } }'
    const c = { name: 'Product c', rating: 0 }
    expect(await asked(TWICE)).toEqual({ data: { a: c, b: c } })
    expect(review.requests).toHaveLength(1)
    // Two clients are two.
    expect(await Promise.all([asked(TWICE), asked(TWICE)])).toEqual([{ data: { a: c, b: c } }, { data: { a: c, b: c } }])
    expect(review.requests).toHaveLength(3)
  })

  test('stay one where each has a span', async () => {
    const tracing = createTracing({ endpoint: 'http://127.0.0.1:9', serviceName: 'test', ratio: 1 })
    const { review, asked } = await aGraph({ tracing })
    await asked('query Twice { a: product(id: "c") { name rating } b: product(id: "c") { name rating } }')
    expect(review.requests.map(({ headers }) => headers.traceparent)).toEqual([expect.stringMatching(/^00-.*-01$/)])
    await tracing.close()
  })

  test('give each an answer of its own; other variables are another fetch, and so is a mutation', async () => {
    const { shop, link } = await aGraph()
    const one = passage()
    const ask = (query: string, variables = {}, within: Passage = one) =>
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
    const one = passage()
    const outcomes = await Promise.allSettled([link.execute(aRequest(NAME), one), link.execute(aRequest(NAME), one)])
    expect([outcomes.map(({ status }) => status), shop.requests.length]).toEqual([['rejected', 'rejected'], 1])
  })
})

describe('the circuit', () => {
  test('opens when nobody answers, says so once, and closes when the subgraph is back', async () => {
    const { shop, link, asked, lines } = await aGraph()
    shop.always = resets
    await asked(NAME)
    expect(link.state()).toBe('closed')
    await asked(NAME)
    expect([link.state(), shop.requests.length]).toEqual(['open', 5])

    const refused = await asked(BOTH)
    expect(refused.data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(refused.errors).toMatchObject([
      {
        message: 'The shop service did not answer this part of the operation.',
        extensions: { code: 'SUBGRAPH_UNAVAILABLE', requestId: 'r-1' },
      },
    ])
    expect(shop.requests).toHaveLength(5)
    const failures = lines.filter(({ msg }) => msg === 'a subgraph could not be asked').map(({ level }) => level)
    expect(failures, 'an outage is not an error line per operation').toEqual([50, 50, 20])

    shop.always = null
    const isBack = async () => expect((await asked(NAME)).errors).toBeUndefined()
    await vi.waitFor(isBack, { timeout: 20_000, interval: 50 })
    expect(link.state()).toBe('closed')
    expect(lines.filter(({ circuit }) => circuit).map(({ circuit, level, subgraph }) => [circuit, level, subgraph])).toEqual([
      ['open', 40, 'shop'],
      ['half-open', 30, 'shop'],
      ['closed', 30, 'shop'],
    ])
  }, 30_000)

  test.each([
    { what: 'questions whose answers are too large', flaw: pours },
    { what: 'a limit on one client', flaw: replies(429) },
    { what: 'refusals that say when to come back', flaw: replies(503, { 'retry-after': '3' }) },
    { what: 'answers that are no GraphQL', flaw: replies(200) },
    {
      what: 'errors in GraphQL, whatever their status',
      flaw: replies(500, {}, '{"errors":[{"message":"Expected another question."}]}'),
    },
  ])('stays closed over $what', async ({ flaw }) => {
    const { shop, link, asked } = await aGraph()
    shop.always = flaw
    for (let count = 0; count < 10; count++) await asked(NAME)
    expect([shop.requests.length, link.state()]).toEqual([10, 'closed'])
  })

  test('stays closed when clients leave', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    let waiting = 0
    shop.always = () => {
      if (++waiting === 10) controller.abort(new Error('gone'))
    }
    const asked = Array.from({ length: 10 }, () => link.execute(aRequest(NAME), { caller: CALLER, signal: controller.signal }))
    expect((await Promise.allSettled(asked)).every(({ status }) => status === 'rejected')).toBe(true)
    expect(link.state()).toBe('closed')
  })

  test('opens over a subgraph that accepts connections and never answers', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const link = httpLink({ name: 'shop', url: `http://127.0.0.1:${port}/`, timeoutMilliseconds: 100 })
    used.links.push(link)
    const asked = Array.from({ length: 5 }, () => link.execute(aRequest(NAME), passage()))
    expect((await Promise.allSettled(asked)).map((outcome) => outcome.status === 'rejected' && outcome.reason.code)).toEqual(
      Array(5).fill('TIMEOUT'),
    )
    expect(link.state()).toBe('open')
    silent.close()
  })
})

describe('a subscription', () => {
  test.each([
    { what: 'a page without end', flaw: pours },
    { what: 'nothing', flaw: hangs },
    { what: 'half', flaw: raw('HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"errors":') },
    { what: 'a reset', flaw: resets },
    { what: 'a redirect', flaw: replies(307, { location: 'http://127.0.0.1:1/' }) },
  ])('that gets $what is refused with a code, asked once', async ({ flaw }) => {
    const { shop, link } = await aGraph({ timeoutMilliseconds: 300 })
    shop.always = flaw
    await expect(link.subscribe?.(aRequest('subscription { sold }'), passage())).rejects.toMatchObject({
      code: 'SUBGRAPH_UNAVAILABLE',
      message: 'The shop service does not send the events of this subscription.',
    })
    expect([shop.requests.length, link.state()]).toEqual([1, 'closed'])
  })

  test('ends with its client, who is not told that the service is gone', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    shop.always = () => controller.abort(new Error('gone'))
    const begun = link.subscribe?.(aRequest('subscription { sold }'), { caller: CALLER, signal: controller.signal })
    await expect(begun).rejects.toThrow('gone')
  })
})

/** undici uses a connection again one turn of the event loop after its last answer. */
const idle = async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
}

const aRequest = (query: string) => ({ query, variables: {}, operationName: undefined })

function fastBrotli(bytes: Buffer): Buffer {
  return zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })
}

/** A frame that needs a window of 64 MB, though it says little: magic number, no flags, window descriptor, one raw block (RFC 8878 §3.1.1). */
function wideZstd(text: string): Buffer {
  const block = Buffer.alloc(3)
  block.writeUIntLE((text.length << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (26 - 10) << 3]), block, Buffer.from(text)])
}
