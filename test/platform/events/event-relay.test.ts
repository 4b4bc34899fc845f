import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import pg from 'pg'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { eventFeed } from '../../../platform/events/event-feed.ts'
import { append, type EventFeed, type OutboxEvent } from '../../../platform/events/outbox.ts'
import type { OutboxTables } from '../../../platform/events/tables.ts'
import { hasRedis, type RedisServer, redisServer } from '../../gateway/support/redis.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'

const log = pino({ level: 'silent' })
const LISTENER = join(import.meta.dirname, 'support/listener.ts')

let fresh: FreshDatabase
let database: Database<OutboxTables>
let server: RedisServer
let redis: Redis
const feeds: EventFeed[] = []
const children: ChildProcess[] = []

describe.skipIf(!hasRedis)('events relayed by Redis (needs redis-server)', () => {
  beforeEach(async () => {
    ;[fresh, server] = await Promise.all([freshDatabase(), redisServer()])
    database = openDatabase(fresh.connection, { schema: 'social', onError: () => {} })
    redis = new Redis(server.url, { retryStrategy: (attempt) => Math.min(attempt * 50, 500) }).on('error', () => {})
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await Promise.all(feeds.splice(0).map((feed) => feed.close()))
    await database.close()
    redis.disconnect()
    await server.stop()
    await fresh.drop()
  })

  test('events reach the subscribers of every copy once and in order, and one copy alone listens to the database', async () => {
    const copies = await startFeeds(4)
    const iterators = await Promise.all(copies.map((feed) => feed.listen('a', null)))
    await relayed()
    await write('a', 30)
    for (const events of iterators) expect(await read(events, 30)).toEqual(range(1, 30))
    expect(await listening()).toBe(1)
  })

  test('reads of the database do not grow with the copies', async () => {
    const readsOf = async (count: number): Promise<number> => {
      const copies = await startFeeds(count)
      const iterators = await Promise.all(copies.map((feed) => feed.listen('a', null)))
      await relayed()
      const reads = countReads()
      // One after the other, so that nothing is read together.
      for (let event = 0; event < 20; event += 1) {
        await write('a', 1)
        for (const events of iterators) await events.next()
      }
      const total = reads()
      vi.restoreAllMocks()
      await Promise.all(feeds.splice(0).map((feed) => feed.close()))
      return total
    }
    const [one, five] = [await readsOf(1), await readsOf(5)]
    expect(one).toBeGreaterThanOrEqual(20)
    // A poll of the leader may come in between.
    expect(five).toBeLessThanOrEqual(one + 4)
  })

  test('a leader that is killed is followed by another copy, and nothing is lost or comes twice', async () => {
    const child = await listenElsewhere('a', 'first')
    await relayed()
    const leader = await redis.get((await leaseKey()) ?? '')
    const [own] = await startFeeds(1)
    const events = await (own as EventFeed).listen('a', null)
    await write('a', 5)
    expect(await read(events, 5)).toEqual(range(1, 5))
    child.kill('SIGKILL')
    await write('a', 5)
    expect(await read(events, 5)).toEqual(range(6, 10))
    await expect.poll(async () => redis.get((await leaseKey()) ?? '')).not.toBe(leader)
    await expect.poll(listening).toBe(1)
    await write('a', 5)
    expect(await read(events, 5)).toEqual(range(11, 15))
  })

  test('a leader that ends gives way at once', async () => {
    const [first, second] = (await startFeeds(2)) as [EventFeed, EventFeed]
    await relayed()
    const [one, two] = await Promise.all([first.listen('a', null), second.listen('a', null)])
    await write('a', 1)
    expect([await read(one, 1), await read(two, 1)]).toEqual([[1], [1]])
    await first.close()
    feeds.splice(feeds.indexOf(first), 1)
    await write('a', 3)
    expect(await read(two, 3)).toEqual([2, 3, 4])
    expect(await redis.get((await leaseKey()) ?? '')).not.toBeNull()
  })

  test('while Redis is away, copies read the database, and follow it again when it is back', async () => {
    const copies = await startFeeds(2)
    const iterators = await Promise.all(copies.map((feed) => feed.listen('a', null)))
    await relayed()
    await write('a', 3)
    for (const events of iterators) expect(await read(events, 3)).toEqual(range(1, 3))
    await server.stop()
    await write('a', 3)
    for (const events of iterators) expect(await read(events, 3)).toEqual(range(4, 6))
    await expect.poll(listening).toBe(2)
    await write('a', 3)
    for (const events of iterators) expect(await read(events, 3)).toEqual(range(7, 9))
    await server.start()
    await expect.poll(listening).toBe(1)
    await write('a', 3)
    for (const events of iterators) expect(await read(events, 3)).toEqual(range(10, 12))
  })

  test('while Redis does not answer, copies read the database', async () => {
    const [feed] = (await startFeeds(1)) as [EventFeed]
    const events = await feed.listen('a', null)
    await relayed()
    server.freeze()
    await write('a', 3)
    expect(await read(events, 3)).toEqual(range(1, 3))
    server.resume()
    await write('a', 3)
    expect(await read(events, 3)).toEqual(range(4, 6))
  })

  test('entries that are missing, come twice, or cannot be read change nothing', async () => {
    const [feed] = (await startFeeds(1)) as [EventFeed]
    const events = await feed.listen('a', null)
    await relayed()
    await write('a', 1)
    expect(await read(events, 1)).toEqual([1])
    const stream = (await streamKey()) as string
    const [[, [, entry = '']] = ['', []]] = await redis.xrevrange(stream, '+', '-', 'COUNT', 1)
    // Twice, of a later number than the database has, and not an event at all.
    await redis.xadd(stream, '*', 'event', entry)
    await redis.xadd(stream, '*', 'event', JSON.stringify({ ...JSON.parse(entry), number: 5 }))
    for (const text of ['', 'null', '[]', '{"topic":"a"}', '{"topic":"a","number":2,"payload":1,"createdAt":"x"}']) {
      await redis.xadd(stream, '*', 'event', text)
    }
    await redis.xadd(stream, '*', 'other', '1', 'event', '2')
    await write('a', 3)
    expect(await read(events, 3)).toEqual([2, 3, 4])
  })

  test('a subscriber that reads slowly gets every event of a burst', async () => {
    const [feed] = (await startFeeds(1)) as [EventFeed]
    const events = await feed.listen('a', null)
    await relayed()
    for (let part = 0; part < 6; part += 1) await write('a', 500)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await read(events, 3_000)).toEqual(range(1, 3_000))
  })

  test('two databases that share a Redis do not hear each other', async () => {
    const other = await freshDatabase()
    try {
      const [feed] = (await startFeeds(1)) as [EventFeed]
      const stranger = await eventFeed({ connection: other.connection, relayUrl: server.url, schema: 'social', log })
      feeds.push(stranger)
      const [own, foreign] = await Promise.all([feed.listen('a', null), stranger.listen('a', null)])
      await expect.poll(async () => (await redis.keys('atrium:events:*:leader')).length).toBe(2)
      await write('a', 2)
      expect(await read(own, 2)).toEqual([1, 2])
      const next = foreign.next()
      const database = openDatabase<OutboxTables>(other.connection, { schema: 'social', onError: () => {} })
      await database.query.transaction().execute((transaction) => append(transaction, 'a', { from: 'other' }))
      await database.close()
      expect((await next).value).toMatchObject({ number: 1, payload: { from: 'other' } })
    } finally {
      await Promise.all(feeds.splice(0).map((each) => each.close()))
      await other.drop()
    }
  })

  test('every copy is notified of events of topics without subscribers', async () => {
    const copies = await startFeeds(2)
    const noticed: (string | null)[][] = [[], []]
    copies.forEach((feed, index) => void feed.notice((topic) => noticed[index]?.push(topic)))
    await relayed()
    await write('quiet', 1)
    for (const each of noticed) await expect.poll(() => each).toContain('quiet')
  })

  test('many writers, and a Redis that comes and goes: each subscriber gets every event once, in order', async () => {
    const copies = await startFeeds(3)
    const topics = ['a', 'b', 'c']
    const iterators = await Promise.all(copies.flatMap((feed) => topics.map(async (topic) => feed.listen(topic, null))))
    await relayed()
    const writing = Promise.all(
      topics.map(async (topic) => {
        for (let count = 0; count < 60; count += 1) {
          await write(topic, 1 + (count % 3))
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }),
    )
    for (let outage = 0; outage < 2; outage += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300))
      await server.stop()
      await new Promise((resolve) => setTimeout(resolve, 300))
      await server.start()
    }
    await writing
    for (const events of iterators) expect(await read(events, 120)).toEqual(range(1, 120))
  })
})

async function startFeeds(count: number): Promise<EventFeed[]> {
  const started = await Promise.all(
    Array.from({ length: count }, () => eventFeed({ connection: fresh.connection, relayUrl: server.url, schema: 'social', log })),
  )
  feeds.push(...started)
  return started
}

/** Resolves when one process leads, and it alone listens to the database. */
async function relayed(): Promise<void> {
  await expect.poll(leaseKey).not.toBeNull()
  await expect.poll(listening).toBe(1)
}

const leaseKey = async (): Promise<string | null> => (await redis.keys('atrium:events:*:leader'))[0] ?? null
const streamKey = async (): Promise<string | undefined> => (await leaseKey())?.replace(/:leader$/, '')

/** Connections to the database whose last statement was LISTEN. */
async function listening(): Promise<number> {
  const { rows } = await database.pool.query(
    "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'",
  )
  return rows[0].count
}

const write = (topic: string, count: number): Promise<void> =>
  database.query.transaction().execute(async (transaction) => {
    for (let index = 0; index < count; index += 1) await append(transaction, topic, { index })
  })

async function read(events: AsyncIterator<OutboxEvent>, count: number): Promise<number[]> {
  const numbers: number[] = []
  while (numbers.length < count) {
    const { value, done } = await events.next()
    if (done) break
    numbers.push(value.number)
  }
  return numbers
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** Counts statements of this process that read events. */
function countReads(): () => number {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  return () =>
    query.mock.calls.filter(([statement]) => {
      // A text, or an object that has it; the declarations know only some of the overloads.
      const { text = statement } = Object(statement) as { readonly text?: unknown }
      return String(text).includes('SELECT * FROM event')
    }).length
}

/** A process that listens with a relay, once it does. */
async function listenElsewhere(topic: string, name: string): Promise<ChildProcess> {
  const { connectionString } = fresh.connection as { connectionString: string }
  const child = spawn(process.execPath, [LISTENER, connectionString, topic, name, server.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('listening')
  return child
}
