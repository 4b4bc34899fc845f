import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyError, FastifyInstance } from 'fastify'
import { ServiceOverloadedError } from '../platform/http/load-shedding.ts'
import { loadOnce } from '../platform/process/load-once.ts'
import type { RateLimitStore } from '../platform/rate-limit/rate-limit-store.ts'
import { accountAccess } from './account-access.ts'
import type { HostOptions } from './guard.ts'
import { refuse } from './refuse.ts'
import { serverJson } from './server-json.ts'
import type { ToolGraph } from './tool.ts'
import type { ToolServer } from './tool-server.ts'

export type ServingOptions = HostOptions & {
  /** Store of the rate limits per account. */
  readonly rateLimits: RateLimitStore
}

/** Upper bound of a request body: the largest arguments are 100 sources of 2,048 characters. */
const MAX_BODY_BYTES = 512 * 1024

// The shape of this repository's own package.json is known.
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }

/**
 * Serves one MCP server at `/mcp/<name>` over streamable HTTP without sessions, for protocol
 * versions 2026-07-28 and 2025, and its `server.json` below. Rejects when a tool's operation is
 * invalid. The MCP library (0.9 MB) is imported by the first request.
 */
export async function serveMcp(
  app: FastifyInstance,
  graph: Omit<ToolGraph, 'spelling'>,
  server: ToolServer,
  options: ServingOptions,
): Promise<void> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  const tools = await Promise.all(server.tools.map((row) => row.prepare({ ...graph, spelling: server.spelling })))
  const access = accountAccess(server, { publicUrl, rateLimits: options.rateLimits })
  const loading = loadOnce(async () => {
    const { createExchange } = await import('./exchange.ts')
    return createExchange({ server, tools, access, options, publicUrl, version, maxBodyBytes: MAX_BODY_BYTES, log: app.log })
  })
  app.addHook('preClose', async () => {
    const exchange = await loading.started()
    await exchange?.close()
  })

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => (await loading.get()).guard(request, reply))
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (_, text, done) => done(null, text))
      scope.setErrorHandler((error: FastifyError, request, reply) => {
        if (error instanceof ServiceOverloadedError) return refuse(reply, error.statusCode, error.message)
        if (error.statusCode === 413) return refuse(reply, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes.`)
        if (error.statusCode !== undefined && error.statusCode < 500) return refuse(reply, error.statusCode, error.message)
        request.log.error({ err: error }, 'an MCP request failed')
        return refuse(reply, 500, `Internal error; quote request ${request.id} when you report it.`, -32_603)
      })
      scope.route({
        method: ['GET', 'POST', 'DELETE', 'OPTIONS'],
        url: '',
        handler: async (request, reply) => (await loading.get()).exchange(request, reply),
      })
      const manifest = serverJson({ server, publicUrl, version })
      scope.get('/server.json', async (_, reply) => reply.header('cache-control', 'public, max-age=300').send(manifest))
    },
    { prefix: `/mcp/${server.name}` },
  )
}
