import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { createExternalClient } from '../../gateway/client.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../gateway/transports/http.ts'
import { serveMcpServers } from '../../mcp/servers.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { serveDirectoryApi } from '../../rest-facade/directory/serve.ts'
import { serveStoreApi } from '../../rest-facade/store/serve.ts'
import { serveTrustApi } from '../../rest-facade/trust/serve.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import type { Tables as StoreTables } from '../../subgraphs/store/tables.ts'
import { askRaw, type Reply } from '../rest-facade/ask.ts'
import { insertSample } from '../rest-facade/stack.ts'
import { UNLIMITED } from '../rest-facade/store/stack.ts'
import { setterUp } from '../subgraphs/store/support/store.ts'
import { startTrust, type TestKey } from '../subgraphs/trust/support/trust.ts'
import { temporaryFiles } from '../support/files.ts'

export const PUBLIC_URL = 'https://atrium.example'

export type McpStack = Awaited<ReturnType<typeof startMcpStack>>

/**
 * The MCP servers beside REST, over the real graph: a directory with the sample, and trust with
 * fixed evidence in place of collectors.
 */
export async function startMcpStack({ introspection = true, hosts = [] as readonly string[], isOnLoopback = true } = {}) {
  // A clock that stands: the same question by two ways then has the same answer to the second.
  const now = new Date()
  const trust = await startTrust(() => now)
  const { connection } = trust.database
  await insertSample(trust.database)
  const log = pino({ level: process.env.TEST_LOG ?? 'fatal' })
  const directory = await directorySubgraph({ connection, publicUrl: PUBLIC_URL, log })
  const social = await socialSubgraph({ connection, log })
  const { query, ...stores } = openDatabase<StoreTables>(connection, { schema: 'store', max: 1, onError: () => {} })
  const store = await storeSubgraph({ connection, publicUrl: PUBLIC_URL, files: await temporaryFiles(PUBLIC_URL), log })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: [directory, social, store, trust.subgraph].map(createLocalLink),
    limits: { depth: 10, cost: 1000 },
    log,
    introspection,
  })
  const app = createHttpServer({ log })
  await serveGraphql(app, gateway)
  await serveDirectoryApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await serveStoreApi(app, gateway.client, { publicUrl: PUBLIC_URL, rateLimit: UNLIMITED })
  await serveTrustApi(app, gateway.client, { publicUrl: PUBLIC_URL })
  await serveMcpServers(app, gateway.client, createExternalClient(gateway), {
    publicUrl: `${PUBLIC_URL}/`,
    hosts,
    isOnLoopback,
    introspection,
    rateLimits: localRateLimitStore(),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  return {
    ...trust,
    url,
    aStore: setterUp(query),
    /** Asks REST, with a body or without. */
    send: (path: string, key: TestKey, body?: unknown): Promise<Reply> =>
      askRaw(url, path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key.secret, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    /**
     * Sends a message, or the text that is given, as a client of 2025 does unless `headers` say
     * otherwise.
     */
    post: (server: string, message: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
      askRaw(url, `/mcp/${server}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      }),
    close: async () => {
      await app.close()
      await gateway.close()
      await directory.close()
      await social.close()
      await store.close()
      await stores.close()
      await trust.close()
    },
  }
}
