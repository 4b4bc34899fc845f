import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedContext } from './feed-topic.ts'
import type { ListenConnection } from './listen-connection.ts'
import type { MissedEvents } from './missed-events.ts'
import type { Relaying } from './relaying.ts'
import type { TopicReader } from './topic-reader.ts'

/** Interval of polling and of the liveness mark: a broken connection loses notifications. */
const POLL_INTERVAL_MS = 5_000
/** Polls from one read of the database to the next while another process relays events. */
const POLLS_PER_READ = 12
/** Time without an answer to the liveness mark after which the database counts as away: three polls. */
const MAX_SILENCE_MS = 3 * POLL_INTERVAL_MS

/** The regular work of one feed: connects again, marks this process as alive, reads what was lost. */
export type OutboxPoll = {
  /** Ends the pause before the next poll. */
  readonly wake: () => void
  /** Whether the database took the last mark: a connection may be open, and never answer. */
  readonly isAnswered: () => boolean
  /** Resolves after the feed is closed. */
  readonly finished: Promise<void>
}

/** Polls until the feed is closed. */
export function pollOutbox({
  feed: { topics, records, closed, log },
  listening,
  missed,
  reader,
  relaying,
}: {
  readonly feed: FeedContext
  readonly listening: ListenConnection
  readonly missed: MissedEvents
  readonly reader: TopicReader
  readonly relaying: Relaying | null
}): OutboxPoll {
  let pause = new AbortController()
  let answeredAt = performance.now()
  return {
    wake: () => pause.abort(),
    isAnswered: () => performance.now() - answeredAt < MAX_SILENCE_MS,
    finished: poll(),
  }

  async function poll(): Promise<void> {
    for (let polls = 1; !closed.aborted; polls += 1) {
      pause = new AbortController()
      const signal = AbortSignal.any([closed, pause.signal])
      await sleep(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
      if (closed.aborted) return
      try {
        const isReconnected = await listening.connect()
        await records.beat()
        answeredAt = performance.now()
        missed.cutOffSlowReaders()
        const isRelayed = relaying?.isFollowing() && !relaying.isLeading()
        if (isRelayed && !isReconnected && polls % POLLS_PER_READ !== 0) continue
        await records.tidy()
        reader.readSoon(topics.values())
        relaying?.publishSoon(null)
      } catch (error) {
        log.warn({ err: error }, 'the outbox could not be reached; trying again')
      }
    }
  }
}
