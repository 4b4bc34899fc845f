import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  defaultSubscriptionLimits,
  isRefusal,
  SUBSCRIPTION_BYTES,
  type SubscriptionBound,
  type SubscriptionLimits,
  type SubscriptionSlots,
  subscriptionSlots,
} from '../../../gateway/limits/subscription-slots.ts'
import type { Running } from '../../../gateway/subscriptions/subscribe.ts'
import { streamOperations } from '../../../gateway/transports/event-stream.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { followed } from '../support/subscription-reader.ts'
import { startTicker, type Ticker } from '../support/ticker.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages are read by the paths that each test knows.
type Data = any

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

const ROOMY: SubscriptionLimits = { perAddress: 0, perCredential: 0, memoryBytes: 1e9 }
const TICKED = 'subscription { ticked { number text } }'
const MINE = 'subscription { ticked { mine } }'

type Server = {
  readonly ticker: Ticker
  readonly slots: SubscriptionSlots
  readonly refusals: readonly SubscriptionBound[]
  readonly base: string
  readonly app: FastifyInstance
}

/** A gateway at its doors, which believes what a client says about its address. */
async function serve(limits: Partial<SubscriptionLimits>, loadLimit = 0): Promise<Server> {
  const refusals: SubscriptionBound[] = []
  const slots = subscriptionSlots({ ...ROOMY, ...limits }, (bound) => refusals.push(bound))
  const ticker = await startTicker(undefined, null, slots)
  const isProxy = () => true
  const app = createHttpServer({ log: pino({ level: 'silent' }), isProxy, loadLimit })
  await serveGraphql(app, ticker.gateway)
  const stream = streamOperations(app, ticker.gateway)
  app.get('/page/events', (request, reply) => stream(request, reply, { text: TICKED, variables: {}, credentials: {} }))
  serveWebSockets(app, ticker.gateway, { isProxy })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  cleanups.push(() => app.close())
  return { ticker, slots, refusals, base, app }
}

/** A socket of a client at `address`, which is acknowledged. */
async function connect({ base }: Server, address = '192.0.2.1', authorization?: string) {
  const headers = { 'x-forwarded-for': address }
  const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers })
  cleanups.push(() => socket.terminate())
  const messages: Data[] = []
  socket.on('message', (bytes) => messages.push(JSON.parse(String(bytes))))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const say = (message: object) => socket.send(JSON.stringify(message))
  say({ type: 'connection_init', ...(authorization && { payload: { authorization } }) })
  await expect.poll(() => messages.length).toBe(1)
  return {
    socket,
    say,
    subscribe: (id: string, query = TICKED, variables = {}) => say({ id, type: 'subscribe', payload: { query, variables } }),
    about: (id: string) => messages.filter((message) => message.id === id),
  }
}

const refused = (bound: SubscriptionBound, limit?: number) => [
  {
    type: 'error',
    payload: [
      {
        extensions: {
          code: 'TOO_MANY_SUBSCRIPTIONS',
          bound,
          ...(limit && { limit }),
          retryAfterSeconds: expect.any(Number),
          requestId: expect.any(String),
        },
      },
    ],
  },
]

async function eventStream({ base }: Server, address: string, query = TICKED) {
  const controller = new AbortController()
  cleanups.push(() => controller.abort())
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  })
  return { answer, leave: () => controller.abort() }
}

describe('what anonymous callers share', () => {
  test('is the source: a hundred equal subscriptions, over sockets and event streams, share one listener, and all get its events', async () => {
    const server = await serve({})
    const { ticker } = server
    const clients = await Promise.all(Array.from({ length: 10 }, (_, index) => connect(server, `192.0.2.${index}`)))
    for (const { subscribe } of clients) for (let id = 0; id < 10; id++) subscribe(String(id))
    const { answer } = await eventStream(server, '192.0.2.99')
    await expect.poll(() => ticker.gateway.subscriptions()).toBe(101)
    expect(ticker.listening()).toBe(1)
    ticker.tick('hello')
    for (const { about } of clients) {
      await expect
        .poll(() => about('9'))
        .toEqual([{ id: '9', type: 'next', payload: { data: { ticked: { number: 1, text: 'hello' } } } }])
    }
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('hello')) text += (await reader?.read())?.value
    expect(ticker.worked.text).toBe(1)
    for (const { socket } of clients) socket.terminate()
    await expect.poll(() => ticker.gateway.subscriptions()).toBe(1)
    expect(ticker.listening()).toBe(1)
  })

  test('is nothing with another selection or other variables, but with variables that the operation does not know', async () => {
    const server = await serve({})
    const client = await connect(server)
    const byChannel = 'subscription ($channel: String!) { ticked(channel: $channel) { text } }'
    client.subscribe('1', byChannel, { channel: 'a' })
    client.subscribe('2', byChannel, { channel: 'b' })
    client.subscribe('3', byChannel, { channel: 'b', junk: { of: ['any', 'kind'] } })
    client.subscribe('4', 'subscription { ticked(channel: "b") { number } }')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(4)
    expect(server.ticker.listening()).toBe(3)
    server.ticker.tick('only b', 'b')
    await expect.poll(() => client.about('2').length + client.about('3').length + client.about('4').length).toBe(3)
    expect(client.about('1')).toEqual([])
  })

  test('is shared by callers with equal credentials and address only', async () => {
    const server = await serve({})
    const clients = [
      await connect(server),
      await connect(server, '192.0.2.1', 'ann'),
      await connect(server, '192.0.2.1', 'ann'),
      // Bans are by address.
      await connect(server, '192.0.2.2', 'ann'),
      await connect(server, '192.0.2.1', 'ben'),
    ]
    for (const { subscribe } of clients) subscribe('1', MINE)
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(5)
    expect(server.ticker.listening()).toBe(4)
    server.ticker.tick()
    const mine = () => clients.map(({ about }) => about('1')[0]?.payload.data.ticked.mine)
    await expect.poll(mine).toEqual([null, 'ann', 'ann', 'ann', 'ben'])
    expect(server.ticker.worked.mine).toBe(4)
    // Whoever opened it may leave.
    clients[1]?.socket.terminate()
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(4)
    server.ticker.tick()
    await expect.poll(() => clients[2]?.about('1').length).toBe(2)
    for (const { socket } of clients) socket.terminate()
    await expect.poll(() => [server.ticker.listening(), server.slots.memory().usedBytes]).toEqual([0, 0])
  })

  test('is not shared over connections of one user token when a field depends on the viewer: the session may have ended', async () => {
    const server = await serve({})
    const token = 'Bearer aaaa.bbbb.cccc'
    const [one, other] = [await connect(server, '192.0.2.1', token), await connect(server, '192.0.2.1', token)]
    for (const id of ['1', '2']) for (const { subscribe } of [one, other]) subscribe(id, MINE)
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(4)
    expect(server.ticker.listening()).toBe(2)
  })

  test('is opened again by the first subscriber after its end, and its rejection reaches all who waited', async () => {
    const server = await serve({})
    const client = await connect(server)
    for (const id of ['1', '2', '3']) client.subscribe(id, 'subscription { refused { number } }')
    await expect
      .poll(() => ['1', '2', '3'].map((id) => client.about(id)[0]?.payload[0].extensions.code))
      .toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
    for (const id of ['4', '5']) client.subscribe(id, 'subscription { failing { number } }')
    await expect
      .poll(() => ['4', '5'].map((id) => client.about(id).map(({ type }) => type)))
      .toEqual([
        ['next', 'error'],
        ['next', 'error'],
      ])
    expect(client.about('4')[1].payload[0].extensions.requestId).not.toBe(client.about('5')[1].payload[0].extensions.requestId)
    client.subscribe('6', 'subscription { failing { number } }')
    await expect.poll(() => client.about('6').length).toBe(2)
    expect(server.slots.memory().usedBytes).toBe(0)
  })
})

describe('the pace of subscribers to one source', () => {
  const caller = { requestId: 'r', address: '192.0.2.1', credentials: {} }
  const begin = async ({ ticker }: Server): Promise<Running> => {
    const prepared = ticker.gateway.prepareText(TICKED, undefined)
    const opened =
      prepared.kind === 'executable' && (await prepared.subscribe?.({}, { caller, signal: AbortSignal.timeout(5_000) }))
    if (!opened || opened.kind === 'refused') throw new Error('Expected a subscription that runs.')
    return opened.source
  }

  test('is their own: one that is 1,000 events behind gets all of them, one farther behind is disconnected alone', async () => {
    const server = await serve({})
    const [slow, slower, quick] = [followed(await begin(server)), followed(await begin(server)), followed(await begin(server))]
    const numbers: unknown[] = []
    for (let count = 1; count <= 1_001; count++) {
      server.ticker.tick(String(count))
      const event = await quick.next()
      if ('data' in event) numbers.push((event.data as Data).ticked.number)
    }
    // The first is with its network.
    for (let count = 1; count <= 1_001; count++) {
      expect(await slow.next()).toMatchObject({ data: { ticked: { number: count } } })
    }
    server.ticker.tick()
    expect(await quick.next()).toMatchObject({ data: { ticked: { number: 1_002 } } })
    expect(await slow.next()).toMatchObject({ data: { ticked: { number: 1_002 } } })
    expect(await slower.next()).toMatchObject({ data: { ticked: { number: 1 } } })
    expect(await slower.next()).toMatchObject({ ended: [{ extensions: { code: 'SLOW_READER' } }] })
    expect(numbers).toEqual(Array.from({ length: 1_001 }, (_, index) => index + 1))
    expect(server.ticker.gateway.subscriptions()).toBe(2)
    slow.return()
    quick.return()
    quick.return()
    expect([server.ticker.gateway.subscriptions(), server.ticker.listening(), server.slots.memory().usedBytes]).toEqual([0, 0, 0])
  })
})

describe('bounds', () => {
  test('of an address: over sockets and event streams together, of IPv6 by network; others are served, the socket lives', async () => {
    const server = await serve({ perAddress: 3 })
    const [one, other] = [await connect(server, '2001:db8::1'), await connect(server, '2001:db8:0:1::1')]
    one.subscribe('1')
    one.subscribe('2', 'subscription { ticked { number } }')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(2)
    const { leave } = await eventStream(server, '2001:db8::2')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(3)

    one.subscribe('3')
    await expect.poll(() => one.about('3')).toMatchObject(refused('ADDRESS', 3))
    const { answer } = await eventStream(server, '2001:db8::3')
    expect(await answer.text()).toMatch(
      /event: next\ndata: .*"TOO_MANY_SUBSCRIPTIONS".*"retryAfterSeconds":(?:1\d|20).*\n\nevent: complete/s,
    )
    other.subscribe('1')
    one.say({ id: 'q', type: 'subscribe', payload: { query: '{ labels }' } })
    await expect.poll(() => one.about('q')).toMatchObject([{ payload: { data: { labels: 0 } } }, { type: 'complete' }])
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(4)

    // Places are free again when one completes, and when a client leaves.
    one.say({ id: '1', type: 'complete' })
    leave()
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(2)
    one.subscribe('4')
    one.subscribe('5')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(4)
    expect(server.refusals).toEqual(['ADDRESS', 'ADDRESS'])
    for (const { socket } of [one, other]) socket.terminate()
    await expect.poll(() => [server.slots.remembered(), server.slots.memory().usedBytes]).toEqual([0, 0])
  })

  test('of an address: also over the streams of pages, each in a tab', async () => {
    const server = await serve({ perAddress: 2 })
    const tab = async (address: string) => {
      const controller = new AbortController()
      cleanups.push(() => controller.abort())
      const { signal } = controller
      const answer = await fetch(`${server.base}/page/events`, { signal, headers: { 'x-forwarded-for': address } })
      return { answer, close: () => controller.abort() }
    }
    const [first] = [await tab('192.0.2.1'), await tab('192.0.2.1')]
    expect(await (await tab('192.0.2.1')).answer.text()).toMatch(
      /^:\n\nevent: next\ndata: .*"TOO_MANY_SUBSCRIPTIONS".*\n\nevent: complete/s,
    )
    await tab('192.0.2.2')
    expect(server.ticker.gateway.subscriptions()).toBe(3)
    expect(server.refusals).toEqual(['ADDRESS'])
    first.close()
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(2)
    await tab('192.0.2.1')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(3)
  })

  test('of a credential: from all addresses together, and not of those without one', async () => {
    const server = await serve({ perCredential: 2 })
    const [home, office, ben, nobody] = [
      await connect(server, '192.0.2.1', 'ann'),
      await connect(server, '192.0.2.2', 'ann'),
      await connect(server, '192.0.2.1', 'ben'),
      await connect(server, '192.0.2.1'),
    ]
    home.subscribe('1')
    office.subscribe('1')
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(2)
    office.subscribe('2')
    await expect.poll(() => office.about('2')).toMatchObject(refused('CREDENTIAL', 2))
    ben.subscribe('1')
    for (const id of ['1', '2', '3']) nobody.subscribe(id)
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(6)
  })

  test('of memory: a shared source costs little, a document of its own costs most', async () => {
    const { each, source, document, documentCharacter } = SUBSCRIPTION_BYTES
    const shared = source + document + TICKED.length * documentCharacter
    const server = await serve({ memoryBytes: shared + 2 * (source + document) + 5 * each })
    const client = await connect(server)
    for (let id = 0; id < 30; id++) client.subscribe(String(id), TICKED)
    await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(30)
    const before = server.slots.memory().usedBytes
    expect(before).toBeGreaterThanOrEqual(shared + 30 * each)
    client.subscribe('own', 'subscription { a: ticked { number text } }')
    await expect.poll(() => client.about('own')).toMatchObject(refused('MEMORY'))
    // Nothing is left of what was refused.
    expect(server.slots.memory().usedBytes).toBe(before)
    client.socket.terminate()
    await expect.poll(() => server.slots.memory().usedBytes).toBe(0)
  })

  test('count long ids, long texts and long variables, which are kept as long as the subscription', async () => {
    const server = await serve({})
    const client = await connect(server)
    const used = async (count: number) => {
      await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(count)
      return server.slots.memory().usedBytes
    }
    const query = 'subscription ($channel: String!) { ticked(channel: $channel) { text } }'
    client.subscribe('1', query, { channel: 'a' })
    const first = await used(1)
    client.subscribe('x'.repeat(10_000), query, { channel: 'a' })
    const second = await used(2)
    expect(second - first).toBeGreaterThan(20_000)
    client.subscribe('3', query, { channel: 'a'.repeat(10_000) })
    const third = await used(3)
    expect(third - second).toBeGreaterThan(100_000)
    client.subscribe('4', `${query} # ${'x'.repeat(10_000)}`, { channel: 'a' })
    expect((await used(4)) - third).toBeGreaterThan(100_000)
  })

  test('are given back once, whatever ends a subscription before it has begun', async () => {
    const server = await serve({})
    const client = await connect(server)
    client.subscribe('1', 'subscription ($c: String!) { ticked(channel: $c) { number } }')
    client.subscribe('2', 'subscription { refused { number } }')
    client.subscribe('3')
    client.say({ id: '3', type: 'complete' })
    await expect.poll(() => [client.about('1').length, client.about('2').length]).toEqual([1, 1])
    await expect.poll(() => [server.slots.remembered(), server.slots.memory().usedBytes]).toEqual([0, 0])
    expect([server.ticker.gateway.subscriptions(), server.app.load.inFlight()]).toEqual([0, 0])
  })
})

test('by default all slots fit into a quarter of the heap, and an address or credential has a share of them', () => {
  const { perAddress, perCredential, memoryBytes } = defaultSubscriptionLimits()
  const slots = subscriptionSlots()
  expect([perAddress, perCredential]).toEqual([2_000, 500])
  const caller = { address: '192.0.2.1', credentials: {} }
  const taken = Array.from({ length: 2_001 }, () => slots.take(caller, 1_000))
  expect(taken.filter(isRefusal)).toHaveLength(1)
  expect(slots.memory()).toEqual({ usedBytes: 2_000_000, limitBytes: memoryBytes })
  for (const each of taken) if (!isRefusal(each)) each.release()
  expect([slots.memory().usedBytes, slots.remembered()]).toEqual([0, 0])
})

test('sources being opened are bounded by LOAD_LIMIT, and take no capacity from requests; joining one takes none', async () => {
  const server = await serve({}, 1)
  const [ann, nobody] = [await connect(server, '192.0.2.1', 'ann'), await connect(server)]
  // Both come before anything is opened.
  ann.subscribe('1')
  ann.subscribe('2')
  await expect
    .poll(() => ann.about('2'))
    .toMatchObject([{ type: 'error', payload: [{ extensions: { code: 'UNAVAILABLE', retryAfterSeconds: expect.any(Number) } }] }])
  for (let id = 0; id < 50; id++) nobody.subscribe(String(id))
  await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(51)
  expect(server.app.load.inFlight()).toBe(0)
  ann.subscribe('3')
  await expect.poll(() => server.ticker.gateway.subscriptions()).toBe(52)
})
