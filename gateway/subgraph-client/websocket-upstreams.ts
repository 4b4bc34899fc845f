import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { GraphQLError } from 'graphql'
import type { RequestContext } from './link.ts'
import { reconnectDelayMs, STABLE_MS } from './reconnect-delay.ts'
import { type OpenUpstream, sharedUpstreams } from './shared-upstreams.ts'
import { openUpstreamSocket, type SocketEnd, type UpstreamSocket } from './upstream-socket.ts'
import type { UpstreamSubscriptions } from './upstream-subscriptions.ts'
import type { WebSocketProtocol } from './websocket-messages.ts'

/**
 * Subscriptions of a remote subgraph over WebSocket. After a lost connection they continue on a new
 * one, without the events in between; when reconnecting fails, they end with SUBGRAPH_UNAVAILABLE.
 */
export function webSocketUpstreams({
  name,
  url,
  protocol,
  headersOf,
  socketPer = 'credentials',
  connectTimeoutMs,
  heartbeatMs,
  reconnectAttempts,
}: {
  readonly name: string
  /** URL with scheme ws or wss. */
  readonly url: string
  readonly protocol: WebSocketProtocol
  /** Connection headers after header rules. */
  readonly headersOf: (context: RequestContext) => Record<string, string>
  /** Whether subscriptions with the same credentials share a socket. */
  readonly socketPer?: 'credentials' | 'subscription' | undefined
  readonly connectTimeoutMs: number
  readonly heartbeatMs: number
  /** Maximum consecutive reconnection attempts; 0: a lost connection ends its subscriptions. */
  readonly reconnectAttempts: number
}): UpstreamSubscriptions {
  const sockets = new Map<string, UpstreamSocket>()
  const all = new Set<UpstreamSocket>()
  const closed = new AbortController()

  return {
    subscribe: sharedUpstreams({ name, open: (...parameters) => void run(...parameters) }),
    async close() {
      closed.abort()
      for (const socket of [...all]) socket.close()
    },
  }

  async function run(...[request, context, receiver, signal]: Parameters<OpenUpstream>): Promise<void> {
    const stopped = AbortSignal.any([signal, closed.signal])
    let isOpen = false
    for (let attempt = 0; ; attempt++) {
      const began = performance.now()
      const end = await runOnce(
        request,
        () => socketFor(context),
        receiver.push,
        stopped,
        () => {
          isOpen = true
          receiver.open()
        },
      )
      if (stopped.aborted) return receiver.end()
      if (end.kind === 'completed') return receiver.end()
      if (end.kind === 'failed') return isOpen ? receiver.end(end.errors[0]) : receiver.refuse(end.errors)
      if (end.kind === 'refused')
        return isOpen ? receiver.end(refused(name, end.code)) : receiver.refuse([refused(name, end.code)])
      if (end.kind === 'broken') return receiver.end(end.cause)
      if (performance.now() - began >= STABLE_MS) attempt = 0
      // The first connection is not retried: the client gets the error at once and can retry.
      if (!isOpen || attempt >= reconnectAttempts) return receiver.end(end.cause)
      await pause(reconnectDelayMs(attempt), undefined, { signal: stopped }).catch(() => {})
      if (stopped.aborted) return receiver.end()
    }
  }

  function socketFor(context: RequestContext): UpstreamSocket {
    const { credentials, headers: clientHeaders = {} } = context.caller
    const identity = [credentials, clientHeaders].map((each) => Object.entries(each).sort())
    const key = hash('sha256', JSON.stringify(identity), 'base64url')
    const shared = socketPer === 'credentials' ? sockets.get(key) : undefined
    if (shared?.hasRoom()) return shared
    const { accept: _, 'accept-encoding': __, 'content-type': ___, ...headers } = headersOf(context)
    const socket = openUpstreamSocket({
      url,
      protocol,
      headers,
      connectionParams: { ...credentials },
      connectTimeoutMs,
      heartbeatMs,
      onClosed() {
        all.delete(socket)
        if (sockets.get(key) === socket) sockets.delete(key)
      },
    })
    all.add(socket)
    sockets.set(key, socket)
    return socket
  }
}

/**
 * Runs a subscription over one socket; resolves with the reason of its end (abort counts as
 * completed).
 */
function runOnce(
  payload: Parameters<OpenUpstream>[0],
  openSocket: () => UpstreamSocket,
  onResult: Parameters<OpenUpstream>[2]['push'],
  signal: AbortSignal,
  onStarted: () => void,
): Promise<SocketEnd> {
  return new Promise((resolve) => {
    let stop = () => {}
    const end = (how: SocketEnd) => {
      signal.removeEventListener('abort', abort)
      resolve(how)
    }
    const abort = () => {
      stop()
      end({ kind: 'completed' })
    }
    if (signal.aborted) return end({ kind: 'completed' })
    signal.addEventListener('abort', abort, { once: true })
    const { query, variables, operationName } = payload
    stop = openSocket().start({
      payload: { query, variables, operationName },
      onStarted,
      onResult,
      onEnd: end,
    })
  })
}

function refused(name: string, code: number): GraphQLError {
  return new GraphQLError(`The ${name} service refused the connection for this subscription.`, {
    extensions: { code: code === 4401 ? 'UNAUTHENTICATED' : 'FORBIDDEN' },
  })
}
