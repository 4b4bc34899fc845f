import type { ExecutionResult } from 'graphql'
import type { Pool } from 'undici'
import { exchange, type HttpRequest } from './http-exchange.ts'
import { answerIn, textOf } from './http-messages.ts'
import { againAfter, isConnectionFault, isFaultOfQuestion, isOverload } from './retries.ts'

/** An answer, and the JSON that it was. */
export type Answer = { readonly text: string; readonly result: ExecutionResult }

/** Why asking once brought nothing. */
export type Fault = {
  readonly kind: 'fault'
  /** For the log. */
  readonly cause: unknown
  /** Whether it says that the subgraph, or the way to it, is ill. What depends on the question alone does not: anybody could make a circuit open. */
  readonly isIll: boolean
  /** Milliseconds after which asking again makes sense; null where it does not. */
  readonly againAfter: number | null
  /** What was said about it in GraphQL: for the client, when there is no asking again. */
  readonly answer: Answer | null
}

/** Asks once. Never rejects. */
export async function replyTo(
  pool: Pool,
  request: HttpRequest,
): Promise<{ readonly kind: 'answer'; readonly answer: Answer } | Fault> {
  const response = await exchange(pool, request)
  if ('cause' in response) {
    const { cause, hasBegun } = response
    const againAfter = isConnectionFault(cause) && !hasBegun ? 0 : null
    return { kind: 'fault', cause, isIll: !isFaultOfQuestion(cause), againAfter, answer: null }
  }

  const { statusCode, headers } = response
  let text: string
  try {
    const read = textOf(response)
    // Most are there at once, and an operation waits for all of its fetches.
    text = typeof read === 'string' ? read : await read
  } catch (cause) {
    return { kind: 'fault', cause, isIll: false, againAfter: null, answer: null }
  }

  // Where a redirect points to was not agreed upon, and credentials would go along.
  const result = statusCode >= 300 && statusCode < 400 ? null : answerIn(text)
  const answer = result && { text, result }
  // Proxies do not speak GraphQL's own type: whatever the status, that is the subgraph's answer (GraphQL over HTTP, application/graphql-response+json).
  const isOfSubgraph = String(headers['content-type']).startsWith('application/graphql-response+json')
  if (answer && (isOfSubgraph || !isOverload(statusCode))) return { kind: 'answer', answer }
  return {
    kind: 'fault',
    cause: new Error(
      `Expected a GraphQL answer, got ${text.length} characters with status ${statusCode}${reasonIn(statusCode, text)}.`,
    ),
    // Who says when to come back is well, and has too much to do: leaving it alone altogether would waste what it can still do.
    isIll: statusCode >= 500 && !(statusCode === 503 && headers['retry-after'] !== undefined),
    againAfter: againAfter(statusCode, headers['retry-after'], Date.now()),
    answer,
  }
}

/** Why a subgraph of ours does not believe us, for the log: a wrong secret, or a wrong clock. */
function reasonIn(statusCode: number, text: string): string {
  const message = statusCode === 401 ? /"message":"([^"\\]{1,200})"/.exec(text)?.[1] : undefined
  return message === undefined ? '' : `: ${message}`
}
