import { setTimeout as sleep } from 'node:timers/promises'
import { boundedCache } from '../collections/bounded-cache.ts'
import { RELAY_BATCH_ROWS } from './event-records.ts'
import type { EventRelay } from './event-relay.ts'
import { type FeedContext, RETRY_DELAY_MS } from './feed-topic.ts'

/** Topics whose last published number is known; events of others may be published twice. */
const MAX_PUBLISHED_TOPICS = 50_000
/** Topics with new events that wait; beyond, all recent topics are read. */
const MAX_WAITING_TOPICS = 50_000
/** Events that are published at once: a command to Redis may take a second, however long they are. */
const EVENTS_PER_PUBLISH = 100
/** Topics that one statement reads. */
const TOPICS_PER_READ = 100

/** Publishes new events of the outbox to a relay, in this process while it leads. */
export type RelayPublisher = {
  /** Publishes new events of a topic; null: of all topics with events of the last half minute. */
  readonly publishSoon: (topic: string | null) => void
  /** Forgets what was published: another process led meanwhile, or the database was replaced. */
  readonly forget: () => void
  /** Resolves when nothing is published any more; for use after the feed is closed. */
  readonly finished: () => Promise<void> | null
}

/** The publisher of one feed. */
export function relayPublisher(
  { records, closed, log }: Omit<FeedContext, 'topics'>,
  relay: Pick<EventRelay, 'isLeading' | 'publish'>,
): RelayPublisher {
  let published = newCache()
  const waiting = new Set<string>()
  let isAllWaiting = false
  let publishing: Promise<void> | null = null
  return {
    publishSoon,
    forget() {
      published = newCache()
    },
    finished: () => publishing,
  }

  function publishSoon(topic: string | null): void {
    if (topic === null || waiting.size >= MAX_WAITING_TOPICS) isAllWaiting = true
    else waiting.add(topic)
    start()
  }

  function start(): void {
    publishing ??= publishAll().finally(() => {
      publishing = null
      if (isAllWaiting || waiting.size > 0) start()
    })
  }

  async function publishAll(): Promise<void> {
    while (!closed.aborted && relay.isLeading() && (isAllWaiting || waiting.size > 0)) {
      try {
        if (isAllWaiting) {
          isAllWaiting = false
          for (const name of await records.recentTopics()) waiting.add(name)
        }
        await publishBatch(waiting.values().take(TOPICS_PER_READ).toArray())
      } catch (error) {
        // A notification may have been lost meanwhile.
        isAllWaiting = true
        if (closed.aborted || !relay.isLeading()) break
        log.warn({ err: error }, 'events could not be relayed; trying again')
        await sleep(RETRY_DELAY_MS, undefined, { signal: closed }).catch(() => {})
      }
    }
    // Those of the next leader.
    waiting.clear()
    isAllWaiting = false
  }

  async function publishBatch(names: readonly string[]): Promise<void> {
    for (const name of names) waiting.delete(name)
    try {
      await publishTopics(names)
    } catch (error) {
      // Their events may be older than those of recent topics when it works again.
      for (const name of names) waiting.add(name)
      throw error
    }
  }

  async function publishTopics(names: readonly string[]): Promise<void> {
    const numbers = published
    const events = await records.readToRelay(names.map((name) => ({ name, position: numbers.get(name) ?? null })))
    const counts = new Map<string, number>()
    for (let begin = 0; begin < events.length; begin += EVENTS_PER_PUBLISH) {
      const part = events.slice(begin, begin + EVENTS_PER_PUBLISH)
      await relay.publish(part)
      for (const { topic, number } of part) {
        numbers.set(topic, number)
        counts.set(topic, (counts.get(topic) ?? 0) + 1)
      }
    }
    // There may be more of these.
    for (const [topic, count] of counts) if (count === RELAY_BATCH_ROWS) waiting.add(topic)
  }
}

const newCache = () => boundedCache<number>({ maxEntries: MAX_PUBLISHED_TOPICS, maxCharacters: 100 * MAX_PUBLISHED_TOPICS })
