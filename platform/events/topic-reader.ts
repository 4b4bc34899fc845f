import { setTimeout as sleep } from 'node:timers/promises'
import type { CatchUp } from './catch-up.ts'
import { MAX_BATCH_EVENTS } from './event-records.ts'
import { type FeedState, publish, RETRY_DELAY_MS, type Topic } from './feed-topic.ts'
import type { OutboxEvent } from './outbox.ts'

/** Reads new events of topics and publishes them; one read at a time. */
export type TopicReader = {
  readonly readSoon: (topics: Iterable<Topic>) => void
  /** Resolves when no read is in flight. */
  readonly idle: () => Promise<void>
}

export function createTopicReader({ records, topics, ended, log }: FeedState, catchUp: CatchUp): TopicReader {
  let pending = new Set<Topic>()
  let reading: Promise<void> | null = null

  return { readSoon, idle: async () => void (await reading) }

  function readSoon(which: Iterable<Topic>): void {
    for (const topic of which) pending.add(topic)
    if (pending.size === 0 || reading || ended.aborted) return
    reading = read().finally(() => {
      reading = null
      readSoon([])
    })
  }

  async function read(): Promise<void> {
    while (pending.size > 0 && !ended.aborted) {
      const now = [...pending].filter(({ subscribers }) => subscribers.size > 0)
      pending = new Set()
      if (now.length === 0) return
      try {
        const events = await records.read(now)
        const byTopic = Map.groupBy(events, ({ topic }) => topic)
        for (const topic of now) publishBatch(topic, byTopic.get(topic.name) ?? [])
      } catch (error) {
        if (ended.aborted) return
        log.warn({ err: error }, 'the outbox could not be read; retrying')
        for (const topic of now) pending.add(topic)
        await sleep(RETRY_DELAY_MS, undefined, { signal: ended }).catch(() => {})
      }
    }
  }

  /** A full batch fills a queue: the subscribers catch up on the rest at the pace of their readers. */
  function publishBatch(topic: Topic, events: readonly OutboxEvent[]): void {
    const hasMore = events.length === MAX_BATCH_EVENTS
    const upToDate = () => [...topic.subscribers].filter(({ isCatchingUp }) => !isCatchingUp)
    if (hasMore) for (const subscriber of upToDate()) catchUp.start(subscriber, topic)
    for (const event of events) publish(topics, event)
    if (!hasMore) return
    for (const subscriber of upToDate()) catchUp.start(subscriber, topic)
    pending.add(topic)
  }
}
