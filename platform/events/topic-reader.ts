import { setTimeout as sleep } from 'node:timers/promises'
import { BATCH_ROWS } from './event-records.ts'
import { type FeedContext, type FeedTopic, queueEvent, RETRY_DELAY_MS } from './feed-topic.ts'
import type { MissedEvents } from './missed-events.ts'
import type { OutboxEvent } from './outbox.ts'

/** Reads new events of topics and queues them for their listeners. */
export type TopicReader = {
  /** Reads these topics, with those that are requested meanwhile in one statement. */
  readonly readSoon: (topics: Iterable<FeedTopic>) => void
  /**
   * Queues an event from elsewhere if it is the next of its topic, or an old one, which is ignored;
   * false: events before it are missing.
   */
  readonly queueNext: (topic: FeedTopic, event: OutboxEvent) => boolean
  /** Resolves when nothing is read any more; for use after the feed is closed. */
  readonly finished: () => Promise<void> | null
}

/** The reader of one feed. */
export function topicReader(
  { records, topics, closed, log }: FeedContext,
  { catchUp }: Pick<MissedEvents, 'catchUp'>,
): TopicReader {
  let toRead = new Set<FeedTopic>()
  let reading: Promise<void> | null = null
  return { readSoon, queueNext, finished: () => reading }

  function queueNext(topic: FeedTopic, event: OutboxEvent): boolean {
    if (event.number > topic.position + 1) return false
    // A listener that is half a queue behind reads the rest from the database at its own pace.
    for (const listener of topic.listeners) {
      if (!listener.isCatchingUp && listener.queuedNumber - listener.consumedNumber >= BATCH_ROWS / 2) catchUp(listener, topic)
    }
    queueForListeners(event)
    return true
  }

  function readSoon(which: Iterable<FeedTopic>): void {
    for (const topic of which) toRead.add(topic)
    if (toRead.size === 0 || reading || closed.aborted) return
    reading = read().finally(() => {
      reading = null
      readSoon([])
    })
  }

  async function read(): Promise<void> {
    while (toRead.size > 0 && !closed.aborted) {
      const now = [...toRead].filter(({ listeners }) => listeners.size > 0)
      toRead = new Set()
      if (now.length === 0) return
      try {
        const events = await records.read(now)
        const byTopic = Map.groupBy(events, ({ topic }) => topic)
        for (const topic of now) queueForTopic(topic, byTopic.get(topic.name) ?? [])
      } catch (error) {
        if (closed.aborted) return
        log.warn({ err: error }, 'the outbox could not be read; trying again')
        for (const topic of now) toRead.add(topic)
        await sleep(RETRY_DELAY_MS, undefined, { signal: closed }).catch(() => {})
      }
    }
  }

  /**
   * A full batch fills a queue: there may be more events, which each listener catches up with after
   * it has read those.
   */
  function queueForTopic(topic: FeedTopic, events: readonly OutboxEvent[]): void {
    const isFullBatch = events.length === BATCH_ROWS
    const inTime = () => [...topic.listeners].filter(({ isCatchingUp }) => !isCatchingUp)
    if (isFullBatch) for (const listener of inTime()) catchUp(listener, topic)
    for (const event of events) queueForListeners(event)
    if (!isFullBatch) return
    for (const listener of inTime()) catchUp(listener, topic)
    toRead.add(topic)
  }

  function queueForListeners(event: OutboxEvent): void {
    const topic = topics.get(event.topic)
    if (!topic || event.number <= topic.position) return
    topic.position = event.number
    topic.behind = topic.subscribers.size
    for (const listener of [...topic.listeners]) if (!listener.isCatchingUp) queueEvent(listener, event)
  }
}
