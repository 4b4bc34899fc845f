import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { tenantOf } from '../../platform/http/caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { LinkAnswer, LinkRequest } from '../multiplexed-link/subgraph-end.ts'
import type { Metrics } from '../observability/metrics.ts'
import { fault } from '../operations/errors.ts'
import { withTimeout } from '../operations/timeout.ts'
import type { Link } from '../subgraph-client/link.ts'
import type { createDocumentReader } from './document-reader.ts'
import { areGrants, statedCaller } from './signed-request.ts'
import { verifiedHeader } from './verified-caller.ts'

/** As over HTTP, in metrics and in the log. */
const ROUTE_CLASS = 'graphql'

/**
 * Answers requests of multiplexed links as those over HTTP are: in turns of tenants, within the
 * limit of the load, counted and logged. Never rejects; null for a request that was aborted before
 * its turn.
 */
export function answerMultiplexed(
  app: FastifyInstance,
  {
    link,
    documentOf,
    log,
    metrics,
  }: {
    /** Masks its errors. */
    readonly link: Link
    readonly documentOf: ReturnType<typeof createDocumentReader>
    readonly log: Logger
    readonly metrics: Metrics | null
  },
): (request: LinkRequest, signal: AbortSignal) => Promise<LinkAnswer | null> {
  const overloaded = (): LinkAnswer => ({ retryAfterSeconds: app.overloadError(ROUTE_CLASS).retryAfterSeconds })

  return async (request, signal) => {
    const { headers, grantedScopes, peer } = request
    const caller = {
      ...statedCaller({ id: requestIdOf({ headers }), ip: peer, headers }),
      ...(areGrants(grantedScopes) && { grantedScopes }),
    }
    const [begun, work, tenant] = [performance.now(), {}, tenantOf(caller)]
    let answer: LinkAnswer
    try {
      const begins = await mayBegin(work, tenant, signal)
      // As over HTTP, where nobody is left to answer: neither begun nor refused.
      if (!begins && signal.aborted) return null
      answer = begins ? await answered(request, { caller, signal }) : overloaded()
    } finally {
      app.load.release(work)
    }
    const [status, ms] = ['body' in answer ? 200 : 503, performance.now() - begun]
    log.info(
      { requestId: caller.requestId, method: 'POST', path: '/graphql', status, ms: Math.round(ms * 100) / 100, address: peer },
      'request',
    )
    metrics?.requested(ROUTE_CLASS, status, ms / 1000)
    return answer
  }

  /**
   * Resolves in the turn of the tenant; false for a process that is full, and at once for a request
   * that is aborted, which gives up its place.
   */
  function mayBegin(work: object, tenant: string, signal: AbortSignal): Promise<boolean> | boolean {
    if (!app.load.acquire(work, tenant)) return false
    return new Promise((resolve) => {
      const abort = () => {
        app.load.release(work)
        resolve(false)
      }
      signal.addEventListener('abort', abort, { once: true })
      app.load.schedule(work, { start: () => resolve(true), refuse: () => resolve(false) })
    })
  }

  async function answered(
    { query, operationName, variables }: LinkRequest,
    context: Parameters<Link['execute']>[1],
  ): Promise<LinkAnswer> {
    try {
      const document = documentOf(query)
      if (!('kind' in document)) return { head: '', body: JSON.stringify({ errors: document }) }
      const request = { query, operationName, variables: JSON.parse(variables), document }
      const result = await withTimeout(BOUNDS.operationTimeoutMs, context, (bounded) => link.execute(request, bounded))
      return { head: verifiedHeader(context.caller), body: JSON.stringify(result) }
    } catch (error) {
      // Such as a result that JSON has no text for: the fault of one request, not of its connection.
      const { requestId } = context.caller
      log.error({ err: error, requestId }, 'a request failed')
      return { head: '', body: JSON.stringify({ data: null, errors: [fault(requestId)] }) }
    }
  }
}
