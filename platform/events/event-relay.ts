import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RETRY_DELAY_MS } from './feed-topic.ts'
import type { OutboxEvent } from './outbox.ts'
import { connectStream, type RedisStream } from './redis-stream.ts'

/** Interval at which a leader renews its lease, and others try to get it. */
const LEASE_INTERVAL_MS = 500

/**
 * A stream in Redis with events of an outbox. One process, the leader, reads them from the
 * database and publishes them; all copies read the stream, so copies add no reads of the database.
 * The outbox stays the truth: numbers of events tell what is missing, and what came twice.
 */
export type EventRelay = {
  /** Whether new events arrive by the stream; false while Redis is unavailable. */
  readonly isFollowing: () => boolean
  /** Whether this process publishes. */
  readonly isLeading: () => boolean
  /** Publishes events in this order. Rejects when Redis is unavailable. */
  readonly publish: RedisStream['publish']
  readonly close: () => Promise<void>
}

/** What a relay needs of the feed. */
type RelayOptions = {
  readonly url: string
  /** Distinguishes databases and schemas that share a Redis. */
  readonly name: string
  /** Id of this process. */
  readonly process: string
  /** Whether the database answers this process. */
  readonly canLead: () => boolean
  /** Called with events of the stream in order; any may be missing, or come again. */
  readonly onEvents: (events: readonly OutboxEvent[]) => void
  /** Called when `isFollowing` or `isLeading` has changed. */
  readonly onChange: () => void
  readonly log: Logger
}

/** Connects in the background, again and again. */
export function eventRelay({ url, name, process, canLead, onEvents, onChange, log }: RelayOptions): EventRelay {
  const closed = new AbortController()
  let connected: RedisStream | null = null
  let isFollowing = false
  let isLeading = false
  let isDown = false
  const running = run()

  return {
    isFollowing: () => isFollowing,
    isLeading: () => isLeading,
    async publish(events) {
      if (!connected) throw new Error('Redis is not connected.')
      await connected.publish(events)
    },
    async close() {
      closed.abort()
      await running
    },
  }

  async function run(): Promise<void> {
    while (!closed.signal.aborted) {
      try {
        connected = await connectStream(url, `atrium:events:${name}`)
        await relayOver(connected)
      } catch (error) {
        if (!closed.signal.aborted) onUnavailable(error)
      }
      connected?.close()
      connected = null
      change({ following: false, leading: false })
      await sleep(RETRY_DELAY_MS, undefined, { signal: closed.signal }).catch(() => {})
    }
  }

  /** Follows the stream, and leads while no other process does; rejects when a connection is lost. */
  async function relayOver(stream: RedisStream): Promise<void> {
    const session = new AbortController()
    const end = () => {
      session.abort()
      stream.stopReading()
    }
    closed.signal.addEventListener('abort', end)
    try {
      const parts = [follow(stream, session.signal).finally(end), lead(stream, session.signal).finally(end)]
      // Both end before another session begins.
      for (const part of await Promise.allSettled(parts)) if (part.status === 'rejected') throw part.reason
    } finally {
      closed.signal.removeEventListener('abort', end)
    }
  }

  async function follow(stream: RedisStream, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const events = await stream.read()
      if (events.length > 0) onEvents(events)
    }
  }

  async function lead(stream: RedisStream, ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      const isAble = canLead()
      if (!isAble) await stream.resign(process)
      const leading = isAble && (await stream.lead(process))
      if (!ended.aborted) {
        // Not before: a Redis that takes no writes, as one that is full, relays nothing.
        onAvailable()
        change({ following: true, leading })
      }
      await sleep(LEASE_INTERVAL_MS, undefined, { signal: ended }).catch(() => {})
    }
    // The next leader need not wait for the end of the lease.
    await stream.resign(process)
  }

  function change({ following, leading }: { readonly following: boolean; readonly leading: boolean }): void {
    if (following === isFollowing && leading === isLeading) return
    if (leading && !isLeading) log.info({ stream: name }, 'this process relays events of the outbox')
    isFollowing = following
    isLeading = leading
    onChange()
  }

  function onUnavailable(error: unknown): void {
    if (isDown) return
    isDown = true
    const reason = error instanceof Error ? error.name : 'unknown'
    log.warn({ reason }, 'Redis cannot be reached: this process reads events from the database')
  }

  function onAvailable(): void {
    if (isDown) log.info('Redis can be reached again: events are relayed')
    isDown = false
  }
}
