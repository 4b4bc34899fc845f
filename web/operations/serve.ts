import type { FastifyInstance } from 'fastify'
import { OperationsPageDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import type { History } from '../../gateway/observability/history.ts'
import { operatorTokenCheck } from '../../platform/http/operator-token.ts'
import { type ReadinessCheck, readinessOf } from '../../platform/http/readiness.ts'
import { compressResponses } from '../../platform/http/server.ts'
import type { RateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { operationRunner, sendPage } from '../frame/serve.ts'
import type { Site } from '../frame/site.ts'
import { operationsPage } from './page.ts'

/** What the page shows beside what the graph knows. */
export type Operations = {
  /** The password, whatever the user's name. */
  readonly token: string
  readonly history: History
  readonly checks: readonly ReadinessCheck[]
  /** Subgraphs over HTTP, and whether they are asked. */
  readonly circuits: () => readonly { readonly name: string; readonly state: string }[]
  /** Where guesses are counted. */
  readonly rateLimits: RateLimitStore
}

/**
 * Serves `/operations` to whoever knows the token: a browser asks for it by itself (HTTP Basic),
 * keeps it until it is closed, and sends it nowhere else.
 */
export async function serveOperations(
  app: FastifyInstance,
  client: GatewayClient,
  { token, history, checks, circuits, rateLimits }: Operations,
  site: Site,
): Promise<void> {
  await client.prepare(OperationsPageDocument)
  const check = operatorTokenCheck({ token, variable: 'OPERATIONS_TOKEN', name: 'operations', takesBearer: false, rateLimits })
  await app.register(async (scope) => {
    compressResponses(scope)
    scope.get('/operations', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const refusal = await check(request)
      if (refusal) return reply.code(refusal.status).headers(refusal.headers).type('text/plain; charset=utf-8').send(refusal.text)
      const [answer, readiness] = await Promise.all([
        operationRunner(client, request, reply)(OperationsPageDocument, {}),
        // Fastify's logger is pino's.
        readinessOf(checks, request.log as never),
      ])
      const page = operationsPage({ samples: history.samples(), readiness, circuits: circuits(), data: answer.data }, site)
      return sendPage(reply, page, site, 'no-store')
    })
  })
}
