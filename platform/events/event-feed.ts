import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type BoundedQueue, boundedQueue } from '../collections/bounded-queue.ts'
import { type Connection, openDatabase } from '../database/database.ts'
import { eventRecords, MAX_BATCH_EVENTS } from './event-records.ts'
import { type EventFeed, notificationChannel, type OutboxEvent, type OutboxTables } from './outbox.ts'

/** How often to look anyway, and to tell others that this process lives: a notification is lost when the connection breaks. Milliseconds. */
const POLL = 5_000
/** How soon after a fault to try again. Milliseconds. */
const RETRY = 500
/** How long who catches up may take to ask for an event. Milliseconds. */
const LONGEST_SILENCE = 60_000
/** How long positions wait for readers that are behind before they are written. Milliseconds. */
const LAGGARDS = 250

/** A listener that the database knows, or does not: `id` is null for one without a name. */
type Listener = {
  readonly id: string | null
  readonly queue: BoundedQueue<OutboxEvent>
  /** Number of the last event in its queue, and of the last that it is done with; at first, of the last before its time. */
  told: number
  done: number
  /** What the database knows of `done`; null: that it is as far as the topic. */
  recorded: number | null
  /** Whether it is still being told what it missed: what happens meanwhile is read behind that. */
  isCatchingUp: boolean
  /** When it last asked for an event, or was told of what it missed, by the clock of `performance`. */
  askedAt: number
  /** Called when it is done with all that it was told, or will not read any more. */
  onDrained: (() => void) | null
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
  const records = eventRecords(database.query, randomUUID())
  const topics = new Map<string, Topic>()
  const ended = new AbortController()
  const catchingUp = new Set<Promise<void>>()
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
    onEvent(told) {
      noticing.add(told)
      return () => void noticing.delete(told)
    },
    listeners: () => [...topics.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    async close() {
      ended.abort()
      for (const { listeners, writing } of topics.values()) {
        if (writing !== true && writing) clearTimeout(writing)
        for (const { queue, onDrained } of [...listeners]) {
          queue.end()
          onDrained?.()
        }
      }
      await Promise.all([watching, reading, releasing, ...catchingUp])
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
        const wasBehind = own.done < topic.position
        // Not farther than the topic, which may have been rewound since.
        own.done = Math.min(number, topic.position)
        own.askedAt = performance.now()
        if (wasBehind && own.done === topic.position) topic.behind -= 1
        if (own.done >= own.told) own.onDrained?.()
        writeSoon(topic)
      },
      onReleased() {
        if (topic.listeners.delete(own) && own.done < topic.position) topic.behind -= 1
        if (topic.listeners.size === 0 && topics.get(name) === topic) topics.delete(name)
        own.onDrained?.()
        if (id !== null) releaseSoon(id)
      },
    })
    const own: Listener = {
      id,
      queue,
      told: from,
      done: from,
      recorded: id === null ? null : from,
      isCatchingUp: true,
      askedAt: performance.now(),
      onDrained: null,
    }
    topics.set(name, topic)
    topic.listeners.add(own)
    if (from < topic.position) topic.behind += 1
    // Before the listener is told of anything new, it is told what others here were told already.
    try {
      await tellMissed(own, topic)
    } catch (error) {
      await queue.iterator.return?.()
      throw error
    }
    if (ended.signal.aborted) queue.end()
    catchUp(own, topic)
    readSoon([topic])
    return queue.iterator
  }

  /** Tells a listener the rest of what it missed, and from then on what happens. */
  function catchUp(listener: Listener, topic: Topic): void {
    // At once where nothing was missed: what happens from now on is not read again.
    listener.isCatchingUp = listener.done < listener.told || listener.told < topic.position
    if (!listener.isCatchingUp) return
    const catching = readOn(listener, topic).finally(() => catchingUp.delete(catching))
    catchingUp.add(catching)
  }

  async function readOn(listener: Listener, topic: Topic): Promise<void> {
    listener.askedAt = performance.now()
    while (true) {
      // More than its queue may hold would look as if it did not read.
      await drained(listener, topic)
      if (ended.signal.aborted || !topic.listeners.has(listener)) return
      if (listener.told >= topic.position) break
      try {
        await tellMissed(listener, topic)
      } catch (error) {
        if (ended.signal.aborted) return
        log.warn({ err: error }, 'what a listener missed could not be read; trying again')
        await sleep(RETRY, undefined, { signal: ended.signal }).catch(() => {})
      }
    }
    listener.isCatchingUp = false
  }

  async function drained(listener: Listener, topic: Topic): Promise<void> {
    // Who has left is done with nothing any more.
    if (listener.done >= listener.told || ended.signal.aborted || !topic.listeners.has(listener)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    listener.onDrained = resolve
    await promise
    listener.onDrained = null
  }

  /** Tells a listener the next events of those that others here were told already. */
  async function tellMissed(listener: Listener, topic: Topic): Promise<void> {
    if (listener.told >= topic.position) return
    const { told } = listener
    const missed = await records.read([{ name: topic.name, position: told }])
    // The topic was rewound meanwhile.
    if (listener.told !== told || listener.told >= topic.position) return
    // What comes next has been tidied away.
    if (missed[0]?.number !== told + 1) listener.queue.cutOff()
    else for (const event of missed) if (event.number <= topic.position) tell(listener, event)
    listener.askedAt = performance.now()
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
        const byTopic = Map.groupBy(events, ({ topic }) => topic)
        for (const topic of now) handOutTo(topic, byTopic.get(topic.name) ?? [])
      } catch (error) {
        if (ended.signal.aborted) return
        log.warn({ err: error }, 'the outbox could not be read; trying again')
        for (const topic of now) toRead.add(topic)
        await sleep(RETRY, undefined, { signal: ended.signal }).catch(() => {})
      }
    }
  }

  /** What was read at once fills a queue: where there may be more, each listener goes on when it has read that. */
  function handOutTo(topic: Topic, events: readonly OutboxEvent[]): void {
    const isMore = events.length === MAX_BATCH_EVENTS
    const inTime = () => [...topic.listeners].filter(({ isCatchingUp }) => !isCatchingUp)
    if (isMore) for (const listener of inTime()) catchUp(listener, topic)
    for (const event of events) handOut(event)
    if (!isMore) return
    for (const listener of inTime()) catchUp(listener, topic)
    toRead.add(topic)
  }

  function handOut(event: OutboxEvent): void {
    const topic = topics.get(event.topic)
    if (!topic || event.number <= topic.position) return
    topic.position = event.number
    topic.behind = topic.listeners.size
    for (const listener of [...topic.listeners]) if (!listener.isCatchingUp) tell(listener, event)
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
      topic.writing = null
    } catch (error) {
      if (ended.signal.aborted) return
      log.warn({ err: error }, 'the positions of listeners could not be written; trying again')
      topic.writing = setTimeout(() => void write(topic), RETRY).unref()
      return
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
    try {
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [records.process])
      await client.query(`LISTEN ${notificationChannel(schema)}`)
      await rewind()
      // What was committed while nobody heard it.
      for (const told of noticing) told(null)
      await records.beat()
    } catch (error) {
      if (ear === client) {
        ear = null
        client.release(true)
      }
      throw error
    }
  }

  /** The database that answers now may lack what the last one had written just before it was lost: its numbers begin again where it is. */
  async function rewind(): Promise<void> {
    const before = [...topics.values()].map((topic) => ({ topic, position: topic.position }))
    const ends = await records.ends([...topics.keys()])
    for (const { topic, position } of before) {
      const end = ends.get(topic.name) ?? 0
      if (end >= position) continue
      topic.position = end
      for (const listener of topic.listeners) {
        listener.told = Math.min(listener.told, end)
        listener.done = Math.min(listener.done, end)
      }
      topic.behind = [...topic.listeners].filter(({ done }) => done < end).length
      topic.written = null
    }
  }

  /** Who catches up is not told of anything new, so its queue never runs over. */
  function cutOffSilent(): void {
    const before = performance.now() - LONGEST_SILENCE
    for (const { listeners } of topics.values()) {
      for (const { isCatchingUp, done, told, askedAt, queue } of [...listeners]) {
        if (isCatchingUp && done < told && askedAt < before) queue.cutOff()
      }
    }
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
        cutOffSilent()
        readSoon(topics.values())
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be reached; trying again')
      }
    }
  }
}
