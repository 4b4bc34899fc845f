import type pg from 'pg'
import type { EventRecords } from './event-records.ts'
import type { FeedTopic } from './feed-topic.ts'
import { channelOf } from './outbox.ts'

/** The connection that LISTENs to the outbox of one schema. */
export type ListenConnection = {
  /**
   * Connects unless it is connected, and is true then. Its advisory lock shows other processes that
   * this one lives. Rejects when the database cannot be reached.
   */
  readonly connect: () => Promise<boolean>
  readonly isConnected: () => boolean
  /** Begins or ends to listen, also after each connect; the connection is lost when it fails. */
  readonly setListening: (isWanted: boolean) => Promise<void>
  readonly close: () => void
}

/** A connection that is not open yet. */
export function listenConnection({
  pool,
  schema,
  records,
  topics,
  onNotification,
  onError,
  onLost,
}: {
  readonly pool: pg.Pool
  readonly schema: string
  readonly records: EventRecords
  /** By name. Positions are set back to those of the database at each connect. */
  readonly topics: ReadonlyMap<string, FeedTopic>
  /** Called with the topic of a committed event; with null when some may have been missed. */
  readonly onNotification: (topic: string | null) => void
  readonly onError: (error: Error) => void
  /** Called when the connection broke. */
  readonly onLost: () => void
}): ListenConnection {
  let connected: pg.PoolClient | null = null
  let isListening = true
  return {
    connect,
    isConnected: () => connected !== null,
    async setListening(isWanted) {
      if (isListening === isWanted) return
      isListening = isWanted
      await connected?.query(`${isWanted ? 'LISTEN' : 'UNLISTEN'} ${channelOf(schema)}`).catch(onError)
    },
    close() {
      const client = connected
      connected = null
      client?.release(true)
    },
  }

  async function connect(): Promise<boolean> {
    if (connected) return false
    const client = await pool.connect()
    connected = client
    client.on('notification', ({ payload }) => onNotification(payload ?? null))
    client.on('error', (error) => {
      if (connected !== client) return
      onError(error)
      connected = null
      client.release(true)
      onLost()
    })
    try {
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [records.process])
      if (isListening) await client.query(`LISTEN ${channelOf(schema)}`)
      await rewindTopics(topics, records)
      // Events that were committed while the connection was down.
      onNotification(null)
      await records.beat()
      return true
    } catch (error) {
      if (connected === client) {
        connected = null
        client.release(true)
      }
      throw error
    }
  }
}

/**
 * After a failover, the database may lack the last writes of the one before: its numbers then
 * continue from a lower position.
 */
async function rewindTopics(topics: ReadonlyMap<string, FeedTopic>, records: EventRecords): Promise<void> {
  const before = [...topics.values()].map((topic) => ({ topic, position: topic.position }))
  const ends = await records.ends([...topics.keys()])
  for (const { topic, position } of before) {
    const end = ends.get(topic.name) ?? 0
    if (end >= position) continue
    topic.position = end
    for (const listener of topic.listeners) {
      listener.queuedNumber = Math.min(listener.queuedNumber, end)
      listener.consumedNumber = Math.min(listener.consumedNumber, end)
    }
    for (const subscriber of topic.subscribers) subscriber.done = Math.min(subscriber.done, end)
    topic.behind = [...topic.subscribers].filter(({ done }) => done < end).length
    topic.written = null
  }
}
