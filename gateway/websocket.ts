import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type ExecutionArgs, GraphQLError, type GraphQLFormattedError, GraphQLSchema, parse } from 'graphql'
import { CloseCode, type Context, handleProtocols, makeServer, type SubscribePayload } from 'graphql-ws'
import { WebSocket, WebSocketServer } from 'ws'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import { askedInBody } from './asked.ts'
import { credentialsIn } from './caller.ts'
import { type Delivery, deliver } from './delivery.ts'
import { identified, refusal } from './errors.ts'
import type { Gateway } from './gateway.ts'
import { heartbeat } from './heartbeat.ts'
import { GRAPHQL_PATH } from './http.ts'
import { BOUNDS } from './limits/limits.ts'
import { clientAddress, type IsProxy } from './proxies.ts'
import { hostProblem, refuseUpgrade, requestIdOf } from './server.ts'

/** Between two pings to one client. One that answers none of two in a row is gone, whatever TCP says. */
const PING_SECONDS = 15
/** How long a client may take to send `connection_init`, and to answer when it is told to close. */
const INIT_MILLISECONDS = 5_000
const CLOSE_MILLISECONDS = 2_000

/** What refusals of WebSockets and their operations are counted as. */
const DOOR = 'websocket'

/** RFC 6455 §7.4.1, and the registry that it founds; clients of this protocol connect again after either. */
const GOING_AWAY = 1001
const SERVICE_RESTART = 1012
const TRY_AGAIN_LATER = 1013

/** One WebSocket. Of its request only what operations need is kept. */
type Connection = {
  readonly socket: WebSocket
  /** What carries it. */
  readonly stream: Duplex
  /** Who connected; with `connectedAt` from `connection_init` on. `requestId` is that of the connection. */
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

/** A message on its way: `text` is an outcome, which stands behind `beginning` and is closed with it; empty where that is all. */
type Outgoing = {
  readonly connection: Connection
  readonly beginning: string
  readonly text: string
  /** Called when the network took it, or never will. */
  readonly taken: () => void
}

const NOTHING = Buffer.alloc(0)

/** A whole, unmasked message of text (RFC 6455 §5.2): 0x81 is FIN and opcode 1; lengths above 125 take two bytes more, above 65,535 eight. */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = 0x81
  frame[1] = header === 2 ? length : header === 4 ? 126 : 127
  if (header === 4) frame.writeUInt16BE(length, 2)
  if (header === 10) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.write(text, header)
  return frame
}

/** What the headers of an upgrade present, but for what a browser adds to the upgrade of any page: the password that it was once told for this host. */
function ownCredentialsIn(headers: IncomingHttpHeaders): Caller['credentials'] {
  const credentials = credentialsIn(headers)
  const { origin, host } = headers
  const isOfOthers = origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)
  if (!isOfOthers || !/^(basic|digest|negotiate|ntlm)\b/i.test(credentials.authorization?.trim() ?? '')) return credentials
  const { authorization: _, ...others } = credentials
  return others
}

/** The open sockets of a process. */
export type WebSockets = { readonly count: () => number }

/**
 * The graph over WebSocket at the same path and port as over HTTP, by the graphql-transport-ws protocol; `graphql-ws` speaks it, `ws` carries it.
 * Operations are admitted like those over HTTP. What is wrong with one ends that one; only a breach of the protocol closes the socket.
 *
 * Pages of every origin may connect: cookies are not read, a bearer token is only sent by a page that has it, and a password of HTTP Basic that a browser
 * adds by itself is not taken from pages of others. So another site's page sees what anybody sees.
 *
 * Slow readers: the next event is only asked for when the last was handed to the network, so that waiting events stay in the subgraph, which ends the
 * subscription (SLOW_READER) when they are too many. A socket with too many bytes that nobody reads is closed with 1013.
 */
export function serveWebSockets(
  app: FastifyInstance,
  gateway: Gateway,
  { isProxy = () => false }: { readonly isProxy?: IsProxy | undefined } = {},
): WebSockets {
  const connections = new Set<Connection>()
  let outgoing: Outgoing[] = []
  let isClosing = false

  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: BOUNDS.bodyBytes,
    handleProtocols,
    // Known to ws, but not to its types.
    ...{ closeTimeout: CLOSE_MILLISECONDS },
  })
  sockets.on('wsClientError', (error, socket) =>
    refuseUpgrade(socket, 400, `Expected a valid WebSocket handshake: ${error.message}.`),
  )

  const pings = heartbeat<Connection>(PING_SECONDS, (connection) => {
    if (!connection.hasPonged) return connection.socket.terminate()
    connection.hasPonged = false
    connection.socket.ping()
  })

  const protocol = makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: INIT_MILLISECONDS,
    onConnect({ connectionParams, extra }) {
      const credentials = { ...extra.caller.credentials, ...credentialsIn(connectionParams ?? {}) }
      extra.caller = { ...extra.caller, credentials, connectedAt: new Date() }
      return true
    },
    onSubscribe: (context, id, payload) => admitted(context, id, payload),
    execute: ({ contextValue }) => contextValue as never,
    subscribe: ({ contextValue }) => contextValue as never,
    onError: (_, __, ___, [error]) => (error?.originalError instanceof Ended ? error.originalError.errors : undefined),
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
    if (app.load.hasRoom()) return null
    const { statusCode, message, retryAfterSeconds } = app.overloaded(DOOR)
    return [statusCode, message, retryAfterSeconds]
  }

  function connected(socket: WebSocket, stream: Duplex, caller: Caller): void {
    const connection: Connection = {
      socket,
      stream,
      caller,
      begun: 0,
      running: 0,
      answering: 0,
      hasPonged: true,
      isOutdated: false,
    }
    connections.add(connection)
    pings.add(connection)
    const closed = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => new Promise((taken) => send({ connection, beginning: text, text: '', taken: () => taken() })),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (read) => {
          socket.on('message', (bytes, isBinary) => {
            if (isBinary) return socket.close(CloseCode.BadRequest, 'Expected text frames.')
            read(withQuery(String(bytes))).catch(() => socket.close(CloseCode.BadRequest, 'Invalid message received'))
          })
        },
      },
      connection,
    )
    socket.on('pong', () => {
      connection.hasPonged = true
    })
    // What breaks the rules of WebSocket, `ws` closes by itself with the code that says which.
    socket.on('error', () => {})
    socket.once('close', (code, reason) => {
      connections.delete(connection)
      pings.delete(connection)
      void closed(code, String(reason))
    })
  }

  function admitted(
    { extra: connection }: Context<Record<string, unknown>, Connection>,
    id: string,
    payload: SubscribePayload,
  ): ExecutionArgs | readonly GraphQLError[] {
    const { requestId } = connection.caller
    const caller: Caller = { ...connection.caller, requestId: `${requestId}.${++connection.begun}` }
    const refused = (errors: readonly GraphQLFormattedError[]) =>
      errors.map((error) => graphqlError(identified(error, caller.requestId)))

    if (isClosing) return refused([refusal('UNAVAILABLE', 'This server is stopping: connect again.')])
    if (connection.running >= BOUNDS.socketOperations) {
      const message = `Expected at most ${BOUNDS.socketOperations} operations at once over one connection.`
      return refused([refusal('TOO_MANY_OPERATIONS', message, { limit: BOUNDS.socketOperations })])
    }
    if (!app.load.hasRoom()) {
      const { message, retryAfterSeconds } = app.overloaded(DOOR)
      return refused([refusal('UNAVAILABLE', message, { retryAfterSeconds })])
    }
    const read = askedInBody(payload)
    if (read.kind === 'malformed') return refused([read.error])
    const { asked } = read
    const admission = gateway.admitAsked(asked)
    if (admission.kind === 'refused') return refused(admission.errors)

    const answers = admission.subscribe ? 0 : 1
    connection.running++
    connection.answering += answers
    const beginning = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    const running = deliver(
      admission,
      asked.variables,
      caller,
      (text, taken) => send({ connection, beginning, text, taken }),
      asked.wantsCost,
    )
    // A subscription waits for events, which are nothing to do.
    if (!admission.subscribe) app.load.enter(running)
    void running.ended.then(() => {
      app.load.leave(running)
      connection.running--
      connection.answering -= answers
      if (isClosing || connection.isOutdated) closeWhenAnswered(connection)
    })
    return { schema: NOT_ASKED, document: admission.subscribe ? A_SUBSCRIPTION : A_QUERY, contextValue: asIterable(running) }
  }

  /**
   * Writes when everything that is to be written at this moment is known: system calls in a row cost half as much as those between which other work is done,
   * for the readers then wake up once.
   */
  function send(message: Outgoing): void {
    if (outgoing.push(message) === 1) setImmediate(write)
  }

  /** What many are told is framed once, and is one buffer of one write: `ws` would frame it for each, and write header and text as two. */
  function write(): void {
    const now = outgoing
    outgoing = []
    let last: Outgoing | null = null
    let frame: Buffer = NOTHING
    for (const message of now) {
      const { connection, beginning, text, taken } = message
      const { socket, stream } = connection
      if (socket.bufferedAmount > BOUNDS.socketBacklogBytes)
        socket.close(TRY_AGAIN_LATER, 'Slow reader: read faster, or ask for less.')
      if (socket.readyState !== WebSocket.OPEN) {
        taken()
        continue
      }
      if (!last || text !== last.text || beginning !== last.beginning)
        frame = textFrame(text === '' ? beginning : `${beginning}${text}}`)
      last = message
      // Also called when the stream breaks.
      stream.write(frame, taken)
    }
  }

  function closeWhenAnswered({ socket, answering }: Connection): void {
    if (answering > 0) return
    if (isClosing) socket.close(GOING_AWAY, 'Going away')
    else socket.close(SERVICE_RESTART, 'The graph has changed: connect again')
  }

  /** Ends what began on the graph that was replaced: subscriptions would go on as long as their clients like. */
  function outdateAll(): void {
    const outdated = [...connections]
    for (const connection of outdated) {
      connection.isOutdated = true
      closeWhenAnswered(connection)
    }
    // Who asks one question after the other always has one to be answered.
    setTimeout(() => {
      for (const { socket } of outdated) socket.close(SERVICE_RESTART, 'The graph has changed: connect again')
    }, BOUNDS.milliseconds).unref()
  }

  /** Resolves when the last socket is closed; those that answer too late or not at all are cut off. */
  async function everyoneGone(): Promise<void> {
    if (connections.size === 0) return
    await new Promise<void>((resolve) => {
      const cut = setTimeout(() => {
        for (const { socket } of connections) socket.terminate()
      }, BOUNDS.milliseconds + CLOSE_MILLISECONDS)
      const gone = () => {
        if (connections.size > 0) return
        clearTimeout(cut)
        resolve()
      }
      for (const { socket } of connections) socket.once('close', gone)
    })
  }
}

/** The library asks for a schema and a document; both stand here already as an admission. Of the document it only reads the kind of operation. */
const NOT_ASKED = new GraphQLSchema({})
const A_QUERY = parse('{ __typename }', { noLocation: true })
const A_SUBSCRIPTION = parse('subscription { __typename }', { noLocation: true })

/** Carries errors of an operation through the library. */
class Ended extends Error {
  readonly errors: readonly GraphQLFormattedError[]
  constructor(errors: readonly GraphQLFormattedError[]) {
    super('ended')
    this.errors = errors
  }
}

/** The protocol wants a `query` in every message; clients that name a persisted document leave it out, as over HTTP. */
function withQuery(text: string): string {
  if (text.includes('"query"') || !(text.includes('"persistedQuery"') || text.includes('"documentId"'))) return text
  try {
    const { payload, ...message } = JSON.parse(text)
    return JSON.stringify({ ...message, payload: { query: '', ...payload } })
  } catch {
    return text
  }
}

const graphqlError = ({ message, extensions, locations, path }: GraphQLFormattedError): GraphQLError =>
  Object.assign(new GraphQLError(message, { extensions }), {
    toJSON: () => ({ message, ...(locations && { locations }), ...(path && { path }), extensions }),
  })

/** What the library waits for and stops: outcomes take their own way to the socket, so it never sees one. */
function asIterable({ ended, stop }: Delivery): AsyncGenerator<never, void> {
  const done = { done: true, value: undefined } as const
  const iterable: AsyncGenerator<never, void> = {
    async next() {
      const errors = await ended
      if (errors) throw new Ended(errors)
      return done
    },
    async return() {
      stop()
      return done
    },
    async throw(error) {
      stop()
      throw error
    },
    [Symbol.asyncIterator]: () => iterable,
    async [Symbol.asyncDispose]() {
      stop()
    },
  }
  return iterable
}
