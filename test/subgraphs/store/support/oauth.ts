import { builtInSupergraph } from '../../../../composition/built-in-supergraph.ts'
import { createExternalClient } from '../../../../gateway/client.ts'
import { startGateway } from '../../../../gateway/gateway.ts'
import { createLocalLink } from '../../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../../gateway/transports/http.ts'
import { serveSubgraphRoutes } from '../../../../gateway/transports/subgraph-routes.ts'
import { serveMcpServers } from '../../../../mcp/servers.ts'
import { freePort } from '../../../../platform/http/listen.ts'
import { createHttpServer } from '../../../../platform/http/server.ts'
import { localRateLimitStore } from '../../../../platform/rate-limit/rate-limit-store.ts'
import { serveSocialApi } from '../../../../rest-facade/social/serve.ts'
import { memoryRateLimit } from '../../../../rest-facade/store/caller/rate-limit.ts'
import { serveStoreApi } from '../../../../rest-facade/store/serve.ts'
import { directorySubgraph } from '../../../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../../../subgraphs/social/subgraph.ts'
import { type Apps, withApps } from '../../../../subgraphs/store/operator/apps.ts'
import { trustSubgraph } from '../../../../subgraphs/trust/subgraph.ts'
import { startSite } from '../../../../web/serve.ts'
import { recordingLog } from '../../../gateway/support/graph.ts'
import { fixedSources } from '../../trust/support/trust.ts'
import { startStore } from './store.ts'

/**
 * The store with everything that apps and shop owners meet: the protocol, its pages, REST, GraphQL
 * and tools, at an address of its own.
 */
export async function startOauth() {
  // Clients must know the address before the server listens.
  const port = await freePort('127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  const log = recordingLog()
  const store = await startStore(() => new Date(), { publicUrl: url, log: log.log })
  const { connection } = store.database
  const directory = await directorySubgraph({ connection, publicUrl: url, log: log.log })
  const social = await socialSubgraph({ connection, log: log.log })
  const trust = await trustSubgraph({ connection, log: log.log, sources: fixedSources(() => new Date()) })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: [directory, social, store.subgraph, trust].map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log: log.log,
  })
  const site = await startSite(gateway.client, { publicUrl: url, hasExplorer: false, hasSchema: false })
  const app = createHttpServer({ log: log.log, notFoundPage: site.lost })
  await serveGraphql(app, gateway)
  await serveSocialApi(app, gateway.client, { publicUrl: url })
  await serveStoreApi(app, gateway.client, { publicUrl: url, rateLimit: memoryRateLimit(Date.now) })
  await serveMcpServers(app, gateway.client, createExternalClient(gateway), {
    publicUrl: url,
    hosts: [],
    isOnLoopback: true,
    introspection: true,
    rateLimits: localRateLimitStore(),
  })
  if (store.subgraph.httpRoutes) await serveSubgraphRoutes(app, store.subgraph.httpRoutes)
  await site.serve(app)
  await app.listen({ port, host: '127.0.0.1' })

  return {
    ...store,
    url,
    log,
    /** Registers an app that every store can use. */
    anApp: (wanted: Partial<Parameters<Apps['create']>[0]> = {}) =>
      withApps(connection, (apps) =>
        apps.create({
          name: 'Stock Keeper',
          redirectUris: ['https://app.example/callback'],
          scopes: ['read_products', 'write_products', 'read_orders'],
          isPublic: false,
          ...wanted,
        }),
      ),
    close: async () => {
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await trust.close()
      await store.close()
    },
  }
}

export type OauthStack = Awaited<ReturnType<typeof startOauth>>
