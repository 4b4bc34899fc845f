import type { BrokerClient } from './event-broker.ts'

const CONNECT_TIMEOUT_MS = 2_000
const RETRY_DELAY_MS = 500
/** Ping interval; a server that misses two pings counts as gone. */
const PING_INTERVAL_MS = 10_000

/** Client for core NATS, that is without JetStream. Needs the package `@nats-io/transport-node`. */
export async function natsClient(url: string, onConnection: (isConnected: boolean) => void): Promise<BrokerClient> {
  const { connect } = await import('@nats-io/transport-node')
  const { host, username, password } = new URL(url)
  const [user = '', pass = ''] = [username, password].map(decodeURIComponent)
  const connecting = connect({
    servers: host,
    ...(pass !== '' && { user, pass }),
    ...(pass === '' && user !== '' && { token: user }),
    ...(url.startsWith('tls:') && { tls: {} }),
    timeout: CONNECT_TIMEOUT_MS,
    // Also retries when the server is unreachable at start.
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_DELAY_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
  })
  let isConnected = false
  const say = (now: boolean) => {
    isConnected = now
    onConnection(now)
  }
  let isClosed = false
  const ready = connecting.then(async (connection) => {
    if (isClosed) return connection.close()
    say(true)
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') say(false)
      if (type === 'reconnect') say(true)
    }
  })
  ready.catch(() => say(false))
  // Bounded wait, so that a start does not depend on the server.
  await Promise.race([connecting.catch(() => {}), new Promise((resolve) => setTimeout(resolve, CONNECT_TIMEOUT_MS).unref())])
  if (!isConnected) await new Promise(setImmediate)
  if (!isConnected) onConnection(false)

  return {
    async subscribe(subject, onMessage) {
      if (!isConnected) throw new Error('NATS is not connected.')
      const connection = await connecting
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (!error) onMessage(message.string())
        },
      })
      // `flush` waits until the server has processed the subscription, so that no later message is
      // missed.
      await connection.flush()
      return () => subscription.unsubscribe()
    },
    async close() {
      isClosed = true
      if (isConnected) await (await connecting).close()
    },
  }
}
