import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { boundedQueue } from '../collections/bounded-queue.ts'
import { type Connection, openDatabase } from '../database/database.ts'
import { recordsOf } from './event-records.ts'
import type { FeedContext, FeedTopic, TopicListener } from './feed-topic.ts'
import { listenConnection } from './listen-connection.ts'
import { missedEvents } from './missed-events.ts'
import type { EventFeed, OutboxEvent } from './outbox.ts'
import { type OutboxPoll, pollOutbox } from './outbox-poll.ts'
import { OutboxSubscriber } from './outbox-subscriber.ts'
import { type PositionWriter, positionWriter } from './position-writer.ts'
import { type Relaying, relayEvents } from './relaying.ts'
import type { DetachableIterator, Detached } from './subscriber.ts'
import type { OutboxTables } from './tables.ts'
import { topicReader } from './topic-reader.ts'

/** Follows the outbox in `schema` of the database. Rejects when it cannot be read. */
export async function eventFeed({
  connection,
  pooler,
  relayUrl,
  schema,
  log,
}: {
  readonly connection: Connection
  /** A pooler in transaction mode, for everything but LISTEN; absent: none. */
  readonly pooler?: Connection | undefined
  /** A Redis that relays events between copies; absent: each copy reads the database. */
  readonly relayUrl?: string | undefined
  readonly schema: string
  readonly log: Logger
}): Promise<EventFeed> {
  const onError = ({ message }: Error) => log.warn({ reason: message }, 'a connection to the outbox broke')
  const database = openDatabase<OutboxTables>(connection, { schema, max: 3, pooler, onError })
  const ended = new AbortController()
  const records = recordsOf(database.query, randomUUID())
  const feed: FeedContext = { records, topics: new Map(), closed: ended.signal, log }
  const { topics } = feed
  const positions = positionWriter(feed, onError)
  const missed = missedEvents(feed)
  const reader = topicReader(feed, missed)
  const notified = new Set<(topic: string | null) => void>()
  const listening = listenConnection({
    ...{ pool: database.direct, schema, records, topics, onError },
    onNotification(name) {
      if (name === null) relaying?.onConnected()
      else relaying?.publishSoon(name)
      // The relay has it soon.
      if (name !== null && relaying?.isFollowing()) return
      notify(name)
      const topic = topics.get(name ?? '')
      if (topic) reader.readSoon([topic])
    },
    onLost: () => polling?.wake(),
  })
  let relaying: Relaying | null = null
  let polling: OutboxPoll | null = null

  try {
    await listening.connect()
    if (relayUrl !== undefined) {
      const name = `${await records.databaseName()}:${schema}`
      const canLead = () => listening.isConnected() && polling?.isAnswered() !== false
      relaying = relayEvents({ feed, reader, listening, notify, canLead, url: relayUrl, name })
    }
  } catch (error) {
    listening.close()
    await database.close()
    throw error
  }
  polling = pollOutbox({ feed, listening, missed, reader, relaying })

  return {
    async listen(name, listener) {
      const { id, from } = await records.enter(name, listener)
      const topic = topics.get(name) ?? newTopic(name, from, positions)
      const own = addListener(topics, topic, { id, from })
      // Missed events come before new ones.
      try {
        await missed.queueBatch(own, topic)
      } catch (error) {
        await own.queue.iterator.return?.()
        throw error
      }
      if (ended.signal.aborted) own.queue.end()
      missed.catchUp(own, topic)
      reader.readSoon([topic])
      return iteratorOf(own, topic)
    },
    notice(delivered) {
      notified.add(delivered)
      return () => void notified.delete(delivered)
    },
    listeners: () => [...topics.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),
    async close() {
      ended.abort()
      for (const topic of topics.values()) endTopic(topic)
      await relaying?.close()
      await Promise.all([polling?.finished, reader.finished(), positions.released(), missed.finished()])
      listening.close()
      await records.leave().catch(onError)
      await database.close()
    },
  }

  function notify(topic: string | null): void {
    for (const each of notified) each(topic)
  }
}

function newTopic(name: string, position: number, { writeSoon, releaseSoon }: PositionWriter): FeedTopic {
  const counts = { position, behind: 0, written: null, writing: null }
  const topic: FeedTopic = {
    ...{ name, ...counts, listeners: new Set(), subscribers: new Set() },
    onDelivered: () => writeSoon(topic),
    onReleased: releaseSoon,
  }
  return topic
}

/** Adds a listener for one subscriber to `topic`, which is in `topics` while it has listeners. */
function addListener(
  topics: Map<string, FeedTopic>,
  topic: FeedTopic,
  { id, from }: { readonly id: string | null; readonly from: number },
): TopicListener {
  const queue = boundedQueue<OutboxEvent>({
    onDone({ number }) {
      own.consumedNumber = Math.min(number, topic.position)
      own.readAt = performance.now()
      own.subscriber?.advance(number)
      if (own.consumedNumber >= own.queuedNumber) own.onDrained?.()
    },
    onReleased() {
      topic.listeners.delete(own)
      if (topic.listeners.size === 0 && topics.get(topic.name) === topic) topics.delete(topic.name)
      own.onDrained?.()
      own.subscriber?.release()
    },
  })
  const own: TopicListener = {
    queue,
    subscriber: new OutboxSubscriber(topic, id, from),
    queuedNumber: from,
    consumedNumber: from,
    isCatchingUp: true,
    readAt: performance.now(),
    onDrained: null,
  }
  topics.set(topic.name, topic)
  topic.listeners.add(own)
  return own
}

const iteratorOf = (listener: TopicListener, topic: FeedTopic): DetachableIterator<OutboxEvent> =>
  Object.assign(listener.queue.iterator, { detach: () => detach(listener, topic) })

function detach(listener: TopicListener, { name, position }: FeedTopic): Detached | null {
  const { subscriber, queue, queuedNumber } = listener
  if (!subscriber || queuedNumber < position || !queue.settle()) return null
  listener.subscriber = null
  return { subscriber, topic: name }
}

/** Ends all listeners of a topic, and cancels its next write. */
function endTopic({ listeners, writing }: FeedTopic): void {
  if (writing !== true && writing) clearTimeout(writing)
  for (const { queue, onDrained } of [...listeners]) {
    queue.end()
    onDrained?.()
  }
}
