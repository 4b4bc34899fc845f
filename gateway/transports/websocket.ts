import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import { CloseCode, handleProtocols, type SubscribePayload } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../../platform/http/caller.ts'
import type { LoadLimiter } from '../../platform/http/load.ts'
import { pickCredentials } from '../../platform/http/request-caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { hostProblem, refuseUpgrade } from '../../platform/http/server.ts'
import { clientAddress, type IsProxy } from '../../platform/http/trusted-proxies.ts'
import type { Gateway } from '../gateway.ts'
import { BOUNDS } from '../limits/limits.ts'
import { refusal, withRequestId } from '../operations/errors.ts'
import { type Client, type Delivery, deliver } from './delivery.ts'
import { type ProtocolConnection, protocolConnection, type SocketOperation } from './graphql-transport-ws.ts'
import { heartbeat } from './heartbeat.ts'
import { GRAPHQL_PATH } from './http.ts'
import { parseBodyParams } from './request-params.ts'
import { createFrameWriter, type SendFrame } from './websocket-frames.ts'

/**
 * Interval of pings to a client. A client that misses two in a row is closed, whatever TCP says.
 */
const PING_SECONDS = 15
/** How long a client may take to send `connection_init`, and to answer a close frame. */
const INIT_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 2_000

/** Route class of refused WebSockets and their operations. */
const ROUTE_CLASS = 'websocket'

/**
 * RFC 6455 §7.4.1, and the registry that it founds; clients of this protocol connect again after
 * either.
 */
const GOING_AWAY_CODE = 1001
const SERVICE_RESTART_CODE = 1012

/** One WebSocket. Of its request only what operations need is kept. */
type Connection = {
  readonly socket: WebSocket
  /** What carries it. */
  readonly stream: Duplex
  readonly protocol: ProtocolConnection<Operation>
  /**
   * The caller; with `connectedAt` from `connection_init` on. `requestId` is that of the
   * connection.
   */
  caller: Caller
  /** Operations begun so far, to give each a request id of its own. */
  begun: number
  running: number
  /** Of those, the ones that an answer will end: queries and mutations. */
  answering: number
  hasPonged: boolean
  /** Whether it is to be closed because the graph that its operations began on was replaced. */
  isOutdated: boolean
}

/**
 * The credentials of an upgrade, without those that a browser adds for any page: a stored HTTP
 * Basic password of this host.
 */
function ownCredentialsIn(headers: IncomingHttpHeaders): Caller['credentials'] {
  const credentials = pickCredentials(headers)
  const { origin, host } = headers
  const isOfOthers = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)
  if (!isOfOthers || !/^(basic|digest|negotiate|ntlm)\b/i.test(credentials.authorization?.trim() ?? '')) return credentials
  const { authorization: _, ...others } = credentials
  return others
}

/** The open sockets of a process. */
export type WebSockets = { readonly count: () => number }

/**
 * The graph over WebSocket at the same path and port as over HTTP, by the graphql-transport-ws
 * protocol; `ws` carries it. Operations are validated and limited like those over HTTP. An invalid
 * operation ends only itself; only a violation of the protocol closes the socket.
 *
 * Pages of every origin may connect: cookies are not read, a bearer token is only sent by a page
 * that has it, and an HTTP Basic password that a browser adds by itself is ignored for pages of
 * other origins. So a page of another site is an anonymous caller.
 *
 * Slow readers: the next event is read when the last was handed to the network, so waiting events
 * stay in the subgraph, which ends the subscription (SLOW_READER) when they are too many. A socket
 * with too many unread bytes is closed with 1013.
 */
export function serveWebSockets(
  app: FastifyInstance,
  gateway: Gateway,
  { isProxy = () => false }: { readonly isProxy?: IsProxy | undefined } = {},
): WebSockets {
  const connections = new Set<Connection>()
  const send = createFrameWriter()
  const server: Server = { load: app.load, overloaded, send, ended }
  let isClosing = false

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: BOUNDS.bodyBytes,
    handleProtocols,
    // Known to ws, but not to its types.
    ...{ closeTimeout: CLOSE_TIMEOUT_MS },
  })
  sockets.on('wsClientError', (error, socket) =>
    refuseUpgrade(socket, 400, `Expected a valid WebSocket handshake: ${error.message}.`),
  )

  const pings = heartbeat<Connection>(PING_SECONDS, (connection) => {
    if (!connection.hasPonged) return connection.socket.terminate()
    connection.hasPonged = false
    connection.socket.ping()
  })

  app.server.on('upgrade', upgrade)
  gateway.onSwap(outdateAll)
  app.addHook('preClose', async () => {
    isClosing = true
    for (const connection of connections) closeWhenAnswered(connection)
    await everyoneGone()
  })

  return { count: () => connections.size }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    const refusal = refusalFor(request)
    if (refusal) {
      refuseUpgrade(socket, ...refusal)
      return
    }
    const requestId = requestIdOf(request).slice(0, 100)
    const address = clientAddress(request, isProxy)
    const credentials = ownCredentialsIn(request.headers)
    sockets.handleUpgrade(request, socket, head, (opened) => connected(opened, socket, { requestId, address, credentials }))
  }

  function refusalFor(request: IncomingMessage): readonly [status: number, message: string, retryAfter?: number] | null {
    const { url = '' } = request
    const hosts = hostProblem(request)
    if (hosts !== null) return [400, hosts]
    if (url.split('?', 1)[0] !== GRAPHQL_PATH) return [404, `Expected WebSockets at ${GRAPHQL_PATH}.`]
    if (isClosing) return [503, 'This server is stopping: connect again.']
    if (connections.size >= BOUNDS.connections) return [503, 'Too many connections: try again later.']
    if (app.load.hasCapacity()) return null
    const { statusCode, message, retryAfterSeconds } = app.overloadError(ROUTE_CLASS)
    return [statusCode, message, retryAfterSeconds]
  }

  function connected(socket: WebSocket, stream: Duplex, caller: Caller): void {
    // What breaks the rules of WebSocket, `ws` closes by itself with the code that says which.
    socket.on('error', () => {})
    // A client that offers nothing gets a socket without a protocol.
    if (socket.protocol === '') {
      socket.close(CloseCode.SubprotocolNotAcceptable, 'Subprotocol not acceptable')
      return
    }
    const protocol = protocolConnection<Operation>(
      {
        send: (text) => send(connection, text, ''),
        close: (code, reason) => socket.close(code, reason),
        onInit(payload) {
          const credentials = { ...connection.caller.credentials, ...pickCredentials(payload) }
          connection.caller = { ...connection.caller, credentials, connectedAt: new Date() }
        },
        onSubscribe: (id, payload) => begun(connection, id, payload),
      },
      INIT_TIMEOUT_MS,
    )
    const connection: Connection = {
      socket,
      stream,
      protocol,
      caller,
      begun: 0,
      running: 0,
      answering: 0,
      hasPonged: true,
      isOutdated: false,
    }
    connections.add(connection)
    pings.add(connection)
    socket.on('message', (bytes, isBinary) => {
      if (isBinary) socket.close(CloseCode.BadRequest, 'Expected text frames.')
      // What was sent behind something that closes the socket is not read any more.
      else if (socket.readyState === socket.OPEN) protocol.onMessage(String(bytes))
    })
    socket.on('pong', () => {
      connection.hasPonged = true
    })
    socket.once('close', () => {
      connections.delete(connection)
      pings.delete(connection)
      protocol.onClose()
    })
  }

  /** Begins an operation; null when it was refused; the error was sent. */
  function begun(connection: Connection, id: string, payload: SubscribePayload): Operation | null {
    const requestId = `${connection.caller.requestId}.${++connection.begun}`
    const refused = (errors: readonly GraphQLFormattedError[]) => {
      const named = errors.map((error) => withRequestId(error, requestId))
      send(connection, errorMessage(id, named), '')
      return null
    }

    if (isClosing) return refused([refusal('UNAVAILABLE', 'This server is stopping: connect again.')])
    if (connection.running >= BOUNDS.socketOperations) {
      const message = `Expected at most ${BOUNDS.socketOperations} operations at once over one connection.`
      return refused([refusal('TOO_MANY_OPERATIONS', message, { limit: BOUNDS.socketOperations })])
    }
    if (!app.load.hasCapacity()) return refused([overloaded()])
    const parsed = parseBodyParams(payload)
    if (parsed.kind === 'malformed') return refused([parsed.error])
    const { variables, wantsCost } = parsed.params
    const prepared = gateway.prepare(parsed.params)
    if (prepared.kind === 'rejected') return refused(prepared.errors)

    const operation = new Operation(connection, id, prepared.subscribe === null, server)
    const caller = { ...connection.caller, requestId }
    operation.delivery = deliver(
      prepared,
      { variables, caller, wantsCost, connectionBytes: MAX_ID_COPIES * id.length },
      operation,
    )
    connection.running++
    if (operation.isAnswered) connection.answering++
    // A subscription waits for events, which are nothing to do; what opens their source says so.
    if (operation.isAnswered) app.load.acquire(operation)
    return operation
  }

  function overloaded(): GraphQLFormattedError {
    const { message, retryAfterSeconds } = app.overloadError(ROUTE_CLASS)
    return refusal('UNAVAILABLE', message, { retryAfterSeconds })
  }

  function ended(operation: Operation): void {
    app.load.release(operation)
    const { connection } = operation
    connection.running--
    if (operation.isAnswered) connection.answering--
    if (isClosing || connection.isOutdated) closeWhenAnswered(connection)
  }

  function closeWhenAnswered({ socket, answering }: Connection): void {
    if (answering > 0) return
    if (isClosing) socket.close(GOING_AWAY_CODE, 'Going away')
    else socket.close(SERVICE_RESTART_CODE, 'The graph has changed: connect again')
  }

  /**
   * Ends what began on the graph that was replaced: subscriptions would go on as long as their
   * clients like.
   */
  function outdateAll(): void {
    const outdated = [...connections]
    for (const connection of outdated) {
      connection.isOutdated = true
      closeWhenAnswered(connection)
    }
    // A client that sends one operation after the other is never idle.
    setTimeout(() => {
      for (const { socket } of outdated) socket.close(SERVICE_RESTART_CODE, 'The graph has changed: connect again')
    }, BOUNDS.operationTimeoutMs).unref()
  }

  /**
   * Resolves when the last socket is closed; those that answer too late or not at all are cut off.
   */
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

/**
 * How often the id of an operation is kept while it runs: by itself, and as the beginning of its
 * messages, where a character may be escaped.
 */
const MAX_ID_COPIES = 8

const errorMessage = (id: string, errors: readonly GraphQLFormattedError[]): string =>
  JSON.stringify({ id, type: 'error', payload: errors })

/** What operations need of their server: one object for all of them. */
type Server = {
  readonly load: LoadLimiter
  readonly overloaded: () => GraphQLFormattedError
  readonly send: SendFrame
  readonly ended: (operation: Operation) => void
}

/** An operation over a socket. A class, so that a hundred thousand of them share their code. */
class Operation implements SocketOperation, Client {
  readonly connection: Connection
  /** Whether an answer will end it: it is no subscription. */
  readonly isAnswered: boolean
  delivery: Delivery | null = null
  readonly #id: string
  readonly #beginning: string
  readonly #server: Server

  constructor(connection: Connection, id: string, isAnswered: boolean, server: Server) {
    this.connection = connection
    this.isAnswered = isAnswered
    this.#id = id
    this.#beginning = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    this.#server = server
  }

  send(text: string, taken: () => void): void {
    this.#server.send(this.connection, this.#beginning, text, taken)
  }

  opening(): GraphQLFormattedError | null {
    return this.#server.load.acquireOpening(this) ? null : this.#server.overloaded()
  }

  begun(): void {
    this.#server.load.release(this)
  }

  ended(errors: readonly GraphQLFormattedError[] | null): void {
    const { connection } = this
    if (connection.protocol.ended(this.#id, this)) {
      const text = errors ? errorMessage(this.#id, errors) : JSON.stringify({ id: this.#id, type: 'complete' })
      this.#server.send(connection, text, '')
    }
    this.#server.ended(this)
  }

  stop(): void {
    this.delivery?.stop()
  }
}
