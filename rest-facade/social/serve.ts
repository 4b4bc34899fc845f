import type { FastifyInstance } from 'fastify'
import { GetJsonWebKeysDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { serveFacade } from '../http/serve.ts'
import { sessionRoutes } from './session/routes.ts'

/** Serves the public keys of tokens where RFC 8414 clients look for them. Rejects when the graph cannot answer the operation. */
export async function serveSocialApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = options.publicUrl.replace(/\/+$/, '')
  await serveFacade(app, client, {
    routes: sessionRoutes,
    texts: [],
    mounts: ['/.well-known/jwks.json'],
    publicUrl,
    // Answers are public and shared by caches, so they must not depend on who asks.
    credentials: [],
    caching: {
      contract: 'social 1',
      // Who meets a key that is not here asks again at once; keys that are gone must not be believed for long.
      found: 'public, max-age=300',
      missing: 'no-store',
      ask: GetJsonWebKeysDocument,
      revisionOf: ({ keys }) => keys.map(({ kid }) => kid).join(' '),
    },
    headers: {},
    noItem: 'There is nothing with this name.',
    guide: `The keys are at ${publicUrl}/.well-known/jwks.json.`,
    problemBody: ({ code, message, details }) => ({ error: { code, message, details } }),
    pageBody: ({ results, total, limit, offset }) => ({ count: results.length, total, limit, offset, results }),
  })
}
