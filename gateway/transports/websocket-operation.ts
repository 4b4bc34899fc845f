import type { GraphQLFormattedError } from 'graphql'
import type { SubscribePayload } from 'graphql-ws'
import { type Caller, tenantOf } from '../../platform/http/caller.ts'
import type { LoadLimiter } from '../../platform/http/load.ts'
import type { Gateway } from '../gateway.ts'
import { BOUNDS } from '../limits/limits.ts'
import { refusal, withRequestId } from '../operations/errors.ts'
import { type Client, type Delivery, deliver } from './delivery.ts'
import type { SocketOperation } from './graphql-transport-ws.ts'
import { parseBodyParams } from './request-params.ts'
import type { OpenConnections, SocketConnection } from './websocket-connections.ts'
import type { SendFrame } from './websocket-frames.ts'

/**
 * Copies of an operation's id in memory: the id, and the beginning of its messages, in which
 * characters may be escaped.
 */
const MAX_ID_COPIES = 8

/**
 * Operations of one connection that are part of the trace that the client named when it connected.
 * Later ones begin traces of their own: a connection may last for days.
 */
export const MAX_TRACED_OPERATIONS = 1_000

/** Shared dependencies of operations: one object for all. */
export type OperationServer = {
  readonly load: LoadLimiter
  readonly overloaded: () => GraphQLFormattedError
  readonly send: SendFrame
  readonly connections: OpenConnections
}

/** Starts an operation; null when it was refused and an error sent. */
export function beginOperation(
  gateway: Gateway,
  server: OperationServer,
  connection: SocketConnection,
  id: string,
  payload: SubscribePayload,
): SocketOperation | null {
  const { load, overloaded, send, connections } = server
  const requestId = `${connection.caller.requestId}.${++connection.begun}`
  const refused = (errors: readonly GraphQLFormattedError[]) => {
    const named = errors.map((error) => withRequestId(error, requestId))
    send(connection, errorMessage(id, named), '')
    return null
  }

  if (connections.isClosing()) return refused([refusal('UNAVAILABLE', 'This server is stopping: connect again.')])
  if (connection.running >= BOUNDS.socketOperations) {
    const message = `Expected at most ${BOUNDS.socketOperations} operations at once over one connection.`
    return refused([refusal('TOO_MANY_OPERATIONS', message, { limit: BOUNDS.socketOperations })])
  }
  const tenant = tenantOf(connection.caller)
  if (!load.hasCapacity(tenant)) return refused([overloaded()])
  const parsed = parseBodyParams(payload)
  if (parsed.kind === 'malformed') return refused([parsed.error])
  const { variables, wantsCost } = parsed.params
  const prepared = gateway.prepare(parsed.params)
  if (prepared.kind === 'rejected') return refused(prepared.errors)

  const operation = new Operation(connection, id, prepared.subscribe === null, server)
  const caller = callerOfOperation(connection, requestId)
  const http = connection.http ? { ...connection.http } : undefined
  const request = { variables, caller, wantsCost, http, connectionBytes: MAX_ID_COPIES * id.length }
  operation.delivery = deliver(prepared, request, operation)
  connection.running++
  if (operation.isAnswered) connection.answering++
  // A subscription causes no load while it waits; opening its event source does.
  if (operation.isAnswered) load.acquire(operation, tenant)
  return operation
}

/** The caller of an operation, which belongs to the trace of its connection if any. */
function callerOfOperation({ caller: { traceparent, ...caller }, begun }: SocketConnection, requestId: string): Caller {
  const isTraced = traceparent !== undefined && begun <= MAX_TRACED_OPERATIONS
  return isTraced ? { ...caller, requestId, traceparent } : { ...caller, requestId }
}

const errorMessage = (id: string, errors: readonly GraphQLFormattedError[]): string =>
  JSON.stringify({ id, type: 'error', payload: errors })

/** An operation over a socket. A class, so that 100,000 instances share their methods. */
class Operation implements SocketOperation, Client {
  readonly connection: SocketConnection
  /** Whether it ends with a response: a query or mutation. */
  readonly isAnswered: boolean
  delivery: Delivery | null = null
  readonly #id: string
  readonly #beginning: string
  readonly #server: OperationServer

  constructor(connection: SocketConnection, id: string, isAnswered: boolean, server: OperationServer) {
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
    const { load, connections, send } = this.#server
    if (connection.protocol.ended(this.#id, this)) {
      const text = errors ? errorMessage(this.#id, errors) : JSON.stringify({ id: this.#id, type: 'complete' })
      send(connection, text, '')
    }
    load.release(this)
    connection.running--
    if (this.isAnswered) connection.answering--
    connections.answered(connection)
  }

  stop(): void {
    this.delivery?.stop()
  }
}
