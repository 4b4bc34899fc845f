import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type ReadinessCheck, readinessOf } from './readiness.ts'

/** `/health`: the process is up. `/ready`: all `checks` pass, and the process goes on serving. */
export function serveHealth(
  app: FastifyInstance,
  {
    checks,
    isClosing,
    onUnready,
    log,
  }: {
    readonly checks: readonly ReadinessCheck[]
    readonly isClosing: () => boolean
    /** Called for each answer that the process is not ready. */
    readonly onUnready: () => void
    readonly log: Logger
  },
): void {
  app.get('/health', async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/ready', async (_, reply) => {
    const results = await readinessOf(checks, log)
    const isReady = !isClosing() && results.every(({ state }) => state !== 'failing')
    if (!isReady) onUnready()
    const without = results.filter((each) => each.without.length > 0).map((each) => [each.name, each.without])
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({
        status: isReady ? 'ready' : 'unavailable',
        checks: Object.fromEntries(results.map(({ name, state }) => [name, state])),
        // Still ready: unavailable sources make answers incomplete, not wrong.
        ...(without.length > 0 && { without: Object.fromEntries(without) }),
      })
  })
}
