import { randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Load, loadOf } from './load.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly load: Load
    /** Makes the refusal of what came through this door while there is no room for it, and counts it. */
    readonly overloaded: (door: string) => Overloaded
  }
}

/** This process has more to do than it can: nothing of what was asked has begun, so anything may be asked again. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
  readonly statusCode = 503
  /** By chance, so that those who are refused together do not come back together; longer than a link waits for (`http-retries.ts`), so that no gateway asks again. */
  readonly retryAfterSeconds = randomInt(2, 6)
  constructor() {
    super('This server has more to do than it can: try again in a few seconds.')
  }
}

/**
 * Refuses requests while too much is under way, before their bodies are read; how that is spelled is up to the error handler of each door. `/health`, `/ready`
 * and `/metrics` are always answered. A request counts from the end of its body, for who sends one slowly must not keep others out, until its answer begins, for
 * who reads slowly must not either, and streams of events last for hours.
 */
export function boundLoad(app: FastifyInstance, most: number, count: (door: string) => void): void {
  const load = loadOf(most)
  app.decorate('load', load)
  app.decorate('overloaded', (door: string) => {
    count(door)
    load.refused()
    return new Overloaded()
  })
  app.addHook('onClose', async () => load.close())

  app.server.on('connection', load.connected)
  app.addHook('onRequest', (request, reply, done) =>
    request.door === null || load.hasRoom() ? done() : done(refusalTo(request.door, reply)),
  )
  app.addHook('preHandler', ({ door }, reply, done) => {
    if (door === null) return done()
    if (!load.enter(reply.raw)) return done(refusalTo(door, reply))
    // An answer that nobody waits for any more may never be sent.
    reply.raw.once('close', () => load.leave(reply.raw))
    load.begin(reply.raw, {
      // What nobody waits for any more is not begun.
      start: () => {
        if (!reply.raw.destroyed) done()
      },
      refuse: () => done(refusalTo(door, reply)),
    })
  })
  app.addHook('onSend', (_, reply, payload, done) => {
    load.leave(reply.raw)
    done(null, payload)
  })

  function refusalTo(door: string, reply: FastifyReply): Overloaded {
    const refusal = app.overloaded(door)
    reply.headers({ 'retry-after': String(refusal.retryAfterSeconds), 'cache-control': 'no-store' })
    return refusal
  }
}
