import { hash } from 'node:crypto'
import type { GraphQLError } from 'graphql'
import { type CallerGrants, type FindGrants, NO_GRANTS } from '../gateway/authorization/authorization.ts'
import { refusal } from '../gateway/operations/errors.ts'
import type { Link, RequestContext } from '../gateway/subgraph-client/link.ts'
import type { Requirement } from '../platform/graphql/authorization-rules.ts'
import { HOW_TO_SIGN_IN, NOT_FOR_THESE } from '../subgraphs/store/access/access.ts'

/**
 * Cache lifetime of grants, the same as in the subgraph: how long revoked credentials may still be
 * accepted.
 */
const GRANTS_TTL_MS = 1_000
/** Upper bound of cached callers, some 300 bytes each; the oldest are evicted. */
const MAX_REMEMBERED_CALLERS = 10_000
/**
 * Upper bound of distinct grants: the schema has 42 scopes, and installations use few combinations.
 */
const MAX_DISTINCT_GRANTS = 1_000

const QUERY = '{ callerGrants { isAuthenticated storeCode scopes policies } }'
type Found = {
  readonly isAuthenticated: boolean
  readonly storeCode: string | null
  readonly scopes: readonly string[]
  readonly policies: readonly string[]
}

/**
 * Looks up grants in the store subgraph, which owns credentials with scopes. Valid ones are cached
 * for a second; invalid ones are checked each time, so that the subgraph counts guesses.
 */
export function storeGrants(links: ReadonlyMap<string, Link>): FindGrants {
  const remembered = new Map<string, { readonly until: number; readonly grants: Promise<CallerGrants> }>()
  const distinct = new Map<string, CallerGrants>()
  const link = links.get('store')
  if (!link) return () => NO_GRANTS

  return (context) => {
    const { caller } = context
    // The cache key is a hash, so that no credentials stay in memory. It includes the address,
    // because bans apply to addresses, and the time of connection, because a token valid then stays
    // valid for that connection.
    const { credentials, grantedScopes = [], address, connectedAt = null } = caller
    const key = hash('sha256', JSON.stringify([credentials, grantedScopes, address, connectedAt]), 'base64url')
    const cached = remembered.get(key)
    if (cached && cached.until > performance.now()) return cached.grants
    remembered.delete(key)
    const grants = find(link, context).then((found) => {
      if (found.denial && !found.isAuthenticated && remembered.get(key)?.grants === grants) remembered.delete(key)
      return found
    })
    remembered.set(key, { until: performance.now() + GRANTS_TTL_MS, grants })
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MAX_REMEMBERED_CALLERS) break
      remembered.delete(oldest)
    }
    return grants
  }

  async function find(store: Link, { caller }: RequestContext): Promise<CallerGrants> {
    try {
      // No abort signal: concurrent operations share this request, and none may cancel it for the
      // others.
      const request = { query: QUERY, variables: {}, operationName: undefined }
      const { data, errors = [] } = await store.execute(request, { caller, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const [error] = errors
      if (error || !data) return denied(error)
      // The type of `callerGrants` follows from the query document above.
      return grantsOf((data as { readonly callerGrants: Found }).callerGrants)
    } catch {
      return denied()
    }
  }

  function grantsOf({ isAuthenticated, storeCode, scopes, policies }: Found): CallerGrants {
    // A user token without a store gets the message for callers without store credentials.
    const denial = storeCode === null ? USER_DENIAL : null
    const text = JSON.stringify([isAuthenticated, denial !== null, scopes, policies])
    let grants = distinct.get(text)
    if (!grants) {
      if (distinct.size >= MAX_DISTINCT_GRANTS) distinct.clear()
      grants = { isAuthenticated, scopes: new Set(scopes), policies: new Set(policies), denial, describeRoot }
      distinct.set(text, grants)
    }
    return grants
  }
}

const USER_DENIAL = { message: HOW_TO_SIGN_IN, extensions: { code: 'UNAUTHENTICATED' } }

/** Timeout of the grants query. */
const TIMEOUT_MS = 10_000

/** Grants nothing, because the store did not answer or rejected the credentials. */
function denied(error?: GraphQLError): CallerGrants {
  const denial = error
    ? { message: error.message, extensions: error.extensions }
    : refusal(
        'SUBGRAPH_UNAVAILABLE',
        'The store service, which knows what these credentials allow, does not answer at the moment.',
      )
  return { ...NO_GRANTS, denial }
}

/** FORBIDDEN with `scopes`, the same error as the store's own root fields return. */
function describeRoot({ scopes, policies }: Requirement) {
  if (policies) return refusalFor(NOT_FOR_THESE)
  const any = (scopes ?? []).map((all) => all.join(' '))
  return refusalFor(`Expected credentials with the scope ${any.map((scope) => `"${scope}"`).join(' or ')}.`, any)
}

const refusalFor = (message: string, scopes?: readonly string[]) => ({
  message,
  extensions: { code: 'FORBIDDEN', ...(scopes && { scopes }) },
})
