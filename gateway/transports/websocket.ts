import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { CloseCode, handleProtocols } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../../platform/http/caller.ts'
import { clientIn, pickCredentials, traceIn } from '../../platform/http/request-caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { hostProblem, refuseUpgrade } from '../../platform/http/server.ts'
import { clientAddress, type IsProxy } from '../../platform/http/trusted-proxies.ts'
import type { Gateway } from '../gateway.ts'
import { BOUNDS } from '../limits/limits.ts'
import { createWebSocketContext, type HttpContext, isCrossOrigin, withInitHeaders } from '../middleware/http-context.ts'
import { createTraceContext, QUERY_TRACE_HEADER } from '../observability/query-trace.ts'
import { refusal } from '../operations/errors.ts'
import { protocolConnection, type SocketOperation } from './graphql-transport-ws.ts'
import { GRAPHQL_PATH } from './http.ts'
import { CLOSE_TIMEOUT_MS, createOpenConnections, type SocketConnection } from './websocket-connections.ts'
import { createFrameWriter } from './websocket-frames.ts'
import { beginOperation, type OperationServer } from './websocket-operation.ts'

/** Timeout until `connection_init`. */
const INIT_TIMEOUT_MS = 5_000

/** Route class of refused sockets and operations in metrics. */
const ROUTE_CLASS = 'websocket'

/**
 * Credentials of an upgrade request. HTTP Basic is ignored cross-origin, because browsers add a
 * stored password to the requests of any page.
 */
function ownCredentialsIn(headers: IncomingHttpHeaders): Caller['credentials'] {
  const credentials = pickCredentials(headers)
  if (!isCrossOrigin(headers) || !/^(basic|digest|negotiate|ntlm)\b/i.test(credentials.authorization?.trim() ?? ''))
    return credentials
  const { authorization: _, ...others } = credentials
  return others
}

/** What is kept of an upgrade request. */
type Upgraded = {
  readonly caller: Caller
  /** Null when no option needs its headers. */
  readonly http: HttpContext | null
  /** Entries of `connection_init` that are used as headers. */
  readonly initHeaders: (payload: InitPayload) => InitPayload
}
type InitPayload = Readonly<Record<string, unknown>>

/**
 * Pages of other origins get no query traces: over HTTP their requests for one fail the CORS check.
 */
const initHeadersOf = (headers: IncomingHttpHeaders): Upgraded['initHeaders'] =>
  isCrossOrigin(headers) ? withoutTraceHeader : (payload) => payload
const withoutTraceHeader = (payload: InitPayload): InitPayload =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => name.toLowerCase() !== QUERY_TRACE_HEADER))

/** The HTTP context of a socket; null when no option needs its headers. */
function contextOf({ readsClientHeaders, queryTraces }: Gateway, headers: IncomingHttpHeaders): HttpContext | null {
  if (readsClientHeaders) return createWebSocketContext(headers)
  return queryTraces === null ? null : createTraceContext(headers)
}

/** The same with the payload of `connection_init`. */
function withInit(
  { readsClientHeaders, queryTraces }: Gateway,
  http: HttpContext | null,
  payload: InitPayload,
): HttpContext | null {
  if (readsClientHeaders && http) return withInitHeaders(http, payload)
  return queryTraces === null ? http : (createTraceContext(payload) ?? http)
}

/** Open sockets of a process. */
export type WebSockets = { readonly count: () => number }

/**
 * Serves `/graphql` over WebSocket (graphql-transport-ws, with `ws`). Operations are validated and
 * limited as over HTTP. An invalid operation ends only itself; a protocol violation closes the
 * socket.
 * Pages of all origins may connect: cookies are ignored, as is HTTP Basic added by browsers
 * cross-origin, and only a page that has a bearer token can send it. So pages of other sites are
 * anonymous.
 * Backpressure: the next event is read after the network took the previous one. Events queue up in
 * the subgraph, which ends the subscription with SLOW_READER above a limit. A socket with too many
 * unsent bytes is closed with 1013.
 */
export function serveWebSockets(
  app: FastifyInstance,
  gateway: Gateway,
  { isProxy = () => false }: { readonly isProxy?: IsProxy | undefined } = {},
): WebSockets {
  const connections = createOpenConnections()
  const server: OperationServer = {
    load: app.load,
    overloaded() {
      const { message, retryAfterSeconds } = app.overloadError(ROUTE_CLASS)
      return refusal('UNAVAILABLE', message, { retryAfterSeconds })
    },
    send: createFrameWriter(),
    connections,
  }
  const sockets = createSocketServer()

  app.server.on('upgrade', upgrade)
  gateway.onSwap(connections.outdateAll)
  app.addHook('preClose', connections.close)

  return { count: connections.count }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const refusal = refusalFor(request)
    if (refusal) {
      refuseUpgrade(socket, ...refusal)
      return
    }
    const caller = callerOf(request, isProxy)
    const http = contextOf(gateway, request.headers)
    const initHeaders = initHeadersOf(request.headers)
    sockets.handleUpgrade(request, socket, head, (opened) => connected(opened, socket, { caller, http, initHeaders }))
  }

  function refusalFor(request: IncomingMessage): readonly [status: number, message: string, retryAfter?: number] | null {
    const { url = '' } = request
    const hosts = hostProblem(request)
    if (hosts !== null) return [400, hosts]
    if (url.split('?', 1)[0] !== GRAPHQL_PATH) return [404, `Expected WebSockets at ${GRAPHQL_PATH}.`]
    if (connections.isClosing()) return [503, 'This server is stopping: connect again.']
    if (connections.count() >= BOUNDS.connections) return [503, 'Too many connections: try again later.']
    if (app.load.hasCapacity()) return null
    const { statusCode, message, retryAfterSeconds } = app.overloadError(ROUTE_CLASS)
    return [statusCode, message, retryAfterSeconds]
  }

  function connected(socket: WebSocket, stream: Duplex, { caller, http, initHeaders }: Upgraded): void {
    // `ws` closes the socket with the right code for protocol violations.
    socket.on('error', () => {})
    // `ws` accepts clients that offer no subprotocol, so they are closed here.
    if (socket.protocol === '') {
      socket.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
      return
    }
    const protocol = protocolConnection<SocketOperation>(
      {
        send: (text) => server.send(connection, text, ''),
        close: (code, reason) => socket.close(code, reason),
        onInit(payload) {
          const credentials = { ...connection.caller.credentials, ...pickCredentials(payload) }
          // Used instead of headers, which pages cannot set on a WebSocket.
          const client = clientIn(payload)
          const named = { ...(client && { client }), ...traceIn(payload) }
          connection.caller = { ...connection.caller, credentials, connectedAt: new Date(), ...named }
          connection.http = withInit(gateway, connection.http, initHeaders(payload))
        },
        onSubscribe: (id, payload) => beginOperation(gateway, server, connection, id, payload),
      },
      INIT_TIMEOUT_MS,
    )
    const connection: SocketConnection = {
      socket,
      stream,
      protocol,
      caller,
      http,
      begun: 0,
      running: 0,
      answering: 0,
      hasPonged: true,
      isOutdated: false,
    }
    connections.add(connection)
    socket.on('message', (bytes, isBinary) => {
      if (isBinary) socket.close(CloseCode.BadRequest, 'Expected text frames.')
      // Messages after one that closes the socket are ignored.
      else if (socket.readyState === socket.OPEN) protocol.onMessage(String(bytes))
    })
    socket.on('pong', () => {
      connection.hasPonged = true
    })
    socket.once('close', () => {
      connections.delete(connection)
      protocol.onClose()
    })
  }
}

function callerOf(request: IncomingMessage, isProxy: IsProxy): Caller {
  const client = clientIn(request.headers)
  return {
    requestId: requestIdOf(request).slice(0, 100),
    address: clientAddress(request, isProxy),
    credentials: ownCredentialsIn(request.headers),
    ...(client && { client }),
    ...traceIn(request.headers),
  }
}

function createSocketServer(): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: BOUNDS.bodyBytes,
    handleProtocols,
    // An option of `ws` that its types lack.
    ...{ closeTimeout: CLOSE_TIMEOUT_MS },
  })
  sockets.on('wsClientError', (error, socket) =>
    refuseUpgrade(socket, 400, `Expected a valid WebSocket handshake: ${error.message}.`),
  )
  return sockets
}
