import type { Gateway } from '../gateway.ts'
import { createHttpContext, type HttpContext } from '../middleware/http-context.ts'
import { createTraceContext } from '../observability/query-trace.ts'
import type { RequestHead } from './http-rules.ts'

/** HTTP context of an event stream; undefined when no option needs the headers of its request. */
export function streamContext(
  { readsClientHeaders, queryTraces }: Pick<Gateway, 'readsClientHeaders' | 'queryTraces'>,
  { method, headers }: RequestHead,
): HttpContext | undefined {
  if (readsClientHeaders) return createHttpContext(method, headers)
  return queryTraces === null ? undefined : (createTraceContext(headers) ?? undefined)
}
