import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { fetchExchange, subscriptionExchange, Client as UrqlClient } from '@urql/core'
import type { FastifyInstance } from 'fastify'
import { createClient as createEventClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages are read by the paths that each test knows.
type Data = any

let ticker: Ticker
let app: FastifyInstance
let base: string
const cleanups: (() => unknown)[] = []

beforeEach(async () => {
  ticker = await startTicker()
  app = createHttpServer({ log: pino({ level: 'silent' }) })
  await serveGraphql(app, ticker.gateway)
  serveWebSockets(app, ticker.gateway)
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
  await app.close()
})

/** Of a program that asks for events with GET. */
const EVENTS = { accept: 'text/event-stream', 'apollo-require-preflight': '1' }
const ws = () => `${base.replace('http', 'ws')}/graphql`
/** Subscriptions of clients; those who ask the same anonymously share a listener. */
const running = () => ticker.gateway.subscriptions()
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

/** A client that says nothing unless it is told to. */
async function rawSocket({ path = '/graphql', protocol = 'graphql-transport-ws', headers = {} } = {}) {
  const socket = new WebSocket(`${base.replace('http', 'ws')}${path}`, protocol, { headers })
  const messages: Data[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  cleanups.push(() => socket.terminate())
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return {
    socket,
    messages,
    closed,
    say: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** The messages about one operation, or of one type. */
    about: (key: string) => messages.filter(({ id, type }) => id === key || type === key),
  }
}
async function initiated(options: Parameters<typeof rawSocket>[0] = {}, payload?: object) {
  const client = await rawSocket(options)
  client.say({ type: 'connection_init', ...(payload && { payload }) })
  await until(() => client.messages.length > 0)
  return client
}
const operation = (id: string, query: string, variables = {}) => ({ id, type: 'subscribe', payload: { query, variables } })

const ACROSS = 'subscription { ticked { number thing { label } } }'
const COUNT = 1_000
const EXPECTED = Array.from({ length: COUNT }, (_, index) => [index + 1, `Label ${index + 1}`])
const seen = ({ ticked }: Data) => [ticked.number, ticked.thing.label]

/** Ticks as soon as somebody listens. */
async function tickAll(listeners = 1): Promise<void> {
  await until(() => running() === listeners)
  for (let count = 0; count < COUNT; count++) {
    ticker.tick()
    // Now and then a turn for the network, so that bounds of slow readers are not what is tested.
    if (count % 100 === 99) await sleep(5)
  }
}

test('messages of every length that a frame spells differently arrive whole, also beyond ASCII', async () => {
  const client = await initiated()
  for (const around of [125, 65_535]) {
    // About 65 characters stand around the id.
    for (
      let id = 'ö'.repeat(around / 2 - 35);
      Buffer.byteLength(id) < around + 5;
      id += around === 125 || id.length % 2 ? 'x' : 'ö'
    ) {
      client.say(operation(id, '{ __typename }'))
      await until(() => client.about('complete').length === 1)
      expect(client.messages.slice(-2)).toEqual([
        { id, type: 'next', payload: { data: { __typename: 'Query' } } },
        { id, type: 'complete' },
      ])
      client.messages.length = 0
    }
  }
})

describe('real clients get every event across two subgraphs, in order', () => {
  test('graphql-ws', async () => {
    const client = createClient({ url: ws(), webSocketImpl: WebSocket })
    const got: unknown[] = []
    const received = (async () => {
      for await (const { data } of client.iterate<Data>({ query: ACROSS })) {
        if (got.push(seen(data)) === COUNT) break
      }
    })()
    await tickAll()
    await received
    expect(got).toEqual(EXPECTED)
    await client.dispose()
  })

  test('@apollo/client', async () => {
    const wsClient = createClient({ url: ws(), webSocketImpl: WebSocket })
    const client = new ApolloClient({ link: new GraphQLWsLink(wsClient), cache: new InMemoryCache() })
    const got: unknown[] = []
    const received = new Promise<void>((resolve, reject) => {
      const subscription = client.subscribe({ query: gql(ACROSS), fetchPolicy: 'no-cache' }).subscribe({
        next: ({ data, error }: Data) => {
          if (error) reject(error)
          if (got.push(seen(data)) === COUNT) {
            subscription.unsubscribe()
            resolve()
          }
        },
        error: reject,
      })
    })
    await tickAll()
    await received
    expect(got).toEqual(EXPECTED)
    // The same client asks over HTTP.
    const queryClient = new ApolloClient({ link: new HttpLink({ uri: `${base}/graphql` }), cache: new InMemoryCache() })
    expect((await queryClient.query({ query: gql('{ now }') })).data).toEqual({ now: COUNT })
    client.stop()
    await wsClient.dispose()
  })

  test('urql', async () => {
    const wsClient = createClient({ url: ws(), webSocketImpl: WebSocket })
    const client = new UrqlClient({
      url: `${base}/graphql`,
      preferGetMethod: false,
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({ unsubscribe: wsClient.subscribe({ query, variables: variables as never }, sink as never) }),
          }),
        }),
      ],
    })
    const got: unknown[] = []
    const received = new Promise<void>((resolve, reject) => {
      const { unsubscribe } = client.subscription<Data>(ACROSS, {}).subscribe(({ data, error }) => {
        if (error) reject(error)
        if (got.push(seen(data)) === COUNT) {
          unsubscribe()
          resolve()
        }
      })
    })
    await tickAll()
    await received
    expect(got).toEqual(EXPECTED)
    await wsClient.dispose()
  })

  test('graphql-sse', async () => {
    const client = createEventClient({ url: `${base}/graphql` })
    const got: unknown[] = []
    const received = (async () => {
      for await (const { data } of client.iterate<Data>({ query: ACROSS })) {
        if (got.push(seen(data)) === COUNT) break
      }
    })()
    await tickAll()
    await received
    expect(got).toEqual(EXPECTED)
    client.dispose()
    await until(() => ticker.listening() === 0)
  })
})

describe('an event', () => {
  test('is executed once for all subscribers of the same operation', async () => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => initiated()))
    for (const { say } of clients) say(operation('1', 'subscription { ticked { number text thing { label } } }'))
    await until(() => running() === 50)
    for (let count = 0; count < 3; count++) ticker.tick('hello')
    await until(() => clients.every(({ about }) => about('1').length === 3))
    expect(ticker.worked).toEqual({ text: 3, label: 3, mine: 0 })
    const [first] = clients
    expect(first?.about('1')[2]).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { ticked: { number: 3, text: 'hello', thing: { label: 'Label 3' } } } },
    })
  })

  test('is computed separately for another selection, other variables, and per viewer where a field depends on the viewer', async () => {
    const mine = 'subscription { ticked { mine } }'
    const [ann, same, ben] = [
      await initiated({}, { authorization: 'Bearer ann' }),
      await initiated({ headers: { authorization: 'Bearer ann' } }),
      await initiated({ headers: { authorization: 'Bearer carol' } }, { Authorization: 'Bearer ben' }),
    ]
    for (const client of [ann, same, ben]) client.say(operation('mine', mine))
    ann.say(operation('text', 'subscription { ticked { text } }'))
    ben.say(operation('text', 'subscription ($c: String!) { ticked(channel: $c) { text } }', { c: 'main' }))
    await until(() => running() === 5)
    // Those of ann are one.
    expect(ticker.listening()).toBe(4)
    ticker.tick('hello')
    const all = [ann, same, ben]
    await until(() => all.every(({ about }) => about('mine').length === 1) && ben.about('text').length === 1)
    expect(all.map(({ about }) => about('mine')[0].payload.data.ticked.mine)).toEqual(['Bearer ann', 'Bearer ann', 'Bearer ben'])
    expect(ticker.worked.text).toBe(2)
    // Nobody is told something that was worked out for somebody else.
    expect(ticker.worked.mine).toBe(2)
  })

  test('that fails has a masked error, and the next event follows', async () => {
    const client = await initiated()
    client.say(operation('1', 'subscription { ticked { text } }'))
    await until(() => ticker.listening() === 1)
    ticker.tick('broken')
    ticker.tick('fine')
    await until(() => client.about('1').length === 2)
    const [broken, fine] = client.about('1')
    expect(broken.payload).toEqual({
      data: null,
      errors: [{ message: expect.stringContaining('quote request'), path: ['ticked', 'text'], extensions: expect.anything() }],
    })
    expect(fine.payload).toEqual({ data: { ticked: { text: 'fine' } } })
    expect(JSON.stringify(ticker.lines)).toContain('hunter2')
    expect(JSON.stringify(client.messages)).not.toContain('hunter2')
  })
})

describe('over WebSocket', () => {
  test('queries and mutations work as well, also while a subscription runs', async () => {
    const client = await initiated()
    client.say(operation('s', 'subscription { ticked { text } }'))
    await until(() => ticker.listening() === 1)
    client.say(operation('m', 'mutation ($t: String) { tick(text: $t) }', { t: 'from a mutation' }))
    client.say(operation('q', '{ labels }'))
    await until(() => client.about('complete').length === 2 && client.about('s').length === 1)
    expect(client.about('m')).toEqual([
      { id: 'm', type: 'next', payload: { data: { tick: 1 } } },
      { id: 'm', type: 'complete' },
    ])
    expect(client.about('s')[0].payload.data).toEqual({ ticked: { text: 'from a mutation' } })
  })

  test.each([
    ['a syntax error', '{ now', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', 'subscription { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['two fields', 'subscription { ticked { number } failing { number } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a condition', 'subscription ($s: Boolean!) { ticked @skip(if: $s) { number } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'too much depth',
      `subscription { ticked { ${'thing { '.repeat(1)} __typename ${'} '.repeat(1)} } } query { now }`,
      'OPERATION_RESOLUTION_FAILURE',
    ],
    ['cost', 'subscription { many(first: 900) { number text thing { label } } }', 'COST_LIMIT_EXCEEDED'],
    ['a page that is too long', 'subscription { many(first: 9000) { number } }', 'PAGE_SIZE_OUT_OF_RANGE'],
    ['a wrong variable', 'subscription ($c: String!) { ticked(channel: $c) { number } }', 'BAD_USER_INPUT'],
    ['a subgraph that says no', 'subscription { refused { number } }', 'FORBIDDEN'],
  ])('%s ends one operation and not the socket', async (_, query, code) => {
    const client = await initiated()
    client.say(operation('bad', query))
    await until(() => client.about('bad').length > 0)
    expect(client.about('bad')).toMatchObject([
      { type: 'error', payload: [{ extensions: { code, requestId: expect.any(String) } }] },
    ])
    client.say(operation('good', '{ now }'))
    await until(() => client.about('good').length === 2)
    expect(ticker.listening()).toBe(0)
  })

  test('a source that fails ends its subscription with an error without detail', async () => {
    const client = await initiated()
    client.say(operation('1', 'subscription { failing { number } }'))
    await until(() => client.about('1').length === 2)
    const [first, last] = client.about('1')
    expect(first.payload).toEqual({ data: { failing: { number: 1 } } })
    expect(last).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] })
    expect(JSON.stringify(last)).not.toContain('hunter2')
  })

  test.each([
    ['no JSON', 'nonsense', 4400],
    ['no message', '{"type":"nonsense"}', 4400],
    ['no query', '{"id":"1","type":"subscribe","payload":{}}', 4400],
    ['variables that are no object', '{"id":"1","type":"subscribe","payload":{"query":"{ now }","variables":3}}', 4400],
    ['a second connection_init', '{"type":"connection_init"}', 4429],
  ])('%s closes the socket', async (_, text, code) => {
    const client = await initiated()
    client.say(text)
    expect((await client.closed).code).toBe(code)
  })

  test('an operation before connection_init, a frame of bytes, and a message that is too long close the socket', async () => {
    const early = await rawSocket()
    early.say(operation('1', '{ now }'))
    expect((await early.closed).code).toBe(4401)
    const bytes = await initiated()
    bytes.socket.send(Buffer.from('{"type":"ping"}'))
    expect((await bytes.closed).code).toBe(4400)
    const long = await initiated()
    long.say('x'.repeat(100_001))
    expect((await long.closed).code).toBe(1009)
  })

  test('one id runs once at a time', async () => {
    const client = await initiated()
    client.say(operation('1', ACROSS))
    client.say(operation('1', ACROSS))
    expect((await client.closed).code).toBe(4409)
    await until(() => ticker.listening() === 0)
  })

  test('more than 100 operations at once are refused one by one', async () => {
    const client = await initiated()
    for (let id = 1; id <= 101; id++) client.say(operation(String(id), ACROSS))
    await until(() => running() === 100 && client.about('101').length === 1)
    expect(client.about('101')).toMatchObject([{ type: 'error', payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }] }])
    client.say({ id: '1', type: 'complete' })
    await until(() => running() === 99)
    client.say(operation('102', '{ now }'))
    await until(() => client.about('102').length === 2)
  })

  test('other paths and other protocols are refused', async () => {
    await expect(rawSocket({ path: '/other' })).rejects.toThrow('404')
    const other = new WebSocket(ws(), 'graphql-ws')
    await expect(new Promise((_, reject) => other.once('error', reject))).rejects.toThrow()
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: ACROSS }),
    })
    const { errors } = (await response.json()) as Data
    expect([response.status, errors[0].extensions.code]).toEqual([400, 'SUBSCRIPTIONS_NOT_SUPPORTED'])
    expect(errors[0].message).toContain('WebSocket')
  })

  test('a ping is answered', async () => {
    const client = await initiated()
    client.say({ type: 'ping', payload: { a: 1 } })
    await until(() => client.about('pong').length === 1)
    expect(client.about('pong')).toEqual([{ type: 'pong', payload: { a: 1 } }])
  })

  test('a client that does not read delays no other client: its events wait at the source', async () => {
    const [slow, quick] = [await initiated(), await initiated()]
    for (const { say } of [slow, quick]) say(operation('1', 'subscription { ticked { number text } }'))
    await until(() => running() === 2)
    slow.socket.pause()
    for (let ticks = 0; ticks < 200; ticks++) {
      ticker.tick('x'.repeat(50_000))
      await sleep(1)
    }
    await until(() => quick.about('1').length === 200)
    slow.socket.resume()
    await until(() => slow.about('1').length === 200)
    expect(slow.about('1').map(({ payload }) => payload.data.ticked.number)).toEqual(
      EXPECTED.slice(0, 200).map(([number]) => number),
    )
  })

  test('a reader for whom a megabyte waits is cut off', async () => {
    const client = await initiated()
    for (let id = 1; id <= 90; id++) client.say(operation(String(id), 'subscription { ticked { text } }'))
    await until(() => running() === 90)
    client.socket.pause()
    for (let ticks = 0; ticks < 5; ticks++) ticker.tick('x'.repeat(100_000))
    await until(() => ticker.listening() === 0)
  })
})

describe('everything is released', () => {
  test('after 200 connects and disconnects, graceful and not, over both transports', async () => {
    const before = process.getActiveResourcesInfo().length
    for (let round = 0; round < 20; round++) {
      const clients = await Promise.all(Array.from({ length: 10 }, () => initiated()))
      for (const { say } of clients) say(operation('1', ACROSS))
      const aborts = Array.from({ length: 5 }, () => new AbortController())
      const streams = aborts.map(({ signal }) =>
        fetch(`${base}/graphql?${new URLSearchParams({ query: ACROSS })}`, { headers: EVENTS, signal }),
      )
      await Promise.all(streams)
      await until(() => running() === 15)
      ticker.tick()
      for (const [index, { socket }] of clients.entries()) {
        if (index % 2 === 0) socket.terminate()
        else socket.close()
      }
      for (const abort of aborts) abort.abort()
    }
    await until(() => ticker.listening() === 0)
    await until(() => process.getActiveResourcesInfo().length <= before)
  })

  test('when the server stops: queries are answered, then sockets are closed with 1001', async () => {
    const [idle, busy] = [await initiated(), await initiated()]
    idle.say(operation('1', ACROSS))
    busy.say(operation('slow', '{ later(milliseconds: 300) }'))
    await until(() => ticker.listening() === 1)
    const stream = await fetch(`${base}/graphql?${new URLSearchParams({ query: ACROSS })}`, {
      headers: EVENTS,
    })
    await sleep(50)
    const closing = app.close()
    expect((await idle.closed).code).toBe(1001)
    expect((await busy.closed).code).toBe(1001)
    expect(busy.about('slow')[0].payload.data).toEqual({ later: 0 })
    await stream.text()
    await closing
    expect(ticker.listening()).toBe(0)
  })
})

describe('as an event stream', () => {
  const ask = async (init: RequestInit, search = '') => {
    const answer = await fetch(`${base}/graphql${search}`, init)
    const text = await answer.text()
    const events = [...text.matchAll(/event: (\w+)\ndata:(.*)\n\n/g)].map(([, event, data = '']) => [
      event,
      data.trim() === '' ? null : JSON.parse(data),
    ])
    return { status: answer.status, headers: answer.headers, events }
  }
  const post = (body: unknown) =>
    ask({
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('a query has one result, and the stream ends', async () => {
    const { status, headers, events } = await post({ query: '{ labels }' })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(events).toEqual([
      ['next', { data: { labels: 0 } }],
      ['complete', null],
    ])
  })

  test.each([
    ['a syntax error', { query: '{ now' }, 'GRAPHQL_PARSE_FAILED'],
    ['no query', {}, 'BAD_USER_INPUT'],
    ['a list', [], 'BAD_USER_INPUT'],
    ['variables that are no object', { query: '{ now }', variables: 3 }, 'BAD_USER_INPUT'],
    ['a wrong variable', { query: 'subscription ($c: String!) { ticked(channel: $c) { number } }' }, 'BAD_USER_INPUT'],
    ['a subgraph that says no', { query: 'subscription { refused { number } }' }, 'FORBIDDEN'],
  ])('%s is reported in the stream', async (_, body, code) => {
    const { events } = await post(body)
    expect(events).toMatchObject([
      ['next', { errors: [{ extensions: { code, requestId: expect.any(String) } }] }],
      ['complete', null],
    ])
  })

  test('a mutation needs POST', async () => {
    const headers = EVENTS
    const { events } = await ask({ headers }, `?${new URLSearchParams({ query: 'mutation { tick }' })}`)
    expect(events[0]).toMatchObject(['next', { errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED' } }] }])
    const { events: read } = await ask(
      { headers },
      `?${new URLSearchParams({ query: 'query ($m: Int!) { later(milliseconds: $m) }', variables: '{"m":1}' })}`,
    )
    expect(read[0]).toEqual(['next', { data: { later: 0 } }])
  })
})
