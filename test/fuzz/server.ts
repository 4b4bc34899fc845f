/**
 * The whole of Atrium as a process of its own, so that its death would be seen, over the database
 * of DATABASE_URL: everything is real, but nobody asks too often. Limits per address go by
 * X-Forwarded-For, so that each request can have its own. Prints where it answers and whose
 * credentials are good, then its log.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { createExternalClient } from '../../gateway/client.ts'
import { startGateway } from '../../gateway/gateway.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../gateway/transports/http.ts'
import { serveMcpServers } from '../../mcp/servers.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { localRateLimitStore } from '../../platform/rate-limit/rate-limit-store.ts'
import { PLAIN_SECRETS } from '../../platform/secrets/cipher.ts'
import { serveDirectoryApi } from '../../rest-facade/directory/serve.ts'
import { serveSocialApi } from '../../rest-facade/social/serve.ts'
import { serveStoreApi } from '../../rest-facade/store/serve.ts'
import { serveTrustApi } from '../../rest-facade/trust/serve.ts'
import { seedDirectory } from '../../subgraphs/directory/import/seed.ts'
import { directorySubgraph } from '../../subgraphs/directory/subgraph.ts'
import { socialSubgraph } from '../../subgraphs/social/subgraph.ts'
import { storeFiles } from '../../subgraphs/store/file/files.ts'
import { localStorage } from '../../subgraphs/store/file/local-storage.ts'
import { fileSources } from '../../subgraphs/store/file/source.ts'
import { paidByOperator, setUpStore } from '../../subgraphs/store/store/set-up.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import type { Tables as StoreTables } from '../../subgraphs/store/tables.ts'
import { publishedKeys } from '../../subgraphs/toolkit/user-token.ts'
import { newSecret } from '../../subgraphs/trust/key/secret.ts'
import { createTrustParts } from '../../subgraphs/trust/parts.ts'
import { trustSubgraph } from '../../subgraphs/trust/subgraph.ts'
import { unusedPort } from '../support/program.ts'

/** Whose credentials are good, and where. */
export type Served = {
  readonly url: string
  readonly stores: readonly { readonly login: string; readonly authtoken: string }[]
  readonly key: string
}

// It ends with who started it, however that ends.
process.stdin.once('close', () => process.exit()).resume()
const connection = { connectionString: process.env.DATABASE_URL ?? '' }
await migrate(connection)
const log = pino({ level: 'warn' })
await seedDirectory(connection, { log, signal: new AbortController().signal })
const port = await unusedPort()
const url = `http://127.0.0.1:${port}`

// Collectors of the real thing, in a network in which nothing answers.
const sources = {
  config: {
    TRUST_DNS_SERVERS: [{ address: '127.0.0.1', port: 9 }],
    TRUST_LISTS: [],
    TRUST_OWN_FEEDS: undefined,
    TRUST_DNSBL_ZONES: undefined,
    TRUST_NETWORK_FILES: undefined,
    TRUST_CT_URL: undefined,
    TRUST_WHOIS: true,
    TRUST_REDIRECTS: 'off' as const,
  },
}
const storage = await localStorage({ folder: mkdtempSync(join(tmpdir(), 'atrium-fuzz-')), publicUrl: url })
const files = storeFiles(storage, fileSources({ resolvers: [] }))
const directory = await directorySubgraph({ connection, publicUrl: url, log })
const social = await socialSubgraph({ connection, log })
const store = await storeSubgraph({ connection, publicUrl: url, userKeys: publishedKeys(url), files, log })
const trust = await trustSubgraph({ connection, log, sources })
const gateway = await startGateway({
  ...builtInSupergraph(),
  links: [directory, social, store, trust].map(createLocalLink),
  // Deep and dear enough for what is random, which asks for lists without a length.
  limits: { depth: 15, cost: 200_000 },
  log,
  responseCacheBytes: 5_000_000,
})
const app = createHttpServer({ log, isProxy: () => true })
await serveGraphql(app, gateway, { batchLimit: 10 })
await serveDirectoryApi(app, gateway.client, { publicUrl: url })
await serveSocialApi(app, gateway.client, { publicUrl: url })
await serveStoreApi(app, gateway.client, {
  publicUrl: url,
  rateLimit: {
    count: () => ({ second: 1, minute: 1, secondEndsIn: 1, minuteEndsIn: 1, banEndsIn: 0 }),
    banEndsIn: () => 0,
    uses: async () => [],
    close: async () => {},
  },
})
await serveTrustApi(app, gateway.client, { publicUrl: url })
await serveMcpServers(app, gateway.client, createExternalClient(gateway), {
  publicUrl: url,
  hosts: [],
  isOnLoopback: true,
  introspection: true,
  rateLimits: localRateLimitStore(),
})
await app.listen({ port, host: '127.0.0.1' })

const shops = openDatabase<StoreTables>(connection, { schema: 'store', max: 1, onError: () => {} })
const aStore = async (name: string) => {
  const at = new Date()
  const wanted = { name, country: 'PT', theme: null, paidSince: paidByOperator(at), createdBy: null, at }
  const { login, authtoken } = await shops.query
    .transaction()
    .execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
  return { login, authtoken }
}
const secret = newSecret()
await createTrustParts({ connection, log, sources }).parts.keys.create({
  name: 'fuzz',
  plan: 'unlimited',
  secret,
  at: new Date(),
})
const served: Served = { url, stores: [await aStore('First'), await aStore('Second')], key: secret.text }
await shops.close()
console.log(JSON.stringify(served))
