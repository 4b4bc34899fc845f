import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type BoundedQueue, boundedQueue } from './bounded-queue.ts'
import { type Connection, openDatabase } from './database.ts'
import { channelOf, type EventFeed, type OutboxEvent, type OutboxTables } from './outbox.ts'

/** How often to look anyway, and to tell others that this process lives: a notification is lost when the connection breaks. Milliseconds. */
const POLL = 5_000
/** How soon after a fault to try again. Milliseconds. */
const RETRY = 500
/** How long positions wait for readers that are behind before they are written. Milliseconds. */
const LAGGARDS = 250
/** Events that are read at once from one topic. */
const BATCH = 1_000
/** How long what a dead process leaves behind is kept, and events, which must outlive it. SQL intervals. */
const REMEMBERED = '5 minutes'
const KEPT = '10 minutes'

/** A listener that the database knows, or does not: `id` is null for one without a name. */
type Listener = {
  readonly id: string | null
  readonly queue: BoundedQueue<OutboxEvent>
  /** Number of the last event in its queue, and of the last that it is done with; at first, of the last before its time. */
  told: number
  done: number
  /** What the database knows of `done`; null: that it is as far as the topic. */
  recorded: number | null
}

/** A topic that somebody listens to here. */
type Topic = {
  readonly name: string
  /** Number of the last event handed out. */
  position: number
  readonly listeners: Set<Listener>
  /** How many of them are not done with the last event. */
  behind: number
  /** What the database knows of `position`; null: nothing. */
  written: number | null
  /** The timer of the next writing of positions; true while they are written. */
  writing: NodeJS.Timeout | true | null
}

/** Follows the outbox in `schema` of the database. Rejects when it cannot be read. */
export async function eventFeed({
  connection,
  schema,
  log,
}: {
  readonly connection: Connection
  readonly schema: string
  readonly log: Logger
}): Promise<EventFeed> {
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the outbox broke')
  const database = openDatabase<OutboxTables>(connection, { schema, max: 3, onError })
  const records = recordsOf(database.query, randomUUID())
  const topics = new Map<string, Topic>()
  const ended = new AbortController()
  const noticing = new Set<(topic: string | null) => void>()
  let toRead = new Set<Topic>()
  let reading: Promise<void> | null = null
  let released: string[] = []
  let releasing: Promise<void> | null = null
  let ear: pg.PoolClient | null = null
  /** Of the watch: aborted when there is something to do before its time. */
  let pause = new AbortController()

  try {
    await hear()
  } catch (error) {
    await database.close()
    throw error
  }
  const watching = watch()

  return {
    listen,
    notice(told) {
      noticing.add(told)
      return () => void noticing.delete(told)
    },
    listeners: () => [...topics.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    async close() {
      ended.abort()
      for (const { listeners, writing } of topics.values()) {
        if (writing !== true && writing) clearTimeout(writing)
        for (const { queue } of [...listeners]) queue.end()
      }
      await Promise.all([watching, reading, releasing])
      const hearing = ear
      ear = null
      hearing?.release(true)
      await records.leave().catch(onError)
      await database.close()
    },
  }

  async function listen(name: string, listener: string | null): Promise<AsyncIterableIterator<OutboxEvent>> {
    const { id, from } = await records.enter(name, listener)
    const topic = topics.get(name) ?? { name, position: from, listeners: new Set(), behind: 0, written: null, writing: null }
    const queue = boundedQueue<OutboxEvent>({
      onDone({ number }) {
        own.done = number
        if (number >= topic.position) topic.behind -= 1
        writeSoon(topic)
      },
      onReleased() {
        if (topic.listeners.delete(own) && own.done < topic.position) topic.behind -= 1
        if (topic.listeners.size === 0 && topics.get(name) === topic) topics.delete(name)
        if (id !== null) releaseSoon(id)
      },
    })
    const own: Listener = { id, queue, told: from, done: from, recorded: id === null ? null : from }
    topics.set(name, topic)
    // Before the listener is told of anything new, it is told what others here were told already.
    topic.listeners.add(own)
    if (from < topic.position) topic.behind += 1
    try {
      for (let last = from; last < topic.position; ) {
        const missed = await records.read([{ name, position: last }])
        for (const event of missed) tell(own, event)
        last = missed.at(-1)?.number ?? topic.position
      }
    } catch (error) {
      await queue.iterator.return?.()
      throw error
    }
    if (ended.signal.aborted) queue.end()
    readSoon([topic])
    return queue.iterator
  }

  function readSoon(which: Iterable<Topic>): void {
    for (const topic of which) toRead.add(topic)
    if (toRead.size === 0 || reading || ended.signal.aborted) return
    reading = read().finally(() => {
      reading = null
      readSoon([])
    })
  }

  async function read(): Promise<void> {
    while (toRead.size > 0 && !ended.signal.aborted) {
      const now = [...toRead].filter(({ listeners }) => listeners.size > 0)
      toRead = new Set()
      if (now.length === 0) return
      try {
        const events = await records.read(now)
        for (const event of events) handOut(event)
        for (const topic of now) {
          if (events.filter((event) => event.topic === topic.name).length === BATCH) toRead.add(topic)
        }
      } catch (error) {
        if (ended.signal.aborted) return
        log.warn({ err: error }, 'the outbox could not be read; trying again')
        for (const topic of now) toRead.add(topic)
        await sleep(RETRY, undefined, { signal: ended.signal }).catch(() => {})
      }
    }
  }

  function handOut(event: OutboxEvent): void {
    const topic = topics.get(event.topic)
    if (!topic || event.number <= topic.position) return
    topic.position = event.number
    topic.behind = topic.listeners.size
    for (const listener of [...topic.listeners]) tell(listener, event)
  }

  function tell(listener: Listener, event: OutboxEvent): void {
    if (event.number <= listener.told) return
    listener.told = event.number
    listener.queue.push(event)
  }

  /** Writes positions when every reader is done with the last event, or when those who are not have had their time. */
  function writeSoon(topic: Topic): void {
    if (topic.writing === true || ended.signal.aborted) return
    if (topic.behind > 0) {
      topic.writing ??= setTimeout(() => void write(topic), LAGGARDS).unref()
      return
    }
    if (topic.writing) clearTimeout(topic.writing)
    void write(topic)
  }

  async function write(topic: Topic): Promise<void> {
    topic.writing = true
    const { position } = topic
    const changed = [...topic.listeners].flatMap((listener) => {
      const number = listener.done < position ? listener.done : null
      return listener.id === null || listener.recorded === number ? [] : [{ listener, id: listener.id, number }]
    })
    const isNews = changed.length > 0 || (topic.written !== position && [...topic.listeners].some(({ id }) => id !== null))
    try {
      if (isNews) await records.write(topic.name, position, changed)
      topic.written = position
      for (const { listener, number } of changed) listener.recorded = number
    } catch (error) {
      log.warn({ err: error }, 'the positions of listeners could not be written')
    } finally {
      topic.writing = null
    }
    if (topic.position > position || [...topic.listeners].some(({ recorded }) => recorded !== null)) writeSoon(topic)
  }

  function releaseSoon(id: string): void {
    released.push(id)
    releasing ??= forget().finally(() => {
      releasing = null
    })
  }

  async function forget(): Promise<void> {
    // Many leave at once when a connection ends.
    await new Promise(setImmediate)
    while (released.length > 0) {
      const ids = released
      released = []
      await records.release(ids).catch(onError)
    }
  }

  /** Opens the connection that hears of events, which also shows others that this process lives. */
  async function hear(): Promise<void> {
    if (ear) return
    const client = await database.pool.connect()
    ear = client
    client.on('notification', ({ payload }) => {
      for (const told of noticing) told(payload ?? null)
      const topic = topics.get(payload ?? '')
      if (topic) readSoon([topic])
    })
    client.on('error', (error) => {
      if (ear !== client) return
      onError(error)
      ear = null
      client.release(true)
      pause.abort()
    })
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [records.process])
    await client.query(`LISTEN ${channelOf(schema)}`)
    // What was committed while nobody heard it.
    for (const told of noticing) told(null)
    await records.beat()
  }

  async function watch(): Promise<void> {
    while (!ended.signal.aborted) {
      pause = new AbortController()
      await sleep(POLL, undefined, { signal: AbortSignal.any([ended.signal, pause.signal]), ref: false }).catch(() => {})
      if (ended.signal.aborted) return
      try {
        await hear()
        await records.beat()
        await records.tidy()
        readSoon(topics.values())
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be reached; trying again')
      }
    }
  }
}

/** What the database knows about this process and its listeners. */
function recordsOf(database: Kysely<OutboxTables>, process: string) {
  return {
    process,

    /** Enters a listener; `from` is the number of the last event before its time. */
    enter: (topic: string, listener: string | null): Promise<{ readonly id: string | null; readonly from: number }> =>
      listener === null
        ? lastNumber(database, topic).then((from) => ({ id: null, from }))
        : database.transaction().execute(async (transaction) => {
            const left = await leftBehind(transaction, topic, listener, process)
            const from = left ?? (await lastNumber(transaction, topic))
            const id = randomUUID()
            await transaction
              .insertInto('event_listener')
              .values({ id, process, topic, listener, number: String(from) })
              .execute()
            return { id, from }
          }),

    /** The events behind the positions of these topics, in order within each, at most `BATCH` of each. */
    async read(topics: readonly { readonly name: string; readonly position: number }[]): Promise<OutboxEvent[]> {
      const names = topics.map(({ name }) => name)
      const positions = topics.map(({ position }) => String(position))
      const { rows } = await sql<{ topic: string; number: string; payload: Record<string, unknown>; createdAt: Date }>`
        SELECT found.topic, found.number, found.payload, found.created_at AS "createdAt"
        FROM unnest(${names}::text[], ${positions}::bigint[]) AS asked (name, position)
        CROSS JOIN LATERAL (
          SELECT * FROM event WHERE topic = asked.name AND number > asked.position ORDER BY number LIMIT ${BATCH}
        ) AS found
        ORDER BY found.topic, found.number`.execute(database)
      return rows.map((row) => Object.freeze({ ...row, number: Number(row.number) }))
    },

    /** How far a topic was handed out, and how far those listeners are who are not there, or null. */
    async write(
      topic: string,
      position: number,
      listeners: readonly { readonly id: string; readonly number: number | null }[],
    ): Promise<void> {
      const ids = listeners.map(({ id }) => id)
      const numbers = listeners.map(({ number }) => number)
      await sql`
        WITH moved AS (
          UPDATE event_listener SET number = changed.number
          FROM unnest(${ids}::uuid[], ${numbers}::bigint[]) AS changed (id, number) WHERE event_listener.id = changed.id
        )
        INSERT INTO event_position (process, topic, number) VALUES (${process}, ${topic}, ${position})
        ON CONFLICT (process, topic) DO UPDATE SET number = excluded.number`.execute(database)
    },

    async release(ids: readonly string[]): Promise<void> {
      await database.deleteFrom('event_listener').where('id', 'in', ids).execute()
    },

    async beat(): Promise<void> {
      await sql`INSERT INTO event_process (id, seen_at) VALUES (${process}, now())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`.execute(database)
    },

    /** Forgets what nobody will come back for. */
    async tidy(): Promise<void> {
      await sql`DELETE FROM event_process WHERE seen_at < now() - ${REMEMBERED}::interval`.execute(database)
      await sql`DELETE FROM event WHERE created_at < now() - ${KEPT}::interval`.execute(database)
    },

    /** Takes back everything about this process. */
    async leave(): Promise<void> {
      await database.deleteFrom('event_process').where('id', '=', process).execute()
    },
  }
}

async function lastNumber(database: Kysely<OutboxTables>, topic: string): Promise<number> {
  const row = await database.selectFrom('event_topic').select('last_number').where('name', '=', topic).executeTakeFirst()
  return Number(row?.last_number ?? 0)
}

/**
 * How far a listener of this name had come that a dead process left behind; it is taken away, so that one who comes back takes one place. A process is dead
 * when the lock that it held can be had: shared, for others may ask the same at this moment.
 */
async function leftBehind(
  database: Kysely<OutboxTables>,
  topic: string,
  listener: string,
  process: string,
): Promise<number | null> {
  const { rows } = await sql<{ number: string }>`
    WITH left_behind AS MATERIALIZED (
      SELECT event_listener.id, event_listener.process, coalesce(event_listener.number, event_position.number) AS number
      FROM event_listener JOIN event_process ON event_process.id = event_listener.process
      LEFT JOIN event_position ON event_position.process = event_listener.process AND event_position.topic = event_listener.topic
      WHERE event_listener.topic = ${topic} AND event_listener.listener = ${listener} AND event_listener.process <> ${process}
        AND event_process.seen_at > now() - ${REMEMBERED}::interval
      ORDER BY number LIMIT 100
      FOR UPDATE OF event_listener SKIP LOCKED
    ), one AS (
      SELECT id, number FROM left_behind
      WHERE pg_try_advisory_xact_lock_shared(hashtextextended(process::text, 0)) ORDER BY number LIMIT 1
    )
    DELETE FROM event_listener USING one WHERE event_listener.id = one.id RETURNING one.number`.execute(database)
  return rows[0] ? Number(rows[0].number) : null
}
