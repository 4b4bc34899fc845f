import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { EventBroker } from '../event-sources/event-broker.ts'
import type { EntityCache } from './entity-cache.ts'
import { parseInvalidations } from './entity-cache-tags.ts'

/** Channel of a broker whose messages are invalidations. */
type InvalidationChannel = { readonly source: string; readonly channel: string }

/** Pause between attempts to listen. */
const RETRY_MS = 1_000
/** After a reconnection, the time in which every broker has resubscribed. */
const RESUBSCRIBE_MS = 1_000
/** Pause between two log lines about messages that are no invalidations, per channel. */
const WARN_INTERVAL_MS = 60_000

const ignored = (): void => {}

/**
 * Invalidates entities by messages of brokers, in the format of the endpoint: one invalidation or a
 * list. Messages may be lost while a broker is disconnected, so all entities are invalidated when it
 * is back. Throws an `OperatorError` for a source that there is not.
 */
export function followInvalidationEvents(
  channels: readonly InvalidationChannel[],
  brokerOf: (source: string) => EventBroker | undefined,
  { cache, log }: { readonly cache: Pick<EntityCache, 'invalidate' | 'invalidateAll'>; readonly log: Logger },
): { readonly close: () => Promise<void> } {
  const ended = new AbortController()
  const closed = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve(), { once: true }))
  const followed = channels.map(({ source, channel }, index) => {
    const broker = brokerOf(source)
    if (broker) return { broker, source, channel }
    throw new OperatorError(
      `Expected "entityCache.invalidationEvents[${index}].source" to be a name in "eventSources", got ${JSON.stringify(source)}.`,
    )
  })
  const running = followed.map(follow)
  return {
    async close() {
      ended.abort()
      await Promise.all(running)
    },
  }

  async function follow({ broker, source, channel }: (typeof followed)[number]): Promise<void> {
    const { signal } = ended
    let warnedAt = Number.NEGATIVE_INFINITY
    for (let attempt = 0; !signal.aborted; attempt++) {
      const gone = Promise.withResolvers<void>()
      try {
        const listening = broker.listen(channel, { onEvent, onGone: gone.resolve, onReconnected })
        // A broker that is connected and does not answer must not hold up the end.
        const stop = await Promise.race([listening, closed])
        if (!stop) {
          void listening.then((late) => late(), ignored)
          return
        }
        if (attempt > 0) await cache.invalidateAll()
        await Promise.race([gone.promise, closed])
        stop()
      } catch {
        // The broker logs that it is not connected.
      }
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
    }

    function onEvent(event: unknown): void {
      const parsed = parseInvalidations(Array.isArray(event) ? event : [event])
      if ('invalidations' in parsed) return void cache.invalidate(parsed.invalidations)
      if (performance.now() - warnedAt < WARN_INTERVAL_MS) return
      warnedAt = performance.now()
      log.warn({ source, channel, reason: parsed.problem }, 'a message of a broker is no invalidation of entities')
    }

    function onReconnected(): void {
      void cache.invalidateAll()
      // Again, for what was published before the broker had resubscribed.
      setTimeout(() => void cache.invalidateAll(), RESUBSCRIBE_MS).unref()
    }
  }
}
