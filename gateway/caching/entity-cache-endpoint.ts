import type { FastifyInstance } from 'fastify'
import { operatorTokenCheck } from '../../platform/http/operator-token.ts'
import { errorBody } from '../../platform/http/server.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import type { EntityCache } from './entity-cache.ts'
import { parseInvalidations } from './entity-cache-tags.ts'

/** Path of the invalidation endpoint. */
export const INVALIDATION_PATH = '/entity-cache/invalidations'

/** Upper bound of a request body; 1,000 invalidations with keys are about 100 kB. */
const MAX_BODY_BYTES = 500_000

/**
 * Serves `POST /entity-cache/invalidations` for callers with `token` (Bearer or HTTP Basic). 202:
 * all instances invalidate. 503: Redis is unavailable, and the client must retry.
 */
export function serveInvalidations(app: FastifyInstance, cache: Pick<EntityCache, 'invalidate'>, token: string): void {
  if (token.length < 16) throw new OperatorError('Expected the token of the entity cache to have at least 16 characters.')
  const check = operatorTokenCheck({
    token,
    variable: 'ENTITY_CACHE_TOKEN',
    name: 'entity cache',
    takesBearer: true,
    rateLimits: localRateLimitStore(),
  })
  app.post(INVALIDATION_PATH, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const refusal = await check(request)
    if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
    const parsed = parseInvalidations(request.body)
    if ('problem' in parsed) return reply.code(400).send(errorBody(400, parsed.problem))
    if (await cache.invalidate(parsed.invalidations)) return reply.code(202).send({ invalidations: parsed.invalidations.length })
    const message = 'Redis is unavailable: not every copy knows of this. Send it again.'
    return reply.code(503).header('retry-after', '2').send(errorBody(503, message))
  })
}
