import { Redis } from 'ioredis'
import { sql } from 'kysely'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Connection, type Database, openDatabase } from '../../../platform/database/database.ts'
import { eventFeed } from '../../../platform/events/event-feed.ts'
import { append, type EventFeed } from '../../../platform/events/outbox.ts'
import type { OutboxTables } from '../../../platform/events/tables.ts'
import { hasRedis, type RedisServer, redisServer } from '../../gateway/support/redis.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { type Between, databaseProxy } from '../database/support/database-proxy.ts'

let fresh: FreshDatabase
let database: Database<OutboxTables>
let server: RedisServer
let redis: Redis
let lines: string[]
const feeds: EventFeed[] = []

describe.skipIf(!hasRedis)('faults of what relays events (needs redis-server)', () => {
  beforeEach(async () => {
    ;[fresh, server] = await Promise.all([freshDatabase(), redisServer()])
    database = openDatabase(fresh.connection, { schema: 'social', onError: () => {} })
    redis = new Redis(server.url).on('error', () => {})
    lines = []
  })
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()))
    await database.close()
    redis.disconnect()
    await server.stop()
    await fresh.drop()
  })

  test('the log of a Redis that refuses events has no event, and those are published once it takes them', async () => {
    const feeds = await Promise.all([startFeed(), startFeed()])
    const iterators = await Promise.all(feeds.map((feed) => feed.listen('a', null)))
    await expect.poll(leader).not.toBeNull()
    await writeLongAgo('a', 'first')
    for (const events of iterators) expect((await events.next()).value).toMatchObject({ number: 1 })
    await redis.acl('SETUSER', 'default', '-xadd')
    // Older than what is published again, as in an outage of half a minute.
    await writeLongAgo('a', 'secret of ann')
    await expect.poll(() => lines.join('')).toContain('could not be relayed')
    expect(lines.join('')).toContain('NOPERM')
    expect(lines.join('')).not.toContain('ann')
    await redis.acl('SETUSER', 'default', '+xadd')
    await expect.poll(published).toEqual([1, 2])
  })

  test('a Redis that takes no writes relays nothing: copies read the database without a pause', async () => {
    await redis.config('SET', 'maxmemory', '1')
    const feed = await startFeed()
    const noticed: (string | null)[] = []
    feed.notice((topic) => noticed.push(topic))
    const before = await connectionCount()
    await expect.poll(connectionCount, { timeout: 20_000 }).toBeGreaterThan(before + 6)
    const events = await feed.listen('a', null)
    await writeLongAgo('a', 'first')
    expect((await events.next()).value).toMatchObject({ number: 1 })
    // Null empties the caches of gateways.
    expect(noticed).toEqual(['a'])
    expect(lines.join('').match(/"msg":/g)).toHaveLength(1)
    await redis.config('SET', 'maxmemory', '0')
    await expect.poll(leader).not.toBeNull()
  })

  test('an event whose transaction began long ago reaches every copy, the first of its topic too', async () => {
    const feeds = await Promise.all([startFeed(), startFeed()])
    const noticed = feeds.map((feed) => {
      const topics: (string | null)[] = []
      feed.notice((topic) => topics.push(topic))
      return topics
    })
    await expect.poll(leader).not.toBeNull()
    await writeLongAgo('quiet', 'late')
    for (const topics of noticed) await expect.poll(() => topics).toContain('quiet')
  })

  test('a leader whose database does not answer gives way', async () => {
    const proxy = await freezableDatabase()
    const first = await startFeed(proxy.connection)
    await expect.poll(leader).not.toBeNull()
    const second = await startFeed()
    const noticed: (string | null)[] = []
    second.notice((topic) => noticed.push(topic))
    const before = await leader()
    proxy.freeze()
    try {
      await expect.poll(leader, { timeout: 40_000 }).not.toBe(before)
      await database.query.transaction().execute((transaction) => append(transaction, 'quiet', {}))
      await expect.poll(() => noticed).toContain('quiet')
    } finally {
      proxy.resume()
      await first.close()
      feeds.splice(feeds.indexOf(first), 1)
    }
  }, 60_000)
})

async function startFeed(connection: Connection = fresh.connection): Promise<EventFeed> {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const feed = await eventFeed({ connection, relayUrl: server.url, schema: 'social', log })
  feeds.push(feed)
  return feed
}

/** Writes an event in a transaction that began 40 seconds ago. */
const writeLongAgo = (topic: string, text: string): Promise<void> =>
  database.query.transaction().execute(async (transaction) => {
    await append(transaction, topic, { text })
    await sql`UPDATE event SET created_at = now() - interval '40 seconds' WHERE topic = ${topic}`.execute(transaction)
  })

async function leader(): Promise<string | null> {
  const [key] = await redis.keys('atrium:events:*:leader')
  return key === undefined ? null : redis.get(key)
}

/** Numbers of the entries of the stream, without repetitions. */
async function published(): Promise<number[]> {
  const keys = (await redis.keys('atrium:events:*')).filter((key) => !key.endsWith(':leader'))
  const entries = await Promise.all(keys.map((key) => redis.xrange(key, '-', '+')))
  return [...new Set(entries.flat().map(([, [, text = '']]) => Number(JSON.parse(text).number)))]
}

async function connectionCount(): Promise<number> {
  return Number(/total_connections_received:(\d+)/.exec(await redis.info('stats'))?.[1])
}

/** A way to the database that can hold back everything, without closing anything. */
async function freezableDatabase() {
  const held: (() => void)[] = []
  let isFrozen = false
  const between: Between = ({ pass }) => {
    if (isFrozen) held.push(pass)
    else pass()
  }
  const { connection, close } = await databaseProxy(fresh.connection, { toServer: between, toClient: between })
  onTestFinished(close)
  return {
    connection,
    freeze() {
      isFrozen = true
    },
    resume() {
      isFrozen = false
      for (const pass of held.splice(0)) pass()
    },
  }
}
