import { hash } from 'node:crypto'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GatewayClient } from '../../../gateway/client.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { Authentication } from '../../http/facade.ts'
import { type StoreFailure, toFailure } from '../wire/failure.ts'
import { NO_STORE, type RequestCounter, verdictOf } from './rate-limit.ts'

/** The store that credentials belong to and their scopes, or why they are invalid. */
export type Identity = Access | { readonly failure: StoreFailure }
type Access = { readonly storeCode: string; readonly scopes: readonly string[] }

/** Selects the store and the scopes of the caller. */
export type AccessDocument = TypedDocumentNode<{ readonly access: Access }, Record<string, never>>

/** How long identities are cached: revoked credentials work this much longer. */
const IDENTITY_TTL_MS = 1_000
const MAX_IDENTITIES = 10_000

/**
 * Looks up who a caller is. Concurrent requests with the same credentials share one run of
 * `document`. `now` is in milliseconds.
 */
export function createIdentityLookup(
  client: GatewayClient,
  document: AccessDocument,
  now: () => number,
): (caller: Caller) => Promise<Identity> {
  const cache = new Map<string, { readonly expiresAt: number; readonly identity: Promise<Identity> }>()

  return (caller) => {
    const { credentials } = caller
    const presented = [credentials.authorization, credentials['x-login-key'], credentials['x-auth-token']]
    // Hashed, so that the cache holds no credentials.
    const key = hash('sha256', JSON.stringify(presented), 'base64url')
    const cached = cache.get(key)
    if (cached && cached.expiresAt > now()) return cached.identity

    const identity = lookUp(caller, () => cache.delete(key))
    cache.delete(key)
    cache.set(key, { expiresAt: now() + IDENTITY_TTL_MS, identity })
    for (const [oldest] of cache) {
      if (cache.size <= MAX_IDENTITIES) break
      cache.delete(oldest)
    }
    return identity
  }

  async function lookUp(caller: Caller, evict: () => void): Promise<Identity> {
    // Several requests share the result: none of them may abort it when its client disconnects.
    const { data, errors } = await client.run(document, {}, caller, NEVER)
    if (data !== null) return data.access
    // The rate limit of that store says until when, in published headers.
    const bannedFrom = errors[0]?.extensions?.bannedFromStore
    if (typeof bannedFrom === 'string') return { storeCode: bannedFrom, scopes: [] }
    const { failure, isInternal } = toFailure(errors, caller.requestId)
    if (isInternal) evict()
    return { failure }
  }
}

const NEVER = new AbortController().signal

/**
 * Authenticates callers of the REST API and counts their requests. Faults of a request are reported
 * to authenticated callers only, unknown paths to everybody. Callers without a valid identity are
 * counted, and never rate limited: limits belong to a store.
 */
export function createAuthenticate(
  lookUp: (caller: Caller) => Promise<Identity>,
  rateLimit: RequestCounter,
): (caller: Caller) => Promise<Authentication<StoreFailure>> {
  return async (caller) => {
    const identity = await lookUp(caller)
    const storeCode = 'failure' in identity ? NO_STORE : identity.storeCode
    const { headers, refusal } = verdictOf(await rateLimit.count(networkOf(caller.address), storeCode), Date.now())
    if ('failure' in identity) return { headers, failure: identity.failure, isRateLimited: false }
    return { headers, failure: refusal, isRateLimited: refusal !== null }
  }
}
