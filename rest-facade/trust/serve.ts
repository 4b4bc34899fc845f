import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { GetUsageDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { callerOf } from '../../platform/http/request-caller.ts'
import { withoutTrailingSlashes } from '../http/base-url.ts'
import { JSON_TYPE } from '../http/content-coding.ts'
import { createCallerCheck } from '../http/facade.ts'
import { pathsListedAt } from '../http/problem-docs-url.ts'
import { serveFacade } from '../http/serve.ts'
import { tableEndpoints } from '../http/table-endpoint.ts'
import { problemDetails } from './problem-details.ts'
import { trustRoutes } from './routes.ts'
import { usageHeaders } from './usage-headers.ts'

const OPENAPI_PATH = '/v1/decide/openapi.json'

/** 64 KiB: twice a batch of 100 requests with long URLs. */
const MAX_BODY_BYTES = 64 * 1024

/**
 * Serves trust decisions below `/v1`, and at the addresses that clients of such services know.
 * Rejects when the graph cannot answer one of our operations.
 */
export async function serveTrustApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = withoutTrailingSlashes(options.publicUrl)
  const contract: object = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8'))
  await serveFacade(app, client, {
    endpoints: await tableEndpoints(client, trustRoutes, {
      noItem: 'This key has nothing of this name. It may have been deleted, or belong to another key.',
    }),
    texts: [
      {
        operationId: 'getTrustOpenApi',
        path: OPENAPI_PATH,
        contentType: JSON_TYPE,
        text: JSON.stringify({ ...contract, servers: [{ url: publicUrl, description: 'This copy of the service.' }] }, null, 2),
      },
    ],
    // Where the store is served, it has the rest of `/v1`.
    mounts: [
      '/v1',
      '/v1/decide',
      '/v1/decisions',
      '/v1/overrides',
      '/v1/lists',
      '/v1/reports',
      '/v1/watches',
      '/v1/usage',
      '/api/v1',
      '/decide',
    ],
    answersUndecodablePaths: true,
    headers: {},
    requestBody: { parseAs: 'string', maxBytes: MAX_BODY_BYTES },
    callerOf: (request) => callerOf(request, ['x-api-key', 'authorization']),
    callerCheck: createCallerCheck(GetUsageDocument, ({ usage }) => usageHeaders(usage)),
    caching: null,
    failureBody: (problem, request) => JSON.stringify(problemDetails(problem, request)),
    failureType: 'application/problem+json',
    docsHint: pathsListedAt(`${publicUrl}${OPENAPI_PATH}`),
  })
}
