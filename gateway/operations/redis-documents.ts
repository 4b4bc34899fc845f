import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { redisScripts } from '../../platform/redis/redis-scripts.ts'
import { BOUNDS } from '../limits/limits.ts'

const KEY = 'atrium:documents'
/** The same bound as in one process. */
const MAX_DOCUMENTS = 10_000
/** Documents that are read at once, and the wait after a fault. */
const BATCH_ENTRIES = 200
const RETRY_MS = 1_000

/** Appends ARGV[2], keeping about ARGV[1]. */
const ADD = `return redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', 'text', ARGV[2])`

/** Texts that clients registered by their hash, through whichever gateway. */
export type SharedDocuments = {
  /**
   * Publishes a text to other gateways. Never waits and never fails: a client whose text did not
   * arrive gets PERSISTED_QUERY_NOT_FOUND and sends it again.
   */
  readonly publish: (text: string) => void
  /**
   * Calls `delivered` with every text that other gateways published, then with new ones. The
   * returned function unsubscribes.
   */
  readonly subscribe: (delivered: (text: string) => void) => () => void
  readonly close: () => Promise<void>
}

/** The configured store: null without Redis, where each process keeps its own texts only. */
export async function sharedDocumentsFromConfig(
  { REDIS_URL: url }: { readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<SharedDocuments | null> {
  return url === undefined ? null : createSharedDocuments({ url, log })
}

/**
 * Documents in a stream of Redis, which each gateway reads from its beginning on. A lookup reads
 * memory, so no operation waits for Redis. Only the hash of a text is trusted: a text is validated
 * like any other when a client runs it.
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
  // Of its own: it waits for what comes next.
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
