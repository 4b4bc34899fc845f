import type { ExecutionResult, GraphQLError } from 'graphql'
import { type RawData, WebSocket } from 'ws'
import { MAX_EVENT_CHARACTERS } from '../transports/server-sent-events.ts'
import { DIALECTS, type Dialect, readServerMessage, type ServerMessage, type WebSocketProtocol } from './websocket-messages.ts'

/** Reason for the end of a socket or of an operation. */
export type SocketEnd =
  | { readonly kind: 'completed' }
  /** The subgraph ended the operation with errors. */
  | { readonly kind: 'failed'; readonly errors: readonly GraphQLError[] }
  /** The subgraph refused the connection; retrying with the same credentials is useless. */
  | { readonly kind: 'refused'; readonly code: number }
  /** The connection was lost; reconnecting may help. */
  | { readonly kind: 'lost'; readonly cause: Error }
  /** The subgraph violated the protocol. */
  | { readonly kind: 'broken'; readonly cause: Error }

/** An operation on a socket. `onEnd` is called once. */
export type UpstreamOperation = {
  readonly payload: { readonly query: string; readonly variables: unknown; readonly operationName: string | undefined }
  readonly onStarted: () => void
  readonly onResult: (result: ExecutionResult) => void
  readonly onEnd: (end: SocketEnd) => void
}

/** A WebSocket to a subgraph. */
export type UpstreamSocket = {
  /**
   * Starts an operation after the connection is acknowledged; returns the function that stops it.
   */
  readonly start: (operation: UpstreamOperation) => () => void
  /** Whether another operation can be started. */
  readonly hasRoom: () => boolean
  readonly close: () => void
}

/** Maximum operations per socket, the same as Atrium's own server accepts. */
const MAX_OPERATIONS = 100

/** Close codes after which reconnecting is useless. */
const REFUSALS = new Set([4400, 4401, 4403, 4406])

/** Timeout of the closing handshake. */
const CLOSE_TIMEOUT_MS = 1_000

/** Options of a socket. */
export type UpstreamSocketOptions = {
  readonly url: string
  readonly protocol: WebSocketProtocol
  readonly headers: Readonly<Record<string, string>>
  /** Payload of `connection_init`. */
  readonly connectionParams: Readonly<Record<string, unknown>>
  /** Timeout until the connection is acknowledged. */
  readonly connectTimeoutMs: number
  /** Ping interval; a peer that sends nothing for one interval counts as dead. */
  readonly heartbeatMs: number
  readonly onClosed: () => void
}

export function openUpstreamSocket(options: UpstreamSocketOptions): UpstreamSocket {
  const { url, protocol, headers, connectionParams, connectTimeoutMs, heartbeatMs, onClosed } = options
  const dialect = DIALECTS[protocol]
  const operations = new Map<string, UpstreamOperation>()
  let state: 'opening' | 'open' | 'closed' = 'opening'
  let lastId = 0
  // No compression, which needs a window of memory per socket.
  const socket = new WebSocket(url, dialect.subprotocol, {
    headers: { ...headers },
    maxPayload: MAX_EVENT_CHARACTERS,
    perMessageDeflate: false,
    handshakeTimeout: connectTimeoutMs,
  })
  const send = (message: object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message))
  const connecting = setTimeout(() => lose('The subgraph did not acknowledge the connection in time.'), connectTimeoutMs)
  const stopHeartbeat = watchPeer(socket, heartbeatMs, () => lose('The subgraph does not answer pings.'))

  socket.on('open', () => send({ type: 'connection_init', payload: connectionParams }))
  socket.on('message', (data, isBinary) => {
    const read = readMessage(data, isBinary, dialect)
    if ('message' in read) receive(read.message)
    else end({ kind: 'broken', cause: read.cause })
  })
  socket.on('error', (cause) => end({ kind: 'lost', cause }))
  socket.on('close', (code) => {
    if (REFUSALS.has(code) && state === 'opening') end({ kind: 'refused', code })
    else end({ kind: 'lost', cause: new Error(`The WebSocket was closed with code ${code}.`) })
  })

  return {
    start(operation) {
      const id = String(++lastId)
      operations.set(id, operation)
      if (state === 'open') begin(id, operation)
      return () => {
        if (!operations.delete(id)) return
        if (state === 'open') send({ id, type: dialect.stop })
        if (operations.size === 0) close()
      }
    },
    hasRoom: () => state !== 'closed' && operations.size < MAX_OPERATIONS,
    close,
  }

  function begin(id: string, { payload, onStarted }: UpstreamOperation): void {
    send({ id, type: dialect.start, payload })
    onStarted()
  }

  function receive(message: ServerMessage): void {
    if (message.kind === 'acknowledged') acknowledge()
    else if (message.kind === 'refused') end({ kind: 'refused', code: 4403 })
    else if (message.kind === 'ping') send({ type: 'pong' })
    // `?.`: the operation may have been stopped, or the id is unknown.
    else if (message.kind === 'result') operations.get(message.id)?.onResult(message.result)
    else if (message.kind === 'failed') finish(message.id, { kind: 'failed', errors: message.errors })
    else if (message.kind === 'completed') finish(message.id, { kind: 'completed' })
  }

  function acknowledge(): void {
    if (state === 'opening') {
      state = 'open'
      clearTimeout(connecting)
      for (const [id, operation] of operations) begin(id, operation)
    } else end({ kind: 'broken', cause: new Error('Expected one acknowledgement.') })
  }

  function finish(id: string, how: SocketEnd): void {
    const operation = operations.get(id)
    operations.delete(id)
    operation?.onEnd(how)
    if (operation && operations.size === 0) close()
  }

  function lose(reason: string): void {
    end({ kind: 'lost', cause: new Error(reason) })
  }

  function close(): void {
    lose('The gateway closed the connection.')
  }

  function end(how: SocketEnd): void {
    if (state === 'closed') return
    state = 'closed'
    clearTimeout(connecting)
    stopHeartbeat()
    onClosed()
    closeSocket(socket, how.kind !== 'broken')
    const ended = [...operations.values()]
    operations.clear()
    for (const { onEnd } of ended) onEnd(how)
  }
}

/**
 * Pings a peer; calls `onDead` when nothing arrived since the last ping. Returns the function that
 * stops it.
 */
function watchPeer(socket: WebSocket, heartbeatMs: number, onDead: () => void): () => void {
  let isAlive = true
  const note = () => {
    isAlive = true
  }
  socket.on('message', note)
  socket.on('pong', note)
  const heartbeat = setInterval(() => {
    if (!isAlive) return onDead()
    isAlive = false
    if (socket.readyState === WebSocket.OPEN) socket.ping()
  }, heartbeatMs)
  return () => clearInterval(heartbeat)
}

/** Closes with a handshake of at most 1 s, or at once after a protocol violation. */
function closeSocket(socket: WebSocket, isOrderly: boolean): void {
  if (isOrderly && socket.readyState === WebSocket.OPEN) {
    socket.close(1000)
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref()
  } else socket.terminate()
}

/** Parses a message; returns the error when it is invalid. */
function readMessage(
  data: RawData,
  isBinary: boolean,
  dialect: Dialect,
): { readonly message: ServerMessage } | { readonly cause: Error } {
  try {
    if (isBinary) throw new Error('Expected a message of text.')
    return { message: readServerMessage(String(data), dialect) }
  } catch (cause) {
    return { cause: cause instanceof Error ? cause : new Error('Expected a message.') }
  }
}
