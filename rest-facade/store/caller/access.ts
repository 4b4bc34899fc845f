import { hash } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GatewayClient } from '../../../gateway/client.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { type Failure, failureOf } from '../wire/failure.ts'

/** The store that credentials belong to and what they allow there, or why they belong to none. */
export type Identity = Allowed | { readonly failure: Failure }
type Allowed = { readonly storeCode: string; readonly scopes: readonly string[] }

/** What the graph is asked about a caller. */
export type AccessDocument = TypedDocumentNode<{ readonly access: Allowed }, Record<string, never>>

/** Credentials that were taken back work this much longer. */
const REMEMBERED_MILLISECONDS = 1_000
const MOST_REMEMBERED = 10_000

/** Tells who asks, before anything else of a request is looked at. Asks the graph once for all requests of the same moment. */
export function identification(
  client: GatewayClient,
  document: AccessDocument,
  now: () => number,
): (caller: Caller) => Promise<Identity> {
  const known = new Map<string, { readonly until: number; readonly identity: Promise<Identity> }>()

  return (caller) => {
    const { credentials } = caller
    const presented = [credentials.authorization, credentials['x-login-key'], credentials['x-auth-token']]
    // Hashed, so that no credentials lie about.
    const key = hash('sha256', JSON.stringify(presented), 'base64url')
    const remembered = known.get(key)
    if (remembered && remembered.until > now()) return remembered.identity

    const identity = ask(caller, () => known.delete(key))
    known.delete(key)
    known.set(key, { until: now() + REMEMBERED_MILLISECONDS, identity })
    for (const [oldest] of known) {
      if (known.size <= MOST_REMEMBERED) break
      known.delete(oldest)
    }
    return identity
  }

  async function ask(caller: Caller, forget: () => void): Promise<Identity> {
    // Several requests wait for the answer: none of them may take it along when its client goes away.
    const { data, errors } = await client.run(document, {}, caller, NEVER)
    if (data !== null) return data.access
    // The limits say until when, in the headers that are published.
    const bannedFrom = errors[0]?.extensions?.bannedFromStore
    if (typeof bannedFrom === 'string') return { storeCode: bannedFrom, scopes: [] }
    const { failure, isOurs } = failureOf(errors, caller.requestId)
    if (isOurs) forget()
    return { failure }
  }
}

const NEVER = new AbortController().signal
