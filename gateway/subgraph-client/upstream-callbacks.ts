import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { graphQLResponseOf, visibleError } from './http-messages.ts'

/** What a subgraph calls back with. */
export type CallbackMessage =
  /** It is about to begin, or still there. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'result'; readonly result: ExecutionResult }
  | { readonly kind: 'completed'; readonly errors: readonly GraphQLError[] }

/** One subscription that a subgraph calls back for. */
export type Callback = {
  readonly id: string
  /** A secret that only this subgraph receives. */
  readonly verifier: string
  /** Ends it: the response to the subgraph's next call says so. */
  readonly remove: () => void
}

/**
 * The subscriptions of a gateway that subgraphs call back for, by the HTTP callback protocol of
 * Apollo Router. Each has an id and a secret; there are as many as subscriptions run.
 */
export type Callbacks = {
  readonly add: (onMessage: (message: CallbackMessage) => void) => Callback
  /** Handles the body of a call. `unknown`: there is no such subscription, or the secret is wrong. */
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

/** In constant time: the length of a verifier is no secret. */
const isEqual = (given: unknown, expected: string): boolean =>
  typeof given === 'string' &&
  given.length === expected.length &&
  Buffer.byteLength(given) === expected.length &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
