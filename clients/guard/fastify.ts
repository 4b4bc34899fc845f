import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import type { Outcome } from '../trust/decision.ts'
import { type GuardOptions, trustGuard } from './guard.ts'
import { refusalOf } from './refusal.ts'

/** Handles a request through `reply`; without a reply the request continues. */
export type FastifyHandler = (request: FastifyRequest, reply: FastifyReply, outcome: Outcome) => unknown

export type FastifyGuardOptions = GuardOptions<FastifyHandler> & {
  /**
   * Host or URL to check; null lets the request pass unchecked. May be a promise; any other value
   * is refused. Exceptions go to the error handler.
   */
  readonly target: (request: FastifyRequest) => unknown
}

/**
 * A hook for Fastify: `app.addHook('preHandler', …)`, or `preHandler` of a route. Throws a
 * TypeError when the options cannot work.
 */
export function fastifyGuard({ target, ...options }: FastifyGuardOptions): preHandlerAsyncHookHandler {
  const guard = trustGuard<FastifyHandler>(options)
  return async (request, reply) => {
    const subject = await target(request)
    if (subject === null || subject === undefined) return
    const { outcome, passage } = await guard(subject)
    if (passage === 'pass') return
    if (passage !== 'block') {
      await passage(request, reply, outcome)
      return reply.sent ? reply : undefined
    }
    const { status, headers, body } = refusalOf(outcome)
    return reply.code(status).headers(headers).send(JSON.stringify(body))
  }
}
