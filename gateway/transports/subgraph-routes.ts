import type { FastifyInstance } from 'fastify'
import type { SubgraphRoutes } from '../../platform/http/subgraph-routes.ts'

/** Hands requests for what a subgraph answers itself on as they are, with the headers that every answer of this process carries. */
export async function serveSubgraphRoutes(app: FastifyInstance, { routes, answer }: SubgraphRoutes): Promise<void> {
  await app.register(async (scope) => {
    // Bodies are left for the door to read.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_, __, done) => done(null))
    for (const { method, path, hasSecretPath = false } of routes) {
      scope.route({
        method,
        url: path,
        config: { hasSecretPath },
        handler: async (request, reply) => {
          for (const [name, value] of Object.entries(reply.getHeaders()))
            if (value !== undefined) reply.raw.setHeader(name, value)
          reply.hijack()
          // It reads the body, which may take long.
          app.load.leave(reply.raw)
          try {
            await answer(request.raw, reply.raw, { requestId: request.id, address: request.ip })
          } catch (error) {
            request.log.error({ err: error }, 'a door failed')
            if (reply.raw.headersSent) return void reply.raw.destroy()
            reply.raw.writeHead(500, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
            reply.raw.end(JSON.stringify({ error: 'server_error', error_description: `It is recorded as ${request.id}.` }))
          }
        },
      })
    }
  })
}
