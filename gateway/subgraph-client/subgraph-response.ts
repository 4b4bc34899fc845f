import type { IncomingHttpHeaders } from 'node:http'
import type { ExecutionResult } from 'graphql'
import type { Pool } from 'undici'
import { type HttpRequest, postRequest } from './http-exchange.ts'
import { responseText } from './http-messages.ts'
import { isConnectionFault, isOverloadStatus, isRequestFault, retryAfterMs } from './retries.ts'

/** A GraphQL response and its JSON; `Result` is a list for a batch. */
export type ParsedResponse<Result = ExecutionResult> = {
  readonly text: string
  readonly result: Result
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
}

/** Failure of one attempt. */
export type FetchFailure<Result = ExecutionResult> = {
  readonly kind: 'fault'
  /** Cause, for the log. */
  readonly cause: unknown
  /**
   * Whether it counts for the circuit breaker. Failures that a request alone can cause do not,
   * because clients could open the circuit with them.
   */
  readonly isSubgraphFault: boolean
  /** Delay before a retry in ms; null: no retry. */
  readonly retryAfterMs: number | null
  /**
   * GraphQL response that came with the failure; returned to the client when there is no further
   * attempt.
   */
  readonly response: ParsedResponse<Result> | null
}

/** Sends one attempt. Never rejects. */
export async function fetchOnce<Result>(
  pool: Pool,
  request: HttpRequest,
  parse: (text: string) => Result | null,
): Promise<{ readonly kind: 'response'; readonly response: ParsedResponse<Result> } | FetchFailure<Result>> {
  const received = await postRequest(pool, request)
  if ('cause' in received) {
    const { cause, responseHasBegun } = received
    const retryAfterMs = isConnectionFault(cause) && !responseHasBegun ? 0 : null
    // A file that is too large for a subgraph ends its connection as well.
    const isOfFile = typeof request.body !== 'string' && request.body.readableDidRead
    const isSubgraphFault = !isOfFile && !isRequestFault(cause)
    return { kind: 'fault', cause, isSubgraphFault, retryAfterMs, response: null }
  }

  const { statusCode, headers } = received
  let text: string
  try {
    const read = responseText(received)
    // Awaited only when asynchronous, to save a microtask per fetch.
    text = typeof read === 'string' ? read : await read
  } catch (cause) {
    return { kind: 'fault', cause, isSubgraphFault: false, retryAfterMs: null, response: null }
  }

  // Redirects are not followed, because credentials would be sent to an unconfigured address.
  const result = statusCode >= 300 && statusCode < 400 ? null : parse(text)
  const response = result && { text, result, statusCode, headers }
  // Proxies never send application/graphql-response+json, so with it every status is the subgraph's
  // own (GraphQL over HTTP).
  const isFromSubgraph = String(headers['content-type']).startsWith('application/graphql-response+json')
  if (response && (isFromSubgraph || !isOverloadStatus(statusCode))) return { kind: 'response', response }
  return {
    kind: 'fault',
    cause: new Error(
      `Expected a GraphQL response, got ${text.length} characters with status ${statusCode}${reasonIn(statusCode, text)}.`,
    ),
    // 503 with `Retry-After` is load shedding, for which the circuit stays closed: an open circuit
    // would waste the remaining capacity.
    isSubgraphFault: statusCode >= 500 && !(statusCode === 503 && headers['retry-after'] !== undefined),
    retryAfterMs: retryAfterMs(statusCode, headers['retry-after'], Date.now()),
    response,
  }
}

/** Reason for a rejected signature, for the log: wrong secret or clock. */
function reasonIn(statusCode: number, text: string): string {
  const message = statusCode === 401 ? /"message":"([^"\\]{1,200})"/.exec(text)?.[1] : undefined
  return message === undefined ? '' : `: ${message}`
}
