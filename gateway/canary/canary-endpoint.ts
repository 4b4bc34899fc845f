import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { operatorTokenCheck } from '../../platform/http/operator-token.ts'
import { errorBody } from '../../platform/http/server.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { printReport } from '../shadow/shadow-endpoint.ts'
import type { Canary, CanaryStatus } from './canary.ts'
import type { VersionCounts } from './version-statistics.ts'

/** Path of status and commands. */
export const CANARY_PATH = '/canary'

const MAX_BODY_BYTES = 1_000
const EXPECTED = 'Expected {"action": "promote"}, {"action": "rollback"} or {"percent": a number from 0 to 100}.'

const candidate = z.string().optional()
const command = z.union([
  z.strictObject({ action: z.enum(['promote', 'rollback']), candidate }),
  z.strictObject({ percent: z.number().min(0).max(100), candidate }),
])

/**
 * Serves `GET /canary` (JSON, or text for `Accept: text/plain`) and `POST /canary` for callers with
 * `token` (Bearer or HTTP Basic). 409: the named candidate, or any, is not running.
 */
export function serveCanary(app: FastifyInstance, canary: Canary, token: string): void {
  if (token.length < 16) throw new OperatorError('Expected the token of the canary to have at least 16 characters.')
  const check = operatorTokenCheck({
    token,
    variable: 'CANARY_TOKEN',
    name: 'canary',
    takesBearer: true,
    rateLimits: localRateLimitStore(),
  })
  app.get(CANARY_PATH, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refusal = await check(request)
    if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
    const isText = request.headers.accept?.startsWith('text/plain') === true
    return isText ? reply.type('text/plain; charset=utf-8').send(printStatus(canary.status())) : canary.status()
  })
  app.post(CANARY_PATH, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refusal = await check(request)
    if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
    const parsed = command.safeParse(request.body)
    if (!parsed.success) return reply.code(400).send(errorBody(400, EXPECTED))
    if (apply(canary, parsed.data)) return canary.status()
    const id = parsed.data.candidate
    const message = id === undefined ? 'No candidate is running.' : `The candidate "${id.slice(0, 100)}" is not running.`
    return reply.code(409).send(errorBody(409, message))
  })
}

function apply(canary: Canary, given: z.output<typeof command>): boolean {
  if ('percent' in given) return canary.setPercent(given.percent, given.candidate)
  return given.action === 'promote' ? canary.promote(given.candidate) : canary.rollBack('by an operator', given.candidate)
}

/** Status as text: the candidate, a line per supergraph, how the last one ended, and differences. */
export function printStatus({ candidate, versions, comparison, ended }: CanaryStatus): string {
  const lines = [
    candidate
      ? `candidate ${candidate.id}: ${candidate.percent} % of callers since ${candidate.startedAt}`
      : 'no candidate is running',
    ...(versions ? [lineOf('served', versions.served), lineOf('candidate', versions.candidate)] : []),
    ...(ended ? [`ended: candidate ${ended.candidate} ${ended.kind} at ${ended.at}, ${ended.reason}`] : []),
  ]
  return `${lines.join('\n')}\n${comparison ? `\nanswers, served → candidate: ${printReport(comparison)}` : ''}`
}

function lineOf(version: string, { requests, errors, p50Milliseconds: p50, p95Milliseconds: p95 }: VersionCounts): string {
  const times = p50 === null ? '' : `, p50 ≤ ${p50} ms, p95 ≤ ${p95} ms`
  return `${version}: ${requests} operations, ${errors} with errors${times}`
}
