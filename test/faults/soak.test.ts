import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { acknowledged, type Data } from '../gateway/support/transports.ts'
import { type Atrium, basic, startAtrium } from '../security/support/atrium.ts'
import { type Descriptors, descriptorsOf } from './support/descriptors.ts'
import { isLong } from './support/fault.ts'
import { slopeOf } from './support/slope.ts'

/** How long rounds are repeated; of a day, the long form takes three minutes. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 180)
/**
 * Rounds at least, however long they take; and how many of them warm up: code is compiled, pools
 * and caches fill.
 */
const ROUNDS = 9
const WARM_UP = 3
/**
 * Documents that are never seen twice in one round, and seen again in the next, so that caches have
 * room for all of them.
 */
const DOCUMENTS = 200

/** What a process and its database hold when nobody asks anything. */
type Held = {
  /** Since the beginning, in seconds. */
  readonly at: number
  readonly heapBytes: number
  readonly descriptors: Descriptors
  /** Timers, servers and the like, without sockets, which `descriptors` has. */
  readonly resources: number
  readonly connections: number
  readonly open: readonly number[]
  /** Of the database, and of the log of its server. */
  readonly diskBytes: number
  readonly walBytes: number
  /** Share of dead rows in its tables, from 0 to 1. */
  readonly bloat: number
}

/** What is told of a soak: name, unit, and its value. */
const MEASURES: readonly (readonly [name: string, unit: string, of: (held: Held) => number])[] = [
  ['heap after garbage collection', 'MB', ({ heapBytes }) => heapBytes / 1e6],
  ['files, pipes and listening sockets', '', ({ descriptors }) => descriptors.files + descriptors.listening],
  ['connections that it made', '', ({ descriptors }) => descriptors.outbound],
  ['connections that clients hold open', '', ({ descriptors }) => descriptors.incoming],
  ['connections that clients have ended', '', ({ descriptors }) => descriptors.ended],
  ['timers and the like', '', ({ resources }) => resources],
  ['listeners: sockets, subscriptions, outbox', '', ({ open }) => open.reduce((sum, each) => sum + each, 0)],
  ['connections to PostgreSQL', '', ({ connections }) => connections],
  ['database', 'MB', ({ diskBytes }) => diskBytes / 1e6],
  ['log of PostgreSQL (WAL)', 'MB', ({ walBytes }) => walBytes / 1e6],
  ['dead rows', '%', ({ bloat }) => bloat * 100],
]

/** A table in Markdown: values at both ends, and the slope with its 95 % confidence interval. */
function reportOf(steady: readonly Held[]): string {
  const rows = MEASURES.map(([name, unit, of]) => {
    const values = steady.map((each) => ({ at: each.at, value: of(each) }))
    const { perHour, margin } = slopeOf(values)
    const ends = [values[0], values.at(-1)].map((each) => each?.value.toFixed(1))
    return `| ${name} | ${ends.join(' → ')} ${unit} | ${perHour.toFixed(1)} (${(perHour - margin).toFixed(1)} to ${(perHour + margin).toFixed(1)}) ${unit} |`
  })
  return ['| what | first → last | in an hour, with its 95 % interval |', '|---|---|---|', ...rows].join('\n')
}

describe.runIf(isLong)('day after day', () => {
  let atrium: Atrium
  let inspector: WebSocket
  let pid: number
  let token: string
  let room: string
  let authorization: { readonly authorization: string }
  let product: number

  beforeAll(async () => {
    atrium = await startAtrium({
      ...{ NODE_OPTIONS: '--inspect=127.0.0.1:0', LOG_LEVEL: 'error', RESPONSE_CACHE_BYTES: '1000000' },
      // One user writes for all.
      ...{ USER_WRITES_PER_MINUTE: '0', USER_BYTES_PER_DAY: '0' },
    })
    inspector = new WebSocket(/ws:\S+/.exec(atrium.log())?.[0] ?? '')
    await new Promise((resolve, reject) => inspector.once('open', resolve).once('error', reject))
    pid = await evaluated('process.pid')
    token = ((await atrium.aUser('Ann')) as Data).token
    const { data } = await atrium.graph(
      'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }',
      {},
      signedIn(),
    )
    room = data.createRoom.room.id
    authorization = basic(await atrium.aStore('Soaked'))
    const made = await atrium.ask('/v1/products.json', {
      body: { product: { name: 'Lamp', price: 10, stock: 1_000_000 } },
      headers: authorization,
    })
    product = made.json.product.id
  })
  afterAll(async () => {
    inspector?.terminate()
    await atrium?.stop()
  })

  const signedIn = () => ({ headers: { authorization: `Bearer ${token}` } })

  const begun = performance.now()
  let lastId = 0
  /** Asks the debugger of the process, which needs no help from what is measured. */
  function inspected(method: string, params: object = {}): Promise<Data> {
    const id = ++lastId
    return new Promise((resolve) => {
      const heard = (bytes: unknown) => {
        const message = JSON.parse(String(bytes))
        if (message.id !== id) return
        inspector.off('message', heard)
        resolve(message.result)
      }
      inspector.on('message', heard)
      inspector.send(JSON.stringify({ id, method, params }))
    })
  }
  const evaluated = async (expression: string): Promise<number> =>
    (await inspected('Runtime.evaluate', { expression, returnByValue: true })).result.value

  async function figures(...names: readonly string[]): Promise<readonly number[]> {
    const { text } = await atrium.ask('/metrics')
    return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]))
  }

  /** A bit of everything that clients do, wrong things among it. */
  async function round(number: number): Promise<void> {
    // Of so many at once, each is planned before the first is answered: more would be refused.
    for (let first = 0; first < DOCUMENTS; first += 40) {
      const documents = Array.from({ length: 40 }, (_, index) =>
        atrium.graph(
          `{ mcpServers(first: ${1 + (index % 20)}) { cold${first + index}: totalCount edges { node { name trust { __typename } } } } }`,
        ),
      )
      expect((await Promise.all(documents)).filter(({ errors }) => errors)).toEqual([])
    }
    for (let index = 0; index < 20; index++) {
      const sent = await atrium.graph(
        'mutation ($room: ID!, $text: String!) { sendMessage(roomId: $room, text: $text) { __typename } }',
        { room, text: `${number} ${index}` },
        signedIn(),
      )
      expect(sent.data.sendMessage.__typename).toBe('SendMessageSuccess')
    }
    for (let index = 0; index < 5; index++) {
      const body = { order: { products: [{ id: product, qty: 1 }] } }
      expect((await atrium.ask('/v1/orders.json', { body, headers: authorization })).status).toBeLessThan(300)
    }
    for (const path of [
      '/api/mcp?limit=5',
      '/api/search?q=postgres',
      '/api/stats',
      '/',
      '/search?q=a',
      '/nowhere',
      '/v1/openapi.json',
    ])
      expect((await atrium.ask(path)).status).toBeLessThan(500)
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'search_mcp_servers', arguments: { query: 'postgres' } } },
      { jsonrpc: '2.0', id: 3, method: 'nothing/like/it' },
    ]) {
      const headers = { accept: 'application/json, text/event-stream' }
      const { status, text } = await atrium.ask('/mcp/directory', { body: message, headers })
      expect(status).toBeLessThan(500)
      expect(text.includes('"result"')).toBe(message.id < 3)
      expect(text).not.toContain('"isError":true')
    }
    for (const body of ['{', '{"query":"{ nothing }"}', '{"query":"{"}', JSON.stringify({ query: `{ ${'a '.repeat(30_000)} }` })])
      expect((await atrium.ask('/graphql', { body, headers: { 'content-type': 'application/json' } })).status).toBeLessThan(500)
    await atrium.ask('/v1/decide', { body: { domain: 'example.com' } })
    await Promise.all(Array.from({ length: 20 }, (_, index) => listens(index)))
  }

  /**
   * Connects, hears of an event and leaves: with a word, without one, or in the middle of its
   * subscription.
   */
  async function listens(index: number): Promise<void> {
    const url = `ws://127.0.0.1:${atrium.port}/graphql`
    const opened = await acknowledged(new WebSocket(url, 'graphql-transport-ws'), { authorization: `Bearer ${token}` })
    const payload = { query: 'subscription ($room: ID!) { messageReceived(roomId: $room) { text } }', variables: { room } }
    opened.socket.send(JSON.stringify({ id: 'room', type: 'subscribe', payload }))
    const anybody = { query: 'subscription { userCreated { name } }' }
    opened.socket.send(JSON.stringify({ id: 'users', type: 'subscribe', payload: anybody }))
    expect(await opened.ask({ query: '{ __typename }' })).toHaveLength(2)
    const leaving = new AbortController()
    const stream = await fetch(`${atrium.base}/graphql`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(anybody),
      signal: leaving.signal,
    })
    expect(stream.status).toBe(200)
    leaving.abort()
    if (index % 3 === 0) opened.socket.send('{"id":"room","type":"complete"}')
    if (index % 3 === 1) opened.socket.close()
    else opened.socket.terminate()
    await opened.closed
  }

  async function held(): Promise<Held> {
    const OPEN = ['atrium_websockets_open', 'atrium_subscriptions_running', 'atrium_outbox_listeners']
    await expect.poll(() => figures(...OPEN), { timeout: 30_000 }).toEqual([0, 0, 0])
    // Twice: what the first one finds unused, finalizers let go of.
    for (let count = 0; count < 2; count++) await inspected('HeapProfiler.collectGarbage')
    const [row] = await atrium.sql(
      `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS count,
              pg_database_size(current_database())::float8 AS disk,
              (SELECT sum(size)::float8 FROM pg_ls_waldir()) AS wal,
              (SELECT sum(n_dead_tup)::float8 / greatest(1, sum(n_live_tup + n_dead_tup)) FROM pg_stat_user_tables) AS bloat`,
    )
    return {
      at: (performance.now() - begun) / 1000,
      diskBytes: row?.disk,
      walBytes: row?.wal,
      bloat: row?.bloat,
      heapBytes: await evaluated('process.memoryUsage().heapUsed'),
      descriptors: descriptorsOf(pid),
      resources: await evaluated('process.getActiveResourcesInfo().filter((name) => !/Socket|Pipe/.test(name)).length'),
      connections: row?.count,
      open: await figures(...OPEN),
    }
  }

  test(
    'memory of a process does not grow with the number of requests',
    async () => {
      const rounds: Held[] = []
      const failures: string[] = []
      const end = performance.now() + SECONDS * 1000
      for (let number = 0; number < ROUNDS + WARM_UP || performance.now() < end; number++) {
        await round(number).catch((error: Error) => failures.push(error.message))
        rounds.push(await held())
      }
      const steady = rounds.slice(WARM_UP)
      const [earlier, later] = [steady.slice(0, steady.length / 3), steady.slice((steady.length * 2) / 3)]
      const both = (of: (each: Held) => number) => [medianOf(earlier.map(of)), medianOf(later.map(of))] as const
      const [heap, files, resources, connections] = [
        both(({ heapBytes }) => heapBytes),
        // Not those of its clients, which keep connections as they like, until they end them.
        both(({ descriptors: { files, listening, outbound, ended } }) => files + listening + outbound + ended),
        both((each) => each.resources),
        both((each) => each.connections),
      ]
      console.log(`${rounds.length} rounds, without the first ${WARM_UP}\n${reportOf(steady)}`)
      // A machine with more to do than it can ends requests that take ten seconds to arrive.
      if (failures.length > 0) console.log(`Rounds that ended early: ${failures.join('; ')}`)
      expect(failures.length).toBeLessThan(rounds.length / 50)
      // A leak of a kilobyte for each of the 300 requests of a round would be 3 MB in ten of them;
      // what caches still take is less.
      expect(heap[1] - heap[0]).toBeLessThan(3e6)
      // Connections that idle are closed when they like; pools stay within what they may be.
      expect(files[1] - files[0]).toBeLessThanOrEqual(5)
      expect(resources[1] - resources[0]).toBeLessThanOrEqual(5)
      expect(connections[1] - connections[0]).toBeLessThanOrEqual(3)
    },
    (SECONDS + 600) * 1000,
  )
})

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
