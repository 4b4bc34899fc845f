import type { FastifyInstance } from 'fastify'
import type { SubgraphRoutes } from '../../platform/http/subgraph-routes.ts'

/** Forwards requests to the HTTP routes of a subgraph, and adds this process's response headers. */
export async function serveSubgraphRoutes(app: FastifyInstance, { routes, handle: answer }: SubgraphRoutes): Promise<void> {
  await app.register(async (scope) => {
    // The body is not parsed here, because the subgraph reads it.
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
          // Not counted as load while the subgraph reads the body, which may be slow.
          app.load.release(reply.raw)
          try {
            await answer(request.raw, reply.raw, { requestId: request.id, address: request.ip })
          } catch (error) {
            request.log.error({ err: error }, 'a route of a subgraph failed')
            if (reply.raw.headersSent) return void reply.raw.destroy()
            reply.raw.writeHead(500, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
            reply.raw.end(JSON.stringify({ error: 'server_error', error_description: `It is recorded as ${request.id}.` }))
          }
        },
      })
    }
  })
}
