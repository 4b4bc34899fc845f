import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Caller } from '../../platform/http/caller.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { HttpContext } from '../middleware/http-context.ts'
import type { ProtocolConnection, SocketOperation } from './graphql-transport-ws.ts'
import { heartbeat } from './heartbeat.ts'

/** Ping interval. A client that misses two pings in a row is disconnected. */
const PING_SECONDS = 15
/** Timeout of a client's response to a close frame. */
export const CLOSE_TIMEOUT_MS = 2_000

/**
 * Close codes (RFC 6455 §7.4.1 and its registry) after which clients of this protocol reconnect.
 */
const GOING_AWAY_CODE = 1001
const SERVICE_RESTART_CODE = 1012

/** State of one WebSocket. Of its request only needed parts are kept. */
export type SocketConnection = {
  readonly socket: WebSocket
  /** The stream below the socket. */
  readonly stream: Duplex
  readonly protocol: ProtocolConnection<SocketOperation>
  /** The caller; `connectedAt` is set by `connection_init`. `requestId` is the connection's. */
  caller: Caller
  /** The upgrade request; null when no option needs its headers. */
  http: HttpContext | null
  /** Number of operations started, from which their request ids are derived. */
  begun: number
  running: number
  /** Number of running queries and mutations, which end with a response. */
  answering: number
  hasPonged: boolean
  /** Whether to close it, because its operations run on a replaced graph. */
  isOutdated: boolean
}

/** Open sockets of a process: sends pings, and closes sockets. */
export type OpenConnections = {
  readonly count: () => number
  /** Whether the process is stopping and closes all sockets. */
  readonly isClosing: () => boolean
  readonly add: (connection: SocketConnection) => void
  readonly delete: (connection: SocketConnection) => void
  /** Closes an outdated socket whose last response was sent. */
  readonly answered: (connection: SocketConnection) => void
  /** Closes sockets after a hot swap, because subscriptions would keep the old graph alive. */
  readonly outdateAll: () => void
  /**
   * Resolves when the last socket is closed; sockets that do not complete the handshake in time are
   * terminated.
   */
  readonly close: () => Promise<void>
}

export function createOpenConnections(): OpenConnections {
  const connections = new Set<SocketConnection>()
  const pings = heartbeat<SocketConnection>(PING_SECONDS, (connection) => {
    if (!connection.hasPonged) return connection.socket.terminate()
    connection.hasPonged = false
    connection.socket.ping()
  })
  let isClosing = false

  return {
    count: () => connections.size,
    isClosing: () => isClosing,
    add(connection) {
      connections.add(connection)
      pings.add(connection)
    },
    delete(connection) {
      connections.delete(connection)
      pings.delete(connection)
    },
    answered(connection) {
      if (isClosing || connection.isOutdated) closeWhenAnswered(connection)
    },
    outdateAll() {
      const outdated = [...connections]
      for (const connection of outdated) {
        connection.isOutdated = true
        closeWhenAnswered(connection)
      }
      // Closed even while operations run: a client that sends one after another is never idle.
      setTimeout(() => {
        for (const { socket } of outdated) socket.close(SERVICE_RESTART_CODE, 'The graph has changed: connect again')
      }, BOUNDS.operationTimeoutMs).unref()
    },
    async close() {
      isClosing = true
      for (const connection of connections) closeWhenAnswered(connection)
      await everyoneGone()
    },
  }

  function closeWhenAnswered({ socket, answering }: SocketConnection): void {
    if (answering > 0) return
    if (isClosing) socket.close(GOING_AWAY_CODE, 'Going away')
    else socket.close(SERVICE_RESTART_CODE, 'The graph has changed: connect again')
  }

  async function everyoneGone(): Promise<void> {
    if (connections.size === 0) return
    await new Promise<void>((resolve) => {
      const cut = setTimeout(() => {
        for (const { socket } of connections) socket.terminate()
      }, BOUNDS.operationTimeoutMs + CLOSE_TIMEOUT_MS)
      const gone = () => {
        if (connections.size > 0) return
        clearTimeout(cut)
        resolve()
      }
      for (const { socket } of connections) socket.once('close', gone)
    })
  }
}
