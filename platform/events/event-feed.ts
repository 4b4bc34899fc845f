import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from 'pino'
import { type BoundedQueue, boundedQueue } from '../collections/bounded-queue.ts'
import { type Connection, openDatabase } from '../database/database.ts'
import { BATCH, recordsOf } from './event-records.ts'
import { channelOf, type EventFeed, type OutboxEvent } from './outbox.ts'
import { OutboxSubscriber, type SubscribedTopic } from './outbox-subscriber.ts'
import type { DetachableIterator, Detached } from './subscriber.ts'
import type { OutboxTables } from './tables.ts'

/** Interval of polling and of the liveness mark: a broken connection loses notifications. */
const POLL_INTERVAL_MS = 5_000
/** Delay before a retry after a fault. */
const RETRY_DELAY_MS = 500
/** Time that a listener may take to read an event while it catches up. */
const MAX_READ_DELAY_MS = 60_000
/** Time that stored positions wait for listeners that are behind. */
const POSITION_DELAY_MS = 250

/** Who reads a topic, for one subscriber or for many. */
type Listener = {
  readonly queue: BoundedQueue<OutboxEvent>
  /** Whom it reads for; null once that is others' business. */
  subscriber: OutboxSubscriber | null
  /** Number of the last queued event and of the last consumed one; at first, of the last before. */
  told: number
  done: number
  /** Whether it is still being told what it missed: what happens meanwhile is read behind that. */
  isCatchingUp: boolean
  /** Time of its last read or delivery, by `performance.now()`. */
  askedAt: number
  /** Called when it is done with all that it was told, or will not read any more. */
  onDrained: (() => void) | null
}

/** A topic that somebody listens to here. */
type Topic = SubscribedTopic & {
  readonly listeners: Set<Listener>
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
    notice(delivered) {
      noticing.add(delivered)
      return () => void noticing.delete(delivered)
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

  async function listen(name: string, listener: string | null): Promise<DetachableIterator<OutboxEvent>> {
    const { id, from } = await records.enter(name, listener)
    const topic = topics.get(name) ?? newTopic(name, from)
    const queue = boundedQueue<OutboxEvent>({
      onDone({ number }) {
        own.done = Math.min(number, topic.position)
        own.askedAt = performance.now()
        own.subscriber?.advance(number)
        if (own.done >= own.told) own.onDrained?.()
      },
      onReleased() {
        topic.listeners.delete(own)
        if (topic.listeners.size === 0 && topics.get(name) === topic) topics.delete(name)
        own.onDrained?.()
        own.subscriber?.release()
      },
    })
    const subscriber = new OutboxSubscriber(topic, id, from)
    const progress = { told: from, done: from, isCatchingUp: true, askedAt: performance.now(), onDrained: null }
    const own: Listener = { queue, subscriber, ...progress }
    topics.set(name, topic)
    topic.listeners.add(own)
    // Before the listener is told of anything new, it is told what others here were told already.
    try {
      await notifyMissed(own, topic)
    } catch (error) {
      await queue.iterator.return?.()
      throw error
    }
    if (ended.signal.aborted) queue.end()
    catchUp(own, topic)
    readSoon([topic])
    return Object.assign(queue.iterator, { detach: () => detach(own, topic) })
  }

  function newTopic(name: string, position: number): Topic {
    const counts = { position, behind: 0, written: null, writing: null }
    const topic: Topic = {
      ...{ name, ...counts, listeners: new Set(), subscribers: new Set() },
      onDelivered: () => writeSoon(topic),
      onReleased: releaseSoon,
    }
    return topic
  }

  function detach(listener: Listener, { name, position }: Topic): Detached | null {
    const { subscriber, queue, told } = listener
    if (!subscriber || told < position || !queue.settle()) return null
    listener.subscriber = null
    return { subscriber, topic: name }
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
        await notifyMissed(listener, topic)
      } catch (error) {
        if (ended.signal.aborted) return
        log.warn({ err: error }, 'what a listener missed could not be read; trying again')
        await sleep(RETRY_DELAY_MS, undefined, { signal: ended.signal }).catch(() => {})
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
  async function notifyMissed(listener: Listener, topic: Topic): Promise<void> {
    if (listener.told >= topic.position) return
    const { told } = listener
    const missed = await records.read([{ name: topic.name, position: told }])
    // The topic was rewound meanwhile.
    if (listener.told !== told || listener.told >= topic.position) return
    // What comes next has been tidied away.
    if (missed[0]?.number !== told + 1) listener.queue.cutOff()
    else for (const event of missed) if (event.number <= topic.position) notify(listener, event)
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
        await sleep(RETRY_DELAY_MS, undefined, { signal: ended.signal }).catch(() => {})
      }
    }
  }

  /**
   * What was read at once fills a queue: where there may be more, each listener goes on when it has
   * read that.
   */
  function handOutTo(topic: Topic, events: readonly OutboxEvent[]): void {
    const isMore = events.length === BATCH
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
    topic.behind = topic.subscribers.size
    for (const listener of [...topic.listeners]) if (!listener.isCatchingUp) notify(listener, event)
  }

  function notify(listener: Listener, event: OutboxEvent): void {
    if (event.number <= listener.told) return
    listener.told = event.number
    listener.queue.push(event)
  }

  /**
   * Writes positions when every reader is done with the last event, or when those who are not have
   * had their time.
   */
  function writeSoon(topic: Topic): void {
    if (topic.writing === true || ended.signal.aborted) return
    if (topic.behind > 0) {
      topic.writing ??= setTimeout(() => void write(topic), POSITION_DELAY_MS).unref()
      return
    }
    if (topic.writing) clearTimeout(topic.writing)
    void write(topic)
  }

  async function write(topic: Topic): Promise<void> {
    topic.writing = true
    const { position } = topic
    const changed = [...topic.subscribers].flatMap((subscriber) => {
      const { id, done, recorded } = subscriber
      const number = done < position ? done : null
      return id === null || recorded === number ? [] : [{ subscriber, id, number }]
    })
    const isNews = changed.length > 0 || (topic.written !== position && topic.subscribers.size > 0)
    try {
      if (isNews) await records.write(topic.name, position, changed)
      topic.written = position
      for (const { subscriber, number } of changed) subscriber.recorded = number
      topic.writing = null
    } catch (error) {
      if (ended.signal.aborted) return
      log.warn({ err: error }, 'the positions of listeners could not be written; trying again')
      topic.writing = setTimeout(() => void write(topic), RETRY_DELAY_MS).unref()
      return
    }
    if (topic.position > position || topic.subscribers.values().some(({ recorded }) => recorded !== null)) writeSoon(topic)
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
      for (const sent of noticing) sent(payload ?? null)
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
      await client.query(`LISTEN ${channelOf(schema)}`)
      await rewind()
      // What was committed while nobody heard it.
      for (const notified of noticing) notified(null)
      await records.beat()
    } catch (error) {
      if (ear === client) {
        ear = null
        client.release(true)
      }
      throw error
    }
  }

  /**
   * The database that answers now may lack what the last one had written just before it was lost:
   * its numbers begin again where it is.
   */
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
      for (const subscriber of topic.subscribers) subscriber.done = Math.min(subscriber.done, end)
      topic.behind = [...topic.subscribers].filter(({ done }) => done < end).length
      topic.written = null
    }
  }

  /** Who catches up is not told of anything new, so its queue never runs over. */
  function cutOffSilent(): void {
    const before = performance.now() - MAX_READ_DELAY_MS
    for (const { listeners } of topics.values()) {
      for (const { isCatchingUp, done, told, askedAt, queue } of [...listeners]) {
        if (isCatchingUp && done < told && askedAt < before) queue.cutOff()
      }
    }
  }

  async function watch(): Promise<void> {
    while (!ended.signal.aborted) {
      pause = new AbortController()
      await sleep(POLL_INTERVAL_MS, undefined, { signal: AbortSignal.any([ended.signal, pause.signal]), ref: false }).catch(
        () => {},
      )
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
