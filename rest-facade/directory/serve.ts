import type { FastifyInstance } from 'fastify'
import { GetRevisionDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { callerOf } from '../../platform/http/request-caller.ts'
import { withoutTrailingSlashes } from '../http/base-url.ts'
import { errorBody, NO_ITEM } from '../http/problem.ts'
import { pathsListedAt } from '../http/problem-docs-url.ts'
import { serveFacade } from '../http/serve.ts'
import { tableEndpoints, tableKey } from '../http/table-endpoint.ts'
import { directoryRoutes } from './routes.ts'
import { directoryTexts } from './text-routes.ts'

const LICENSE_LINK = '<https://creativecommons.org/licenses/by/4.0/>; rel="license"'

/**
 * Serves `/api`, `/llms.txt`, and the API of the official MCP registry below `/v0.1` and `/v0`. `publicUrl` is where clients reach this process, with or without a
 * slash at the end. Rejects when the graph cannot answer one of our operations.
 */
export async function serveDirectoryApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = withoutTrailingSlashes(options.publicUrl)
  await serveFacade(app, client, {
    endpoints: await tableEndpoints(client, directoryRoutes, {
      noItem: NO_ITEM,
      pages: {
        publicUrl,
        link: LICENSE_LINK,
        body: ({ results, total, limit, offset }) => ({ count: results.length, total, limit, offset, results }),
      },
    }),
    texts: directoryTexts(publicUrl),
    mounts: ['/api', '/llms.txt', '/v0', '/v0.1'],
    answersUndecodablePaths: true,
    headers: { link: LICENSE_LINK },
    requestBody: null,
    // Responses are public and shared by caches, so they must not depend on the caller.
    callerOf: (request) => callerOf(request, []),
    caching: {
      contract: 'directory 1',
      publicUrl,
      // Browsers revalidate after a minute, edges after five; both may serve a stale response
      // meanwhile, for a day.
      found: 'public, max-age=60, s-maxage=300, stale-while-revalidate=86400',
      // Shorter, because an item may be imported the moment after.
      missing: 'public, max-age=30',
      revisionDocument: GetRevisionDocument,
      revisionOf: ({ revision }) => revision.revision,
      keyOf: tableKey,
    },
    failureBody: errorBody,
    docsHint: pathsListedAt(`${publicUrl}/api/openapi.json`, `${publicUrl}/llms.txt`),
  })
}
