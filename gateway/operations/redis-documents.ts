import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { redisScripts } from '../../platform/redis/redis-scripts.ts'
import { BOUNDS } from '../limits/limits.ts'

const KEY = 'atrium:documents'
/** Upper bound of stored documents, the same as in one process. */
const MAX_DOCUMENTS = 10_000
/** Documents per read, and delay after a failure. */
const BATCH_ENTRIES = 200
const RETRY_MS = 1_000

/** Appends ARGV[2], and trims the stream to about ARGV[1] entries. */
const ADD = `return redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'text', ARGV[2])`

/** Automatic persisted queries shared by all gateways. */
export type SharedDocuments = {
  /**
   * Publishes a text to other gateways, without waiting or failing: if it is lost, the client gets
   * PERSISTED_QUERY_NOT_FOUND and sends the text again.
   */
  readonly publish: (text: string) => void
  /**
   * Calls `delivered` with each text of other gateways, stored and new. Returns the unsubscribe
   * function.
   */
  readonly subscribe: (delivered: (text: string) => void) => () => void
  readonly close: () => Promise<void>
}

/** Store by configuration; null without Redis: each process keeps its own texts. */
export async function sharedDocumentsFromConfig(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<SharedDocuments | null> {
  return url === undefined ? null : createSharedDocuments({ url, log })
}

/**
 * Documents in a Redis stream, which each gateway reads from the start. Lookups are in memory, so
 * no operation waits for Redis. Texts are trusted by hash only, and validated like any other.
 */
export async function createSharedDocuments({
  url,
  log,
}: {
  readonly url: string
  readonly log: Logger
}): Promise<SharedDocuments> {
  const scripts = await redisScripts({ url, purpose: 'documents that clients registered', log })
  const { Redis } = await import('ioredis')
  // Separate connection, because XREAD blocks it.
  const reader = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null, connectTimeout: RETRY_MS })
  reader.on('error', () => {})
  const following = new Set<(text: string) => void>()
  const ended = new AbortController()
  let last = '0'
  const reading = read()

  return {
    publish: (text) => void scripts.run(ADD, [KEY], [MAX_DOCUMENTS, text]),
    subscribe(sent) {
      following.add(sent)
      return () => void following.delete(sent)
    },
    async close() {
      ended.abort()
      reader.disconnect()
      await Promise.all([scripts.close(), reading])
    },
  }

  async function read(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        const answer = await reader.xread('COUNT', BATCH_ENTRIES, 'BLOCK', 0, 'STREAMS', KEY, last)
        for (const [, entries] of answer ?? []) {
          for (const [id, [, text = '']] of entries) {
            last = id
            if (text.length <= BOUNDS.bodyBytes) for (const notified of following) notified(text)
          }
        }
      } catch {
        await pause(RETRY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => {})
      }
    }
  }
}
