import type { FastifyInstance } from 'fastify'
import { GetJsonWebKeysDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { callerOf } from '../../platform/http/request-caller.ts'
import { withoutTrailingSlashes } from '../http/base-url.ts'
import { errorBody } from '../http/problem.ts'
import { serveFacade } from '../http/serve.ts'
import { tableEndpoints, tableKey } from '../http/table-endpoint.ts'
import { sessionRoutes } from './session/routes.ts'

/**
 * Serves the public keys of tokens where RFC 8414 clients look for them. Rejects when the graph
 * cannot answer the operation.
 */
export async function serveSocialApi(
  app: FastifyInstance,
  client: GatewayClient,
  options: { readonly publicUrl: string },
): Promise<void> {
  const publicUrl = withoutTrailingSlashes(options.publicUrl)
  await serveFacade(app, client, {
    endpoints: await tableEndpoints(client, sessionRoutes, { noItem: 'There is nothing with this name.' }),
    texts: [],
    mounts: ['/.well-known/jwks.json'],
    answersUndecodablePaths: true,
    headers: {},
    requestBody: null,
    // Responses are public and shared by caches, so they must not depend on the caller.
    callerOf: (request) => callerOf(request, []),
    caching: {
      contract: 'social 1',
      publicUrl,
      // Verifiers that meet an unknown key fetch again at once; removed keys must not be trusted
      // for long.
      found: 'public, max-age=300',
      missing: 'no-store',
      revisionDocument: GetJsonWebKeysDocument,
      revisionOf: ({ keys }) => keys.map(({ kid }) => kid).join(' '),
      keyOf: tableKey,
    },
    failureBody: errorBody,
    docsHint: `The keys are at ${publicUrl}/.well-known/jwks.json.`,
  })
}
