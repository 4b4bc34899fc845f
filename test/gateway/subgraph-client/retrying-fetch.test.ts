import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { parse } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { builtInSupergraph } from '../../../composition/built-in-supergraph.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { aCertificate } from '../../subgraphs/trust/collectors/support/certificates.ts'
import { CALLER, requestContext } from '../support/graph.ts'
import { aGraph, aRequest, aShop, BOTH, hangs, idle, NAME, pours, RENAME, replies, resets } from '../support/http-graph.ts'

describe('retries', () => {
  test.each([
    { what: 'a reset', flaw: resets },
    { what: 'a 503', flaw: replies(503) },
    { what: 'a 429 that says when', flaw: replies(429, { 'retry-after': '0' }) },
  ])('after $what, a query is retried without an error', async ({ flaw }) => {
    const { shop, executing } = await aGraph()
    shop.next.push(flaw, flaw)
    expect(await executing(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
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
      const { shop, executing } = await aGraph()
      shop.next.push(flaw)
      const answer = await executing(text)
      expect([answer.data, answer.errors?.map(({ extensions }) => extensions?.code)]).toEqual([data, ['SUBGRAPH_UNAVAILABLE']])
      expect(shop.requests).toHaveLength(1)
    }
  })

  test('queries of our graph with side effects are never retried', () => {
    const { queriesWithSideEffects: once } = readSupergraph(parse(builtInSupergraph().supergraphSdl))
    expect([...once].sort()).toEqual(['decide', 'decideBatch'])
  })

  test('an idle connection that is closed as the next query leaves costs nothing', async () => {
    const { shop, executing } = await aGraph()
    const ports: (number | undefined)[] = []
    shop.server.on('connection', ({ remotePort }) => ports.push(remotePort))
    let closed: number | undefined
    shop.next.push(null, ({ request: { socket } }) => {
      closed = socket.remotePort
      socket.destroy()
    })
    await executing(NAME)
    await idle()
    expect(await executing(NAME)).toEqual({ data: { product: { name: 'Product a' } } })
    expect([shop.requests.length, ports.length, closed]).toEqual([3, 2, ports[0]])
  })

  test('stay within the time of the fetch', async () => {
    const { shop, executing } = await aGraph({ timeoutMilliseconds: 1_500 })
    shop.next.push(resets)
    shop.always = hangs
    expect((await executing(NAME)).errors).toMatchObject([{ extensions: { code: 'TIMEOUT' } }])
    expect(shop.requests).toHaveLength(2)
  })

  test('do not begin when the wait alone would take too long', async () => {
    const { shop, executing } = await aGraph({ timeoutMilliseconds: 900 })
    shop.always = replies(503, { 'retry-after': '1' })
    expect((await executing(NAME)).errors).toMatchObject([{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }])
    expect(shop.requests).toHaveLength(1)
  })

  test('do not begin when a process that had other things to do wakes up too late for them', async () => {
    const { shop, executing } = await aGraph({ timeoutMilliseconds: 1_100 })
    shop.always = ({ response }) => {
      response.writeHead(503, { 'retry-after': '1' }).end()
      response.on('close', () => setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300), 50))
    }
    expect((await executing(NAME)).errors).toMatchObject([{ extensions: { code: 'TIMEOUT' } }])
    await idle()
    expect(shop.requests).toHaveLength(1)
  })

  test('end with the client', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    shop.always = ({ response }) => {
      response.writeHead(503, { 'retry-after': '1' }).end()
      response.on('close', () => setTimeout(() => controller.abort(new Error('gone')), 50))
    }
    const executing = link.execute(aRequest(NAME), { caller: CALLER, signal: controller.signal })
    await expect(executing).rejects.toThrow('gone')
    expect(shop.requests).toHaveLength(1)
  })
})

describe('the circuit', () => {
  test('opens when the subgraph is unreachable, logs it once, and closes when the subgraph is back', async () => {
    const { shop, link, executing, lines } = await aGraph()
    shop.always = resets
    await executing(NAME)
    expect(link.circuitState()).toBe('closed')
    await executing(NAME)
    expect([link.circuitState(), shop.requests.length]).toEqual(['open', 5])

    const refused = await executing(BOTH)
    expect(refused.data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(refused.errors).toMatchObject([
      {
        message: 'The shop service did not answer this part of the operation.',
        extensions: { code: 'SUBGRAPH_UNAVAILABLE', requestId: 'r-1' },
      },
    ])
    expect(shop.requests).toHaveLength(5)
    const failures = lines.filter(({ msg }) => msg === 'a fetch from a subgraph failed').map(({ level }) => level)
    expect(failures, 'an outage is not an error line per operation').toEqual([50, 50, 20])

    shop.always = null
    await expect.poll(async () => (await executing(NAME)).errors, { timeout: 20_000 }).toBeUndefined()
    expect(link.circuitState()).toBe('closed')
    expect(lines.filter(({ circuit }) => circuit).map(({ circuit, level, subgraph }) => [circuit, level, subgraph])).toEqual([
      ['open', 40, 'shop'],
      ['half-open', 30, 'shop'],
      ['closed', 30, 'shop'],
    ])
  })

  test.each([
    { what: 'questions whose answers are too large', flaw: pours },
    { what: 'answers whose headers are', flaw: replies(200, { 'x-much': 'x'.repeat(20_000) }) },
    { what: 'a limit on one client', flaw: replies(429) },
    { what: 'refusals that say when to come back', flaw: replies(503, { 'retry-after': '3' }) },
    { what: 'answers that are no GraphQL', flaw: replies(200) },
    {
      what: 'errors in GraphQL, whatever their status',
      flaw: replies(500, {}, '{"errors":[{"message":"Expected another question."}]}'),
    },
  ])('stays closed over $what', async ({ flaw }) => {
    const { shop, link, executing } = await aGraph()
    shop.always = flaw
    for (let count = 0; count < 10; count++) await executing(NAME)
    expect([shop.requests.length, link.circuitState()]).toEqual([10, 'closed'])
  })

  test('stays closed when clients leave', async () => {
    const { shop, link } = await aGraph()
    const controller = new AbortController()
    let waiting = 0
    shop.always = () => {
      if (++waiting === 10) controller.abort(new Error('gone'))
    }
    const executing = Array.from({ length: 10 }, () =>
      link.execute(aRequest(NAME), { caller: CALLER, signal: controller.signal }),
    )
    expect((await Promise.allSettled(executing)).every(({ status }) => status === 'rejected')).toBe(true)
    expect(link.circuitState()).toBe('closed')
  })

  test.each([
    { who: 'speaks no HTTP', serve: async () => `http://127.0.0.1:${await listening(createServer(greets))}/` },
    { who: 'answers no HTTP in the end', serve: async () => `http://127.0.0.1:${await listening(createServer(stumbles))}/` },
    { who: 'speaks no TLS', serve: async () => (await aShop()).url.replace('http', 'https') },
    {
      who: 'shows a certificate that nobody believes',
      serve: async () => `https://127.0.0.1:${await listening(createTlsServer(await aCertificate({ authority: null })))}/`,
    },
  ])('opens for a subgraph that $who, which gets no further request at once', async ({ serve }) => {
    const link = createRemoteLink({ name: 'shop', url: await serve() })
    onTestFinished(() => link.close())
    for (let count = 0; count < 5; count++) {
      expect(link.circuitState()).toBe('closed')
      await expect(link.execute(aRequest(NAME), requestContext())).rejects.toMatchObject({ code: 'SUBGRAPH_UNAVAILABLE' })
    }
    expect(link.circuitState()).toBe('open')
  })

  test('opens over a subgraph that accepts connections and never answers', async () => {
    const hanging = createServer(() => {})
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const address = hanging.address()
    const port = typeof address === 'object' ? address?.port : 0
    const link = createRemoteLink({ name: 'shop', url: `http://127.0.0.1:${port}/`, timeoutMilliseconds: 100 })
    onTestFinished(() => link.close())
    const executing = Array.from({ length: 5 }, () => link.execute(aRequest(NAME), requestContext()))
    expect((await Promise.allSettled(executing)).map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
      Array(5).fill('TIMEOUT'),
    )
    expect(link.circuitState()).toBe('open')
    hanging.close()
  })
})

/** The port of a server, until the test ends. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
const says = (text: string) => (socket: Socket) => void socket.on('error', () => {}).once('data', () => void socket.end(text))
const greets = says('SSH-2.0-OpenSSH_9\r\n')
const stumbles = says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno number\r\n')
