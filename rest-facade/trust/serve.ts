import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { GetUsageDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { admission } from '../http/facade.ts'
import { serveFacade } from '../http/serve.ts'
import { problemDetails } from './problems.ts'
import { trustRoutes } from './routes.ts'
import { usageHeaders } from './usage.ts'

/** Serves trust decisions below `/v1`, and at the addresses that clients of such services know. Rejects when the graph cannot answer one of our operations. */
export async function serveTrustApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  const contract = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8')) as object
  await serveFacade(app, client, {
    routes: trustRoutes,
    texts: [
      {
        operationId: 'getTrustOpenApi',
        path: '/v1/decide/openapi.json',
        contentType: 'application/json; charset=utf-8',
        text: JSON.stringify({ ...contract, servers: [{ url: publicUrl, description: 'This copy of the service.' }] }, null, 2),
      },
    ],
    // The store has the rest of `/v1` where there is one.
    mounts: ['/v1', '/v1/decide', '/v1/decisions', '/v1/overrides', '/v1/usage', '/api/v1', '/decide'],
    publicUrl,
    credentials: ['x-api-key', 'authorization'],
    caching: null,
    headers: {},
    noItem: 'This key has nothing of this name. It may have been deleted, or belong to another key.',
    guide: `The paths are listed at ${publicUrl}/v1/decide/openapi.json.`,
    problemBody: problemDetails,
    problemType: 'application/problem+json',
    pageBody: (page) => page,
    bodyBytes: 64 * 1024,
    admission: admission(GetUsageDocument, ({ usage }) => usageHeaders(usage)),
  })
}
