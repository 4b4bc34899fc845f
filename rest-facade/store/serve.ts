import type { FastifyInstance } from 'fastify'
import { StoreAccessDocument } from '#generated/rest-facade/store.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { withoutTrailingSlashes } from '../http/base-url.ts'
import { JSON_TYPE } from '../http/content-coding.ts'
import { pathsListedAt } from '../http/problem-docs-url.ts'
import { serveFacade } from '../http/serve.ts'
import { createAuthenticate, createIdentityLookup } from './caller/authentication.ts'
import { storeCallerOf } from './caller/credentials.ts'
import { RATE_LIMIT_HEADERS, type RequestCounter } from './caller/rate-limit.ts'
import { operationsOf } from './contract.ts'
import { contractEndpoints } from './contract-endpoint.ts'
import { publishedContract } from './published-contract.ts'
import { storeRoutes } from './routes.ts'
import { failureBody } from './wire/failure.ts'

const MOUNT = '/v1'

/** Larger than any product of the contract with all its variants. */
const MAX_BODY_BYTES = 1_000_000

/**
 * Where the contract is: below the API, and where the published service has it for makers of tools.
 */
const CONTRACT_PATHS = ['/v1/openapi.json', '/swagger.json']

/**
 * Serves the store below `/v1`. Rejects when a row fits neither the contract nor the graph. Other
 * facades below `/v1` come after it.
 */
export async function serveStoreApi(
  app: FastifyInstance,
  client: GatewayClient,
  { publicUrl, rateLimit }: { readonly publicUrl: string; readonly rateLimit: RequestCounter },
): Promise<void> {
  const contract = publishedContract()
  const operations = operationsOf(contract)
  const baseUrl = withoutTrailingSlashes(publicUrl)
  await client.prepare(StoreAccessDocument)
  await serveFacade(app, client, {
    endpoints: await contractEndpoints(client, storeRoutes, operations, MOUNT),
    texts: [],
    mounts: [MOUNT],
    documentedPaths: [...operations.values()].flatMap(({ path, otherPaths, method }) =>
      [path, ...otherPaths].map((each) => ({ path: `${MOUNT}${each}`, method })),
    ),
    // As released: the server's own 400.
    answersUndecodablePaths: false,
    headers: { 'Access-Control-Expose-Headers': ['Allow', 'Retry-After', 'X-Request-Id', ...RATE_LIMIT_HEADERS].join(', ') },
    // Bytes: invalid UTF-8 is a fault of the body, and would be replaced in a string.
    requestBody: { parseAs: 'buffer', maxBytes: MAX_BODY_BYTES },
    callerOf: storeCallerOf,
    authenticate: createAuthenticate(createIdentityLookup(client, StoreAccessDocument, Date.now), rateLimit),
    caching: null,
    failureBody(failure, { operationId }) {
      const operation = operationId === null ? undefined : operations.get(operationId)
      return failureBody(operation?.failures.get(failure.status), failure)
    },
    docsHint: pathsListedAt(`${baseUrl}${CONTRACT_PATHS[0]}`),
    messages: {
      uriTooLong: (max) => `Expected path and query to have at most ${max} characters.`,
      unexpectedError: (requestId) => `Something went wrong on our side; it is recorded as ${requestId}.`,
    },
  })
  serveContract(app, { ...contract, servers: [{ url: `${baseUrl}${MOUNT}`, description: 'This copy of the service.' }] })
}

function serveContract(app: FastifyInstance, contract: object): void {
  const text = JSON.stringify(contract)
  for (const path of CONTRACT_PATHS) {
    app.get(path, async (_, reply) =>
      reply.type(JSON_TYPE).headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }).send(text),
    )
  }
}
