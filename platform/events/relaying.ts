import { type EventRelay, eventRelay } from './event-relay.ts'
import type { FeedContext } from './feed-topic.ts'
import type { ListenConnection } from './listen-connection.ts'
import type { OutboxEvent } from './outbox.ts'
import { relayPublisher } from './relay-publisher.ts'
import type { TopicReader } from './topic-reader.ts'

/** The relay of one feed, with what it does to the rest of the feed. */
export type Relaying = Pick<EventRelay, 'isFollowing' | 'isLeading' | 'close'> & {
  /** Publishes events of a topic, if this process leads; null: all that nobody published. */
  readonly publishSoon: (topic: string | null) => void
  /** After a connect: the database may be another one, with lower numbers. */
  readonly onConnected: () => void
}

/**
 * Relays the events of a feed: the leader alone listens to the database. Without Redis every
 * process does.
 */
export function relayEvents({
  feed,
  reader,
  listening,
  notify,
  canLead,
  url,
  name,
}: {
  readonly feed: FeedContext
  readonly reader: TopicReader
  readonly listening: ListenConnection
  /** Called with the topic of each event; with null when some may have been missed. */
  readonly notify: (topic: string | null) => void
  /** Whether the database answers this process. */
  readonly canLead: () => boolean
  readonly url: string
  /** Name of the database and its schema. */
  readonly name: string
}): Relaying {
  const { topics, records, log } = feed
  const relay = eventRelay({
    ...{ url, name, log, process: records.process, canLead, onEvents },
    onChange: () => void onChange(),
  })
  const publisher = relayPublisher(feed, relay)
  return {
    isFollowing: relay.isFollowing,
    isLeading: relay.isLeading,
    publishSoon,
    onConnected() {
      publisher.forget()
      publishSoon(null)
    },
    async close() {
      await relay.close()
      await publisher.finished()
    },
  }

  function publishSoon(topic: string | null): void {
    if (relay.isLeading()) publisher.publishSoon(topic)
  }

  function onEvents(events: readonly OutboxEvent[]): void {
    for (const event of events) {
      notify(event.topic)
      const topic = topics.get(event.topic)
      if (topic && !reader.queueNext(topic, event)) reader.readSoon([topic])
    }
  }

  async function onChange(): Promise<void> {
    publisher.forget()
    await listening.setListening(relay.isLeading() || !relay.isFollowing())
    // Events between the two ways; whoever leads from now on publishes what nobody did.
    notify(null)
    reader.readSoon(topics.values())
    publishSoon(null)
  }
}
