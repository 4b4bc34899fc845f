import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { boundedQueue } from '../collections/bounded-queue.ts'
import { type Connection, openDatabase } from '../database/database.ts'
import { type CatchUp, createCatchUp } from './catch-up.ts'
import { createEventRecords, type EventRecords } from './event-records.ts'
import { createTopic, type FeedState, finish, rewind, type Subscriber, type Topic, unsubscribe } from './feed-topic.ts'
import { createListenConnection } from './listen-connection.ts'
import { type EventFeed, notificationChannel, type OutboxEvent, type OutboxTables } from './outbox.ts'
import { createPositionWriter } from './position-writer.ts'
import { createTopicReader, type TopicReader } from './topic-reader.ts'

/** Interval of the heartbeat and of reads without a notification: those are lost with a connection. */
const POLL_INTERVAL_MS = 5_000

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
  const records = createEventRecords(database.query, randomUUID())
  const ended = new AbortController()
  const state: FeedState = { records, topics: new Map(), ended: ended.signal, log }
  const { topics } = state
  const catchUp = createCatchUp(state)
  const reader = createTopicReader(state, catchUp)
  const positions = createPositionWriter(state)
  const releases = createReleases(records, onError)
  const eventListeners = new Set<(topic: string | null) => void>()
  /** Aborted to end the pause of the poll early. */
  let pause = new AbortController()

  const listening = createListenConnection({
    pool: database.pool,
    channel: notificationChannel(schema),
    process: records.process,
    onNotification(name) {
      for (const listener of eventListeners) listener(name)
      const topic = topics.get(name ?? '')
      if (topic) reader.readSoon([topic])
    },
    async onOpen() {
      await rewindTopics(state)
      // Events that were committed while nothing listened.
      for (const listener of eventListeners) listener(null)
      await records.heartbeat()
    },
    onLost(error) {
      onError(error)
      pause.abort()
    },
  })
  try {
    await listening.open()
  } catch (error) {
    await database.close()
    throw error
  }
  const polling = poll()

  return {
    listen: (name, listener) =>
      subscribe(state, { name, listener, catchUp, reader, writeSoon: positions.writeSoon, release: releases.release }),
    onEvent(listener) {
      eventListeners.add(listener)
      return () => void eventListeners.delete(listener)
    },
    listeners: () => [...topics.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0),
    async close() {
      ended.abort()
      positions.stop()
      for (const { subscribers } of topics.values()) {
        for (const { queue, onDrained } of [...subscribers]) {
          queue.end()
          onDrained?.()
        }
      }
      await Promise.all([polling, reader.idle(), releases.idle(), catchUp.idle()])
      listening.close()
      await records.leave().catch(onError)
      await database.close()
    },
  }

  async function poll(): Promise<void> {
    const { signal } = ended
    while (!signal.aborted) {
      pause = new AbortController()
      await sleep(POLL_INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, pause.signal]), ref: false }).catch(() => {})
      if (signal.aborted) return
      try {
        await listening.open()
        await records.heartbeat()
        await records.deleteExpired()
        catchUp.cutOffIdle()
        reader.readSoon(topics.values())
      } catch (error) {
        log.warn({ err: error }, 'the outbox is unavailable; retrying')
      }
    }
  }
}

/** Adds a subscriber to a topic, and returns the iterator of its reader. */
async function subscribe(
  { records, topics, ended }: FeedState,
  {
    name,
    listener,
    catchUp,
    reader,
    writeSoon,
    release,
  }: {
    readonly name: string
    readonly listener: string | null
    readonly catchUp: CatchUp
    readonly reader: TopicReader
    readonly writeSoon: (topic: Topic) => void
    readonly release: (id: string) => void
  },
): Promise<AsyncIterableIterator<OutboxEvent>> {
  const { id, from } = await records.register(name, listener)
  const topic = topics.get(name) ?? createTopic(name, from)
  const queue = boundedQueue<OutboxEvent>({
    onDone({ number }) {
      finish(subscriber, topic, number)
      writeSoon(topic)
    },
    onReleased() {
      unsubscribe(topics, topic, subscriber)
      if (id !== null) release(id)
    },
  })
  const subscriber: Subscriber = {
    id,
    queue,
    delivered: from,
    done: from,
    recorded: id === null ? null : from,
    isCatchingUp: true,
    lastReadAt: performance.now(),
    onDrained: null,
  }
  topics.set(name, topic)
  topic.subscribers.add(subscriber)
  if (from < topic.position) topic.behind += 1
  // Events that other subscribers here already got come before new ones.
  try {
    await catchUp.deliverMissed(subscriber, topic)
  } catch (error) {
    await queue.iterator.return?.()
    throw error
  }
  if (ended.aborted) queue.end()
  catchUp.start(subscriber, topic)
  reader.readSoon([topic])
  return queue.iterator
}

/** Deletes the rows of named subscribers that have gone, many per statement. */
function createReleases(records: EventRecords, onError: (error: Error) => void) {
  let released: string[] = []
  let releasing: Promise<void> | null = null

  return {
    release(id: string): void {
      released.push(id)
      releasing ??= flush().finally(() => {
        releasing = null
      })
    },
    idle: async (): Promise<void> => void (await releasing),
  }

  async function flush(): Promise<void> {
    // Many go at once when a connection of a client ends.
    await new Promise(setImmediate)
    while (released.length > 0) {
      const ids = released
      released = []
      await records.release(ids).catch(onError)
    }
  }
}

/**
 * Sets topics back to what the database has. A promoted replica may lack the last events that the
 * lost primary had written: numbers continue from its end.
 */
async function rewindTopics({ records, topics }: FeedState): Promise<void> {
  const before = [...topics.values()].map((topic) => ({ topic, position: topic.position }))
  const ends = await records.lastNumbers([...topics.keys()])
  for (const { topic, position } of before) {
    const end = ends.get(topic.name) ?? 0
    if (end < position) rewind(topic, end)
  }
}
