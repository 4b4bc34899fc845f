import type { Logger } from 'pino'
import type { BoundedQueue } from '../collections/bounded-queue.ts'
import type { EventRecords } from './event-records.ts'
import type { OutboxEvent } from './outbox.ts'

/** One reader of a topic in this process. The database stores positions of named subscribers. */
export type Subscriber = {
  /** Row id in `event_listener`; null for a subscriber without a name. */
  readonly id: string | null
  readonly queue: BoundedQueue<OutboxEvent>
  /** Number of the last event in the queue; initially of the last event before the subscription. */
  delivered: number
  /** Number of the last event that the reader has finished. */
  done: number
  /** The stored value of `done`; null: the database takes the position of the topic. */
  recorded: number | null
  /** While true, missed events are read from the database and new ones are not pushed. */
  isCatchingUp: boolean
  /** Last time the reader took an event or got missed ones, by `performance.now()`. */
  lastReadAt: number
  /** Called when the queue is drained or the reader has gone. */
  onDrained: (() => void) | null
}

/** A topic with at least one subscriber in this process. */
export type Topic = {
  readonly name: string
  /** Number of the last published event. */
  position: number
  readonly subscribers: Set<Subscriber>
  /** How many subscribers have not finished the last event. */
  behind: number
  /** The stored value of `position`; null: nothing stored. */
  written: number | null
  /** Timer of the next write of positions; true during a write. */
  writing: NodeJS.Timeout | true | null
}

/** What the stages of one event feed share. */
export type FeedState = {
  readonly records: EventRecords
  readonly topics: Map<string, Topic>
  /** Aborted when the feed closes. */
  readonly ended: AbortSignal
  readonly log: Logger
}

/** Delay before a failed read or write is retried. */
export const RETRY_DELAY_MS = 500

export const createTopic = (name: string, position: number): Topic => ({
  name,
  position,
  subscribers: new Set(),
  behind: 0,
  written: null,
  writing: null,
})

/** Puts an event into the queue of a subscriber, once. */
export function deliver(subscriber: Subscriber, event: OutboxEvent): void {
  if (event.number <= subscriber.delivered) return
  subscriber.delivered = event.number
  subscriber.queue.push(event)
}

/** Delivers a new event to all subscribers of its topic that are up to date. */
export function publish(topics: ReadonlyMap<string, Topic>, event: OutboxEvent): void {
  const topic = topics.get(event.topic)
  if (!topic || event.number <= topic.position) return
  topic.position = event.number
  topic.behind = topic.subscribers.size
  for (const subscriber of [...topic.subscribers]) if (!subscriber.isCatchingUp) deliver(subscriber, event)
}

/** Notes that a reader has finished an event. */
export function finish(subscriber: Subscriber, topic: Topic, number: number): void {
  const wasBehind = subscriber.done < topic.position
  // At most the position of the topic, which may have been rewound since.
  subscriber.done = Math.min(number, topic.position)
  subscriber.lastReadAt = performance.now()
  if (wasBehind && subscriber.done === topic.position) topic.behind -= 1
  if (subscriber.done >= subscriber.delivered) subscriber.onDrained?.()
}

/** Removes a subscriber, and a topic without any left. */
export function unsubscribe(topics: Map<string, Topic>, topic: Topic, subscriber: Subscriber): void {
  if (topic.subscribers.delete(subscriber) && subscriber.done < topic.position) topic.behind -= 1
  if (topic.subscribers.size === 0 && topics.get(topic.name) === topic) topics.delete(topic.name)
  subscriber.onDrained?.()
}

/** Sets a topic back to `end` when the database lacks the events after it. */
export function rewind(topic: Topic, end: number): void {
  topic.position = end
  for (const subscriber of topic.subscribers) {
    subscriber.delivered = Math.min(subscriber.delivered, end)
    subscriber.done = Math.min(subscriber.done, end)
  }
  topic.behind = [...topic.subscribers].filter(({ done }) => done < end).length
  topic.written = null
}
