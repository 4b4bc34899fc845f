import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Caller } from '../../platform/http/caller.ts'
import type { ClientExchange } from '../exchange/client-exchange.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { ProtocolConnection, SocketOperation } from './graphql-transport-ws.ts'
import { heartbeat } from './heartbeat.ts'

/**
 * Interval of pings to a client. A client that misses two in a row is closed, whatever TCP says.
 */
const PING_SECONDS = 15
/** How long a client may take to answer a close frame. */
export const CLOSE_TIMEOUT_MS = 2_000

/**
 * RFC 6455 §7.4.1, and the registry that it founds; clients of this protocol connect again after
 * either.
 */
const GOING_AWAY_CODE = 1001
const SERVICE_RESTART_CODE = 1012

/** One WebSocket. Of its request only what operations need is kept. */
export type SocketConnection = {
  readonly socket: WebSocket
  /** What carries it. */
  readonly stream: Duplex
  readonly protocol: ProtocolConnection<SocketOperation>
  /**
   * The caller; with `connectedAt` from `connection_init` on. `requestId` is that of the
   * connection.
   */
  caller: Caller
  /** The request that opened it; null where no option reads its headers. */
  exchange: ClientExchange | null
  /** Operations begun so far, to give each a request id of its own. */
  begun: number
  running: number
  /** Of those, the ones that an answer will end: queries and mutations. */
  answering: number
  hasPonged: boolean
  /** Whether it is to be closed because the graph that its operations began on was replaced. */
  isOutdated: boolean
}

/** The open connections of a process: pings them, and closes those that are to go. */
export type OpenConnections = {
  readonly count: () => number
  /** Whether the process stops and every connection is being closed. */
  readonly isClosing: () => boolean
  readonly add: (connection: SocketConnection) => void
  readonly delete: (connection: SocketConnection) => void
  /** Closes a connection that was to go and waited for an answer. */
  readonly answered: (connection: SocketConnection) => void
  /**
   * Ends what began on the graph that was replaced: subscriptions would go on as long as their
   * clients like.
   */
  readonly outdateAll: () => void
  /**
   * Resolves when the last socket is closed; those that answer too late or not at all are cut off.
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
      // A client that sends one operation after the other is never idle.
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
