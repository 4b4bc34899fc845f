import { setTimeout as sleep } from 'node:timers/promises'
import { type FeedContext, type FeedTopic, queueEvent, RETRY_DELAY_MS, type TopicListener } from './feed-topic.ts'

/** Time that a listener may take to read an event while it catches up. */
const MAX_READ_DELAY_MS = 60_000

/** Queues for listeners the events that others in this process received before them. */
export type MissedEvents = {
  /** Queues the next batch of missed events. Rejects when the database cannot be read. */
  readonly queueBatch: (listener: TopicListener, topic: FeedTopic) => Promise<void>
  /** Queues all missed events in the background, at the pace of the reader. */
  readonly catchUp: (listener: TopicListener, topic: FeedTopic) => void
  /** Ends listeners that catch up and read too slowly, with SLOW_READER. */
  readonly cutOffSlowReaders: () => void
  /** Resolves when nothing is read any more; for use after the feed is closed. */
  readonly finished: () => Promise<unknown>
}

/** The missed events of one feed. */
export function missedEvents({ records, topics, closed, log }: FeedContext): MissedEvents {
  const running = new Set<Promise<void>>()
  return { queueBatch, catchUp, cutOffSlowReaders, finished: () => Promise.all(running) }

  function catchUp(listener: TopicListener, topic: FeedTopic): void {
    // Not asynchronous where nothing was missed: new events are not read a second time.
    listener.isCatchingUp = listener.consumedNumber < listener.queuedNumber || listener.queuedNumber < topic.position
    if (!listener.isCatchingUp) return
    const catching = queueAll(listener, topic).finally(() => running.delete(catching))
    running.add(catching)
  }

  async function queueAll(listener: TopicListener, topic: FeedTopic): Promise<void> {
    listener.readAt = performance.now()
    while (true) {
      // More than the queue may hold would count as a slow reader.
      await drained(listener, topic)
      if (closed.aborted || !topic.listeners.has(listener)) return
      if (listener.queuedNumber >= topic.position) break
      try {
        await queueBatch(listener, topic)
      } catch (error) {
        if (closed.aborted) return
        log.warn({ err: error }, 'what a listener missed could not be read; trying again')
        await sleep(RETRY_DELAY_MS, undefined, { signal: closed }).catch(() => {})
      }
    }
    listener.isCatchingUp = false
  }

  async function drained(listener: TopicListener, topic: FeedTopic): Promise<void> {
    // A released listener consumes nothing any more.
    if (listener.consumedNumber >= listener.queuedNumber || closed.aborted || !topic.listeners.has(listener)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    listener.onDrained = resolve
    await promise
    listener.onDrained = null
  }

  async function queueBatch(listener: TopicListener, topic: FeedTopic): Promise<void> {
    if (listener.queuedNumber >= topic.position) return
    const { queuedNumber } = listener
    const missed = await records.read([{ name: topic.name, position: queuedNumber }])
    // The topic was rewound meanwhile.
    if (listener.queuedNumber !== queuedNumber || listener.queuedNumber >= topic.position) return
    // The next event was deleted by `tidy`.
    if (missed[0]?.number !== queuedNumber + 1) listener.queue.cutOff()
    else for (const event of missed) if (event.number <= topic.position) queueEvent(listener, event)
    listener.readAt = performance.now()
  }

  /** A listener that catches up gets no new events, so its queue never runs over. */
  function cutOffSlowReaders(): void {
    const before = performance.now() - MAX_READ_DELAY_MS
    for (const { listeners } of topics.values()) {
      for (const { isCatchingUp, consumedNumber, queuedNumber, readAt, queue } of [...listeners]) {
        if (isCatchingUp && consumedNumber < queuedNumber && readAt < before) queue.cutOff()
      }
    }
  }
}
