import type { Logger } from 'pino'
import type { BoundedQueue } from '../collections/bounded-queue.ts'
import type { EventRecords } from './event-records.ts'
import type { OutboxEvent } from './outbox.ts'
import type { OutboxSubscriber, SubscribedTopic } from './outbox-subscriber.ts'

/** Delay before a retry after a fault of the database. */
export const RETRY_DELAY_MS = 500

/** One queue of a topic's events, read for one subscriber or for many. */
export type TopicListener = {
  readonly queue: BoundedQueue<OutboxEvent>
  /** The subscriber that it reads for; null once that is detached. */
  subscriber: OutboxSubscriber | null
  /** Numbers of the last queued and the last consumed event; at first, of the last before. */
  queuedNumber: number
  consumedNumber: number
  /** Whether missed events are still being queued: new events are then read behind those. */
  isCatchingUp: boolean
  /** Time of its last read or delivery, by `performance.now()`. */
  readAt: number
  /** Called when it has consumed all that was queued, or will not read any more. */
  onDrained: (() => void) | null
}

/** A topic with listeners in this process. */
export type FeedTopic = SubscribedTopic & {
  readonly listeners: Set<TopicListener>
  /** The database's copy of `position`; null: unknown. */
  written: number | null
  /** The timer of the next write of positions; true during a write. */
  writing: NodeJS.Timeout | true | null
}

/** State that the parts of an event feed share. */
export type FeedContext = {
  readonly records: EventRecords
  /** By name. */
  readonly topics: Map<string, FeedTopic>
  /** Aborted when the feed is closed. */
  readonly closed: AbortSignal
  readonly log: Logger
}

/** Queues an event for a listener, once. */
export function queueEvent(listener: TopicListener, event: OutboxEvent): void {
  if (event.number <= listener.queuedNumber) return
  listener.queuedNumber = event.number
  listener.queue.push(event)
}
