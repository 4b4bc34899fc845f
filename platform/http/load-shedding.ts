import { randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, tenantOf } from './caller.ts'
import { createLoadLimiter, type LoadLimiter } from './load.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly load: LoadLimiter
    /** Creates and counts the error for a request of this route class without capacity. */
    readonly overloadError: (routeClass: string) => ServiceOverloadedError
  }
}

/** The process is overloaded. Nothing of the request was started, so any request may be retried. */
export class ServiceOverloadedError extends Error {
  override readonly name = 'Overloaded'
  readonly statusCode = 503
  /**
   * Random, so that refused clients do not return together; longer than the retry delay of a
   * gateway.
   */
  readonly retryAfterSeconds = randomInt(2, 6)
  constructor() {
    super('This server has more to do than it can: try again in a few seconds.')
  }
}

/**
 * Sheds load: refuses requests over the limit before their bodies are read. Each scope's error
 * handler writes the response. `/health`, `/ready` and `/metrics` are always answered. A request
 * counts from the end of its body until its response begins, so slow senders, slow readers and
 * event streams take no capacity.
 */
export function shedLoad(app: FastifyInstance, max: number, count: (routeClass: string) => void): void {
  const load = createLoadLimiter(max)
  app.decorate('load', load)
  app.decorate('overloadError', (routeClass: string) => {
    count(routeClass)
    load.onRefusal()
    return new ServiceOverloadedError()
  })
  app.addHook('onClose', async () => load.close())

  app.server.on('connection', load.onConnection)
  app.addHook('onRequest', (request, reply, done) =>
    request.routeClass === null || load.hasCapacity(tenantIn(request)) ? done() : done(refusalTo(request.routeClass, reply)),
  )
  app.addHook('preHandler', (request, reply, done) => {
    const { routeClass } = request
    if (routeClass === null) return done()
    if (!load.acquire(reply.raw, tenantIn(request))) return done(refusalTo(routeClass, reply))
    // An answer without a client may never be sent.
    reply.raw.once('close', () => load.release(reply.raw))
    load.schedule(reply.raw, {
      // Work without a client is not started.
      start: () => {
        if (!reply.raw.destroyed) done()
      },
      refuse: () => done(refusalTo(routeClass, reply)),
    })
  })
  app.addHook('onSend', (_, reply, payload, done) => {
    load.release(reply.raw)
    done(null, payload)
  })

  function refusalTo(routeClass: string, reply: FastifyReply): ServiceOverloadedError {
    const refusal = app.overloadError(routeClass)
    reply.headers({ 'retry-after': String(refusal.retryAfterSeconds), 'cache-control': 'no-store' })
    return refusal
  }
}

const tenantIn = ({ headers, ip }: FastifyRequest): string =>
  // A cast: Node joins repeated headers of these names into one text.
  tenantOf({ credentials: headers as Caller['credentials'], address: ip })
