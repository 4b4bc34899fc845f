import type { ExecutionResult, GraphQLError } from 'graphql'
import { graphQLResponseOf, visibleError } from './http-messages.ts'

/**
 * WebSocket subprotocols: the one of graphql-ws, and the older one of subscriptions-transport-ws,
 * which is named `graphql-ws` on the wire.
 */
export type WebSocketProtocol = 'graphql-transport-ws' | 'subscriptions-transport-ws'

/** A message from a subgraph, independent of the subprotocol. */
export type ServerMessage =
  | { readonly kind: 'acknowledged' | 'ping' | 'alive' }
  /** The connection was refused. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'result'; readonly id: string; readonly result: ExecutionResult }
  | { readonly kind: 'failed'; readonly id: string; readonly errors: readonly GraphQLError[] }
  | { readonly kind: 'completed'; readonly id: string }

/** Message types of a subprotocol. */
export type Dialect = {
  /** Name in `Sec-WebSocket-Protocol`. */
  readonly subprotocol: string
  readonly start: string
  readonly stop: string
  readonly kinds: Readonly<Record<string, ServerMessage['kind']>>
}

export const DIALECTS: Readonly<Record<WebSocketProtocol, Dialect>> = {
  'graphql-transport-ws': {
    subprotocol: 'graphql-transport-ws',
    start: 'subscribe',
    stop: 'complete',
    kinds: {
      connection_ack: 'acknowledged',
      ping: 'ping',
      pong: 'alive',
      next: 'result',
      error: 'failed',
      complete: 'completed',
    },
  },
  'subscriptions-transport-ws': {
    subprotocol: 'graphql-ws',
    start: 'start',
    stop: 'stop',
    kinds: {
      connection_ack: 'acknowledged',
      connection_error: 'refused',
      ka: 'alive',
      data: 'result',
      error: 'failed',
      complete: 'completed',
    },
  },
}

/** Parses a message. Throws for message types that the subprotocol does not have. */
export function readServerMessage(text: string, { kinds }: Dialect): ServerMessage {
  const message: unknown = JSON.parse(text)
  if (!isObject(message)) throw new Error('Expected a message that is an object.')
  const { type, id, payload } = message
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) throw new Error(`Expected a message of the protocol, got one of ${text.length} characters.`)
  if (kind === 'acknowledged' || kind === 'ping' || kind === 'alive' || kind === 'refused') return { kind }
  if (typeof id !== 'string') throw new Error('Expected a message with the id of an operation.')
  if (kind === 'completed') return { kind, id }
  if (kind === 'failed') return { kind, id, errors: (Array.isArray(payload) ? payload : [payload]).map(visibleError) }
  const result = graphQLResponseOf(payload)
  if (!result) throw new Error('Expected the payload of an event to be a GraphQL response.')
  return { kind, id, result }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
