import type { IncomingHttpHeaders } from 'node:http'
import type { ExecutionResult } from 'graphql'
import { type ExchangeFailure, type HttpRequest, type HttpResponse, postRequest } from './http-exchange.ts'
import { responseText } from './http-messages.ts'
import type { RequestDispatcher } from './limited-dispatcher.ts'
import { isConnectionFault, isOverloadStatus, isRequestFault, retryAfterMs } from './retries.ts'

/** A GraphQL response and its JSON; `Result` is a list for a batch. */
export type ParsedResponse<Result = ExecutionResult> = {
  readonly text: string | Buffer
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

/** Reads responses. */
export type ReadResponse<Result> = {
  /** Parses a response; null when it is invalid. */
  readonly parse: (text: string) => Result | null
  /** Reads a body without parsing it; null: it is to be parsed. */
  readonly readBody?: ((body: Buffer, isExclusive?: boolean) => Result | null) | undefined
}

/** Ends with its signal and at its deadline. */
export type Bounds = Required<Pick<HttpRequest, 'signal' | 'deadline'>>

/** Body and headers of a request; made for each attempt, because signatures have a time. */
export type CreateMessage = () => Pick<HttpRequest, 'body' | 'headers'>

/** Sends a request in another way than as one of its own over HTTP; null: it cannot at present. */
export type SendInstead = (bounds: Bounds) => Promise<HttpResponse | ExchangeFailure> | null

/** One attempt at a request. */
type Attempt = Bounds & {
  readonly path: string
  readonly message: CreateMessage
  readonly exchange: SendInstead | undefined
}

/** Sends one attempt, with `exchange` if that can. Never rejects. */
export async function fetchOnce<Result>(
  pool: RequestDispatcher,
  { path, message, signal, deadline, exchange }: Attempt,
  reading: ReadResponse<Result>,
): Promise<{ readonly kind: 'response'; readonly response: ParsedResponse<Result> } | FetchFailure<Result>> {
  const exchanging = exchange?.({ signal, deadline }) ?? null
  if (exchanging) return attemptResult(await exchanging, null, reading)
  const made = message()
  return attemptResult(await postRequest(pool, { path, signal, deadline, ...made }), made.body, reading)
}

/** What came of an attempt that sent `body`; null: in another way than by a request of its own. */
async function attemptResult<Result>(
  received: HttpResponse | ExchangeFailure,
  body: HttpRequest['body'] | null,
  { parse, readBody }: ReadResponse<Result>,
): ReturnType<typeof fetchOnce<Result>> {
  if ('cause' in received) {
    const { cause, responseHasBegun } = received
    const retryAfterMs = isConnectionFault(cause) && !responseHasBegun ? 0 : null
    // A file that is too large for a subgraph ends its connection as well.
    const isOfFile = typeof body === 'object' && body?.readableDidRead === true
    const isSubgraphFault = !isOfFile && !isRequestFault(cause)
    return { kind: 'fault', cause, isSubgraphFault, retryAfterMs, response: null }
  }

  const { statusCode, headers, bytes } = received
  if (readBody && statusCode === 200 && headers['content-encoding'] === undefined) {
    const result = readBody(bytes, body !== null)
    if (result) return { kind: 'response', response: { text: bytes, result, statusCode, headers } }
  }
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
