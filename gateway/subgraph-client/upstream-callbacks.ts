import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { graphQLResponseOf, visibleError } from './http-messages.ts'

/** Message of a subgraph to the callback URL. */
export type CallbackMessage =
  /** Check before the start, or heartbeat. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  | { readonly kind: 'completed'; readonly errors: readonly GraphQLError[] }

/** A registered callback of one subscription. */
export type Callback = {
  readonly id: string
  /** Secret shared with this subgraph only. */
  readonly verifier: string
  /** Ends the subscription: the subgraph's next request gets 404. */
  readonly remove: () => void
}

/**
 * Registry of subscriptions with the HTTP callback protocol of Apollo Router, by id and secret.
 * Bounded by the number of running subscriptions.
 */
export type Callbacks = {
  readonly add: (onMessage: (message: CallbackMessage) => void) => Callback
  /** Handles a request body. `unknown`: no such subscription, or wrong secret. */
  readonly receive: (id: string, body: unknown) => 'accepted' | 'unknown' | 'malformed'
}

export function createCallbacks(): Callbacks {
  type Entry = { readonly verifier: string; readonly onMessage: (message: CallbackMessage) => void }
  const entries = new Map<string, Entry>()

  return {
    add(onMessage) {
      const [id, verifier] = [randomUUID(), randomBytes(32).toString('base64url')]
      entries.set(id, { verifier, onMessage })
      return { id, verifier, remove: () => void entries.delete(id) }
    },
    receive(id, body) {
      if (!isObject(body) || body.kind !== 'subscription') return 'malformed'
      const entry = entries.get(id)
      if (!entry || body.id !== id || !isEqual(body.verifier, entry.verifier)) return 'unknown'
      const message = messageIn(body)
      if (!message) return 'malformed'
      if (message.kind === 'completed') entries.delete(id)
      entry.onMessage(message)
      return 'accepted'
    },
  }
}

function messageIn({ action, payload, errors }: Readonly<Record<string, unknown>>): CallbackMessage | null {
  if (action === 'check' || action === 'heartbeat') return { kind: 'alive' }
  if (action === 'complete') return { kind: 'completed', errors: Array.isArray(errors) ? errors.map(visibleError) : [] }
  const result = action === 'next' ? graphQLResponseOf(payload) : null
  return result && { kind: 'result', result }
}

/** Constant-time comparison; the length of a verifier is not secret. */
const isEqual = (given: unknown, expected: string): boolean =>
  typeof given === 'string' &&
  given.length === expected.length &&
  Buffer.byteLength(given) === expected.length &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
