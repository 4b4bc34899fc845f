import type { FastifyInstance } from 'fastify'
import { GetRevisionDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { NO_ITEM } from '../http/problem.ts'
import { serveFacade } from '../http/serve.ts'
import { directoryRoutes } from './routes.ts'
import { directoryTexts } from './texts.ts'

/**
 * Serves `/api` and `/llms.txt`. `publicUrl` is where clients reach this process, with or without a slash at the end.
 * Rejects when the graph cannot answer one of our operations.
 */
export async function serveDirectoryApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  await serveFacade(app, client, {
    routes: directoryRoutes,
    texts: directoryTexts(publicUrl),
    mounts: ['/api', '/llms.txt'],
    publicUrl,
    // Answers are public and shared by caches, so they must not depend on who asks.
    credentials: [],
    caching: {
      contract: 'directory 1',
      // Browsers ask again after a minute, edges after five; both may show the old answer while they do, for a day.
      found: 'public, max-age=60, s-maxage=300, stale-while-revalidate=86400',
      // Shorter, because an item may be imported the moment after.
      missing: 'public, max-age=30',
      ask: GetRevisionDocument,
      revisionOf: ({ revision }) => revision.revision,
    },
    headers: { link: '<https://creativecommons.org/licenses/by/4.0/>; rel="license"' },
    noItem: NO_ITEM,
    guide: `The paths are listed at ${publicUrl}/api/openapi.json and explained at ${publicUrl}/llms.txt.`,
    problemBody: ({ code, message, details }) => ({ error: { code, message, details } }),
    pageBody: ({ results, total, limit, offset }) => ({ count: results.length, total, limit, offset, results }),
  })
}
