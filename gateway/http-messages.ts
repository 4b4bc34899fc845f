import { type ExecutionResult, GraphQLError } from 'graphql'
import { CREDENTIAL_HEADERS } from '../subgraphs/runtime/caller.ts'
import type { Passage } from './link.ts'

/** What goes on to a subgraph of the client who asks. */
export function headersFor({ caller: { requestId, address, credentials, traceparent } }: Passage): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json',
    'x-request-id': requestId,
    'x-forwarded-for': address,
    ...(traceparent !== undefined && { traceparent }),
  }
  for (const name of CREDENTIAL_HEADERS) {
    const value = credentials[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/** The answer, if the text is one: with data or errors of the right shape. */
export function answerIn(text: string): ExecutionResult | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(answer)) return null
  const { data, errors } = answer
  if (data !== undefined && data !== null && !isObject(data)) return null
  if (errors !== undefined && !Array.isArray(errors)) return null
  if (data === undefined && errors === undefined) return null
  const shown: GraphQLError[] = (errors ?? []).map(visibleError)
  return { data: (data ?? null) as Record<string, unknown> | null, ...(shown.length > 0 && { errors: shown }) }
}

/** What a subgraph says to clients: its stack traces and what it may have copied of an answer further behind stay here. */
function visibleError(error: unknown): GraphQLError {
  const { message, path, extensions } = isObject(error) ? error : {}
  const { stacktrace: _, exception: __, response: ___, ...said } = isObject(extensions) ? extensions : {}
  return new GraphQLError(typeof message === 'string' ? message : 'A service reported an error without a message.', {
    path: Array.isArray(path) ? path : null,
    extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', ...said },
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
