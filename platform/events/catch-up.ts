import { setTimeout as sleep } from 'node:timers/promises'
import { deliver, type FeedState, RETRY_DELAY_MS, type Subscriber, type Topic } from './feed-topic.ts'

/** How long a reader that is catching up may pause before its subscription ends with SLOW_READER. */
const MAX_READER_PAUSE_MS = 60_000

/** Delivers what subscribers missed: events that others in this process already got. */
export type CatchUp = {
  /** Delivers the rest of what a subscriber missed; new events are pushed afterwards. */
  readonly start: (subscriber: Subscriber, topic: Topic) => void
  /** Delivers the next batch of missed events. */
  readonly deliverMissed: (subscriber: Subscriber, topic: Topic) => Promise<void>
  /** Ends subscribers that are catching up and have not read for a minute. */
  readonly cutOffIdle: () => void
  /** Resolves when no subscriber is catching up. */
  readonly idle: () => Promise<unknown>
}

export function createCatchUp({ records, topics, ended, log }: FeedState): CatchUp {
  const running = new Set<Promise<void>>()

  return {
    start(subscriber, topic) {
      // At once where nothing was missed: what happens from now on is not read again.
      subscriber.isCatchingUp = subscriber.done < subscriber.delivered || subscriber.delivered < topic.position
      if (!subscriber.isCatchingUp) return
      const catching = deliverRest(subscriber, topic).finally(() => running.delete(catching))
      running.add(catching)
    },
    deliverMissed,
    // No new events are pushed while a subscriber catches up, so its queue never overflows.
    cutOffIdle() {
      const before = performance.now() - MAX_READER_PAUSE_MS
      for (const { subscribers } of topics.values()) {
        for (const { isCatchingUp, done, delivered, lastReadAt, queue } of [...subscribers]) {
          if (isCatchingUp && done < delivered && lastReadAt < before) queue.cutOff()
        }
      }
    },
    idle: () => Promise.all(running),
  }

  async function deliverRest(subscriber: Subscriber, topic: Topic): Promise<void> {
    subscriber.lastReadAt = performance.now()
    while (true) {
      // More than the queue may hold would look like a slow reader.
      await drained(subscriber, topic)
      if (ended.aborted || !topic.subscribers.has(subscriber)) return
      if (subscriber.delivered >= topic.position) break
      try {
        await deliverMissed(subscriber, topic)
      } catch (error) {
        if (ended.aborted) return
        log.warn({ err: error }, 'missed events could not be read; retrying')
        await sleep(RETRY_DELAY_MS, undefined, { signal: ended }).catch(() => {})
      }
    }
    subscriber.isCatchingUp = false
  }

  async function drained(subscriber: Subscriber, topic: Topic): Promise<void> {
    // A reader that has gone finishes nothing any more.
    if (subscriber.done >= subscriber.delivered || ended.aborted || !topic.subscribers.has(subscriber)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    subscriber.onDrained = resolve
    await promise
    subscriber.onDrained = null
  }

  async function deliverMissed(subscriber: Subscriber, topic: Topic): Promise<void> {
    if (subscriber.delivered >= topic.position) return
    const { delivered } = subscriber
    const missed = await records.read([{ name: topic.name, position: delivered }])
    // The topic was rewound meanwhile.
    if (subscriber.delivered !== delivered || subscriber.delivered >= topic.position) return
    // The next event has expired.
    if (missed[0]?.number !== delivered + 1) subscriber.queue.cutOff()
    else for (const event of missed) if (event.number <= topic.position) deliver(subscriber, event)
    subscriber.lastReadAt = performance.now()
  }
}
