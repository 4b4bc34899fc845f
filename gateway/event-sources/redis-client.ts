import type { BrokerClient } from './event-broker.ts'

const CONNECT_TIMEOUT_MS = 2_000
const MAX_RETRY_DELAY_MS = 2_000

/** Publish and subscribe of Redis, by exact names of channels. Needs the package `ioredis`. */
export async function redisClient(url: string, onConnection: (isConnected: boolean) => void): Promise<BrokerClient> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    keepAlive: 10_000,
    // Its own subscribing after a reconnection rejects without a handler when the client is closed.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
  })
  const listeners = new Map<string, (text: string) => void>()
  redis.on('message', (channel: string, text: string) => listeners.get(channel)?.(text))
  redis.on('ready', () => {
    const channels = [...listeners.keys()]
    // What cannot subscribe needs another connection; a closed client has none, and ends here.
    if (channels.length > 0) redis.subscribe(...channels).catch(() => redis.status !== 'end' && redis.disconnect(true))
    onConnection(true)
  })
  redis.on('close', () => onConnection(false))
  // `close` follows; the error may quote the URL with its password.
  redis.on('error', () => {})
  await redis.connect().catch(() => {})

  return {
    async subscribe(channel, onMessage) {
      listeners.set(channel, onMessage)
      try {
        await redis.subscribe(channel)
      } catch (error) {
        listeners.delete(channel)
        throw error
      }
      return () => {
        // Another subscription may have followed.
        if (listeners.get(channel) !== onMessage) return
        listeners.delete(channel)
        redis.unsubscribe(channel).catch(() => {})
      }
    },
    close: async () => redis.disconnect(),
  }
}
