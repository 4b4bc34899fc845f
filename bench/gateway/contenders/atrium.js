import pino from 'pino'
import { startGateway } from '../../../gateway/gateway.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../../../gateway/subgraph-client/remote-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { subgraphSchemas } from '../schemas.ts'

/** Atrium's gateway with all of its limits on; only the cost that is allowed is higher, for the large answer is. */
export async function start({ supergraphSdl, urls, depth = 10 }) {
  const log = pino({ level: 'warn' })
  const links = urls
    ? Object.entries(urls).map(([name, url]) => createRemoteLink({ name, url }))
    : Object.entries(subgraphSchemas()).map(([name, schema]) =>
        createLocalLink({ name, schema, context: (caller) => ({ caller }), ready: async () => {}, close: async () => {} }),
      )
  const gateway = await startGateway({ supergraphSdl, links, limits: { depth, cost: 1_000_000 }, log })
  const app = createHttpServer({ log, checks: [], loadLimit: 1_000 })
  await serveGraphql(app, gateway)
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server.address().port
}
