import type { FastifyInstance } from 'fastify'
import { operatorTokenCheck } from '../../platform/http/operator-token.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { lineOf } from './difference-log.ts'
import type { ShadowReport } from './shadow-traffic.ts'

/** Path of the report. */
export const SHADOW_PATH = '/shadow'

/**
 * Serves `GET /shadow` for callers with `token` (Bearer or HTTP Basic): the report as JSON, or as
 * text for `Accept: text/plain`.
 */
export function serveShadowReport(app: FastifyInstance, report: () => ShadowReport, token: string): void {
  const check = operatorTokenCheck({
    token,
    variable: 'SHADOW_TOKEN',
    name: 'shadow report',
    takesBearer: true,
    rateLimits: localRateLimitStore(),
  })
  app.get(SHADOW_PATH, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refusal = await check(request)
    if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
    const isText = request.headers.accept?.startsWith('text/plain') === true
    return isText ? reply.type('text/plain; charset=utf-8').send(printReport(report())) : report()
  })
}

/** Report as text: a line of counts, then a paragraph per distinct difference. */
export function printReport({ verdicts, differences }: ShadowReport): string {
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${verdict} ${count}`)
  const paragraphs = differences.map(
    ({ signature, operationName, count, lastAt, differences: places }) =>
      `${operationName ?? '(anonymous)'} ${signature}: ${count} times, last ${lastAt}\n${places.map((each) => `  ${lineOf(each)}\n`).join('')}`,
  )
  return [`${counts.join(', ')}\n`, ...paragraphs].join('\n')
}
