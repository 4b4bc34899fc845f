import type { OutboxEvent } from './outbox.ts'

/** Time that Redis may take to connect, and to answer. */
const CONNECT_TIMEOUT_MS = 1_000
const COMMAND_TIMEOUT_MS = 1_000
/** Time that a read waits for entries. */
const BLOCK_MS = 1_000
/** Entries of one read: half of what a listener's queue holds. */
const BATCH_ENTRIES = 500
/** Entries that the stream keeps, about; a reader that is further behind reads the database. */
const MAX_STREAM_ENTRIES = 20_000
/** Age at which entries are deleted, as events of the outbox are. */
const MAX_ENTRY_AGE_MS = 600_000
/** Time for which a leader leads without renewing its lease. */
const LEASE_MS = 2_000

/** Takes or renews the lease of KEYS[1] for the process ARGV[1]; 0: another one leads. */
const LEAD = `
  local leader = redis.call('GET', KEYS[1])
  if leader and leader ~= ARGV[1] then return 0 end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1`

/** Returns the lease of the process. */
const RESIGN = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

/** Two connections to a stream of events in Redis; every call rejects once one is lost. */
export type RedisStream = {
  /** The next events behind those of the last call, or none after a second. */
  readonly read: () => Promise<readonly OutboxEvent[]>
  /** Adds events in this order, and deletes old ones. */
  readonly publish: (events: readonly OutboxEvent[]) => Promise<void>
  /** Takes or renews the lease of a process; false while another one has it. */
  readonly lead: (process: string) => Promise<boolean>
  /** Returns the lease, if the process has it. */
  readonly resign: (process: string) => Promise<void>
  /** Ends `read` at once. */
  readonly stopReading: () => void
  readonly close: () => void
}

/** Connects, to read from the present end of the stream on. */
export async function connectStream(url: string, stream: string): Promise<RedisStream> {
  const { Redis } = await import('ioredis')
  const lease = `${stream}:leader`
  const options = {
    ...{ lazyConnect: true, enableOfflineQueue: false },
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
  }
  const reader = new Redis(url, { ...options, commandTimeout: BLOCK_MS + COMMAND_TIMEOUT_MS })
  const writer = new Redis(url, { ...options, commandTimeout: COMMAND_TIMEOUT_MS })
  // Ignored, because commands reject as well; the message may contain the URL with its password.
  for (const each of [reader, writer]) each.on('error', () => {})
  const close = () => {
    reader.disconnect()
    writer.disconnect()
  }
  let position: string
  try {
    await Promise.all([reader.connect(), writer.connect()])
    const [newest] = await reader.xrevrange(stream, '+', '-', 'COUNT', 1)
    position = newest?.[0] ?? '0-0'
  } catch (error) {
    close()
    throw error
  }

  return {
    async read() {
      const streams = await reader.xread('COUNT', BATCH_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS', stream, position)
      const entries = streams?.[0]?.[1] ?? []
      position = entries.at(-1)?.[0] ?? position
      return entries.flatMap(([, [, text = '']]) => eventIn(text) ?? [])
    },
    async publish(events) {
      const pipeline = writer.pipeline()
      for (const event of events) {
        pipeline.xadd(stream, 'MAXLEN', '~', MAX_STREAM_ENTRIES, '*', 'event', JSON.stringify(event))
      }
      pipeline.xtrim(stream, 'MINID', '~', Date.now() - MAX_ENTRY_AGE_MS)
      pipeline.pexpire(stream, MAX_ENTRY_AGE_MS)
      // Its errors have the arguments of their command, and so the events, which no log may have.
      const results = await pipeline.exec().catch((error: unknown) => [[withoutArguments(error)] as const])
      for (const [error] of results ?? []) if (error) throw withoutArguments(error)
    },
    lead: async (process) => (await writer.eval(LEAD, 1, lease, process, LEASE_MS)) === 1,
    async resign(process) {
      await writer.eval(RESIGN, 1, lease, process)
    },
    stopReading: () => reader.disconnect(),
    close,
  }
}

const withoutArguments = (error: unknown): Error => new Error(error instanceof Error ? error.message : 'Redis failed.')

/** The event of an entry; null for one that this version cannot read, which counts as missing. */
function eventIn(text: string): OutboxEvent | null {
  try {
    const { topic, number, payload, createdAt } = JSON.parse(text)
    const at = new Date(createdAt)
    const isEvent = typeof topic === 'string' && Number.isSafeInteger(number) && typeof payload === 'object' && payload !== null
    return isEvent && !Number.isNaN(at.getTime()) ? Object.freeze({ topic, number, payload, createdAt: at }) : null
  } catch {
    return null
  }
}
