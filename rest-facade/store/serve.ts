import type { FastifyInstance } from 'fastify'
import { StoreAccessDocument } from '#generated/rest-facade/store.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import type { RateLimit } from './caller/rate-limit.ts'
import { operationsOf } from './contract.ts'
import { openDoor } from './door.ts'
import { publishedContract } from './published.ts'
import { storeRoutes } from './routes.ts'

/** Where the contract is: below the API, and where the published service has it for makers of tools. */
const CONTRACT_PATHS = ['/v1/openapi.json', '/swagger.json']

/** Serves the store below `/v1`. Rejects when a row fits neither the contract nor the graph. Other facades below `/v1` come after it. */
export async function serveStoreApi(
  app: FastifyInstance,
  client: GatewayClient,
  { publicUrl, rateLimit }: { readonly publicUrl: string; readonly rateLimit: RateLimit },
): Promise<void> {
  const contract = publishedContract()
  const base = publicUrl.replace(/\/+$/, '')
  const text = JSON.stringify({ ...contract, servers: [{ url: `${base}/v1`, description: 'This copy of the service.' }] })
  await openDoor(app, client, {
    mount: '/v1',
    operations: operationsOf(contract),
    routes: storeRoutes,
    access: StoreAccessDocument,
    rateLimit,
    guide: `The paths are listed at ${base}/v1/openapi.json.`,
  })
  for (const path of CONTRACT_PATHS) {
    app.get(path, async (_, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' })
        .send(text),
    )
  }
}
