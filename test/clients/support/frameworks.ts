import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { expressGuard } from '../../../clients/guard/express.ts'
import { fastifyGuard } from '../../../clients/guard/fastify.ts'
import type { GuardOptions } from '../../../clients/guard/guard.ts'
import { honoGuard } from '../../../clients/guard/hono.ts'

/** A service that visits what it is told to, behind a guard. */
export type Service = {
  /** Hosts that its handler was let at. */
  readonly visited: readonly string[]
  readonly url: string
  readonly close: () => Promise<void>
}

export type ServiceOptions = Omit<GuardOptions<never>, 'actions'> & {
  /**
   * Answers those that are to be sandboxed with 202; lets those that are to be escalated through.
   */
  readonly isHandled?: boolean
}

type Start = (options: ServiceOptions) => Promise<Service>

/**
 * `GET /visit?to=…`, and `GET /health`, which is about nobody. `?fail=1` makes the look for the
 * target fail.
 */
export const frameworks: Readonly<Record<string, Start>> = {
  async Express({ isHandled, ...options }) {
    const visited: string[] = []
    const app = express()
    app.use(
      expressGuard({
        ...options,
        target({ query }) {
          if (query.fail) throw new Error('no target')
          return query.to
        },
        ...(isHandled && {
          actions: {
            sandbox: (_, response, __, verification) => response.status(202).json({ kind: verification.kind }),
            escalate_to_human: (_, __, next) => next(),
          },
        }),
      }),
    )
    app.get('/visit', ({ query }, response) => {
      visited.push(String(query.to))
      response.send('visited')
    })
    app.get('/health', (_, response) => void response.send('fine'))
    app.use((_: unknown, __: unknown, response: express.Response, ___: unknown) => void response.status(500).send('caught'))
    const server = createServer(app)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return service(server, visited)
  },

  async Fastify({ isHandled, ...options }) {
    const visited: string[] = []
    const app = fastify()
    app.addHook(
      'preHandler',
      fastifyGuard({
        ...options,
        target({ query }) {
          const { to, fail } = query as Record<string, unknown>
          if (fail) throw new Error('no target')
          return to
        },
        ...(isHandled && {
          actions: {
            sandbox: (_, reply, verification) => reply.code(202).send({ kind: verification.kind }),
            escalate_to_human: () => {},
          },
        }),
      }),
    )
    app.setErrorHandler((_, __, reply) => reply.code(500).send('caught'))
    app.get('/visit', async ({ query }) => {
      visited.push((query as { to: string }).to)
      return 'visited'
    })
    app.get('/health', async () => 'fine')
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { ...service(app.server, visited), close: () => app.close() }
  },

  async Hono({ isHandled, ...options }) {
    const visited: string[] = []
    const app = new Hono()
    app.use(
      honoGuard({
        ...options,
        target(context) {
          if (context.req.query('fail')) throw new Error('no target')
          const all = context.req.queries('to')
          return all && all.length > 1 ? all : all?.[0]
        },
        ...(isHandled && {
          actions: {
            sandbox: (context, _, verification) => context.json({ kind: verification.kind }, 202),
            escalate_to_human: async (_, next) => {
              await next()
              return undefined
            },
          },
        }),
      }),
    )
    app.onError((_, context) => context.text('caught', 500))
    app.get('/visit', (context) => {
      visited.push(context.req.query('to') ?? '')
      return context.text('visited')
    })
    app.get('/health', (context) => context.text('fine'))
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
    if (!server.listening) await new Promise((listening) => server.once('listening', listening))
    return service(server, visited)
  },
}

const service = (server: Server, visited: readonly string[]): Service => ({
  visited,
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  close: () =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    }),
})
