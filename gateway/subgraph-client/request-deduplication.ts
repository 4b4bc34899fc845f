import type { ExecutionResult } from 'graphql'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext, SubgraphRequest } from './link.ts'
import type { ParsedResponse } from './subgraph-response.ts'

/** A fetch in flight with its variables as JSON. */
type FetchInFlight = { readonly variables: string; readonly response: Promise<ParsedResponse> }

/** Fetches in flight of one operation, by query text without operation name. */
type FetchesInFlight = Map<string, FetchInFlight[]>

/** Sends a fetch, or joins an equal one of the same operation in flight. */
export type DeduplicateRequests = (
  request: { readonly text: string; readonly variables: string; readonly onHeaders?: SubgraphRequest['onHeaders'] },
  context: RequestContext,
  send: () => Promise<ParsedResponse>,
) => Promise<ExecutionResult>

/** Request deduplication of one remote subgraph. `owner`: the key of its state in `perLink`. */
export function deduplicateRequests(owner: object): DeduplicateRequests {
  return async ({ text, variables, onHeaders }, context, send) => {
    const fetches = inFlight(context)
    const sameText = fetches.get(text) ?? []
    if (sameText.length === 0) fetches.set(text, sameText)
    const equal = sameText.find((each) => each.variables === variables)
    if (equal) {
      const joined = await equal.response
      onHeaders?.(joined.headers)
      // Parsed again, because the executor changes results in place.
      return parseGraphQLResponse(joined.text.toString()) ?? joined.result
    }
    const fetch: FetchInFlight = { variables, response: send() }
    sameText.push(fetch)
    try {
      const { headers, result } = await fetch.response
      onHeaders?.(headers)
      return result
    } finally {
      sameText.splice(sameText.indexOf(fetch), 1)
    }
  }

  function inFlight(context: RequestContext): FetchesInFlight {
    context.perLink ??= new Map()
    // Only this function sets the key `owner`.
    const existing = context.perLink.get(owner) as FetchesInFlight | undefined
    if (existing) return existing
    const created: FetchesInFlight = new Map()
    context.perLink.set(owner, created)
    return created
  }
}
