import type { BrokerClient } from './event-broker.ts'

const CONNECT_TIMEOUT_MS = 2_000
const MAX_RETRY_DELAY_MS = 2_000

/** Client for Redis publish/subscribe, with exact channel names. Needs the package `ioredis`. */
export async function redisClient(url: string, onConnection: (isConnected: boolean) => void): Promise<BrokerClient> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: null,
    keepAlive: 10_000,
    // Disabled, because its promise rejects unhandled when the client is closed while
    // resubscribing.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
  })
  const listeners = new Map<string, (text: string) => void>()
  redis.on('message', (channel: string, text: string) => listeners.get(channel)?.(text))
  redis.on('ready', () => {
    const channels = [...listeners.keys()]
    // On failure disconnects, to resubscribe on a new connection, unless the client was closed.
    if (channels.length > 0) redis.subscribe(...channels).catch(() => redis.status !== 'end' && redis.disconnect(true))
    onConnection(true)
  })
  redis.on('close', () => onConnection(false))
  // Ignored, because `close` follows, and the message may contain the URL with its password.
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
        // A newer subscription may have replaced this listener.
        if (listeners.get(channel) !== onMessage) return
        listeners.delete(channel)
        redis.unsubscribe(channel).catch(() => {})
      }
    },
    close: async () => redis.disconnect(),
  }
}
