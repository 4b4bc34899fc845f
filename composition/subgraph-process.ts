import type { Logger } from 'pino'
import { GetJsonWebKeysDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../gateway/client.ts'
import { startGateway } from '../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../gateway/limits/limits.ts'
import { subscriptionLimitsOf, subscriptionSlots } from '../gateway/limits/subscription-slots.ts'
import { PROTOCOL } from '../gateway/multiplexed-link/handshake.ts'
import { createMetrics } from '../gateway/observability/metrics.ts'
import { scrapingConfig, serveMetrics } from '../gateway/observability/metrics-endpoint.ts'
import { startMetricsExport } from '../gateway/observability/telemetry-config.ts'
import { createSignatureVerifier } from '../gateway/signed-link/signature.ts'
import { serveSubgraph } from '../gateway/signed-link/subgraph-endpoint.ts'
import { linkSecretsOf } from '../gateway/signed-link/variables.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'
import { migrate } from '../platform/database/migrate.ts'
import { databaseServer } from '../platform/database/server.ts'
import { freePort, listen, listenOptionsFromConfig, localUrl } from '../platform/http/listen.ts'
import { createHttpServer } from '../platform/http/server.ts'
import type { Defer } from '../platform/process/lifecycle.ts'
import { rateLimitStoreOf } from '../platform/rate-limit/rate-limit-store.ts'
import { sessionCheck } from '../rest-facade/social/session/check.ts'
import { storeRateLimitOf } from '../rest-facade/store/caller/redis-rate-limit.ts'
import { resources } from '../rest-facade/store/resources.ts'
import type { StoreSubgraph } from '../subgraphs/store/subgraph.ts'
import { keysFrom, type SessionCheck } from '../subgraphs/toolkit/user-token.ts'
import { builtInSupergraph } from './built-in-supergraph.ts'
import { createRemoteSubgraphs } from './remote-subgraphs.ts'
import { assertKnownKeys, encryptInBackground, requiredCipher, secretsOfRole, warnOfPlainSecrets } from './stored-secrets.ts'
import { type AtriumConfig, SUBGRAPH_FACTORIES, type SubgraphName } from './subgraph-factories.ts'
import { keysOf, usersOfProcess } from './users-of-process.ts'

/**
 * Runs one subgraph as a process, for gateways with the same LINK_SECRET. The store's process is
 * also a client of the other subgraphs: it reads webhook bodies through the graph, and user keys
 * and sessions from social. Those of the directory and of trust read only the latter.
 */
export async function runSubgraph(
  name: SubgraphName,
  config: AtriumConfig,
  { log, defer, end }: { readonly log: Logger; readonly defer: Defer; readonly end: (fault?: Error) => void },
): Promise<void> {
  const secrets = requiredCipher(config)
  const judge = createSignatureVerifier(linkSecretsOf(config), Date.now)
  const port = config.PORT || (await freePort(config.HOST))
  const publicUrl = config.PUBLIC_URL ?? localUrl(config.HOST, port)
  const database = await databaseServer({ databaseUrl: config.DATABASE_URL, dataDir: config.DATA_DIR, log })
  defer(database.stop)
  const { connection } = database
  const migrations = await migrate(connection)
  if (migrations.applied.length > 0) log.info({ applied: migrations.applied }, 'database migrated')
  const stored = secretsOfRole(name)
  if (stored.length > 0) {
    await assertKnownKeys(connection, secrets)
    warnOfPlainSecrets(secrets, log)
  }

  let client: GatewayClient | null = null
  let check: SessionCheck | null = null
  const isSessionOpen: SessionCheck = async (token) => {
    if (!check) throw new Error('Expected the graph to have started before sessions are checked.')
    return check(token)
  }
  const users =
    name === 'store'
      ? { userKeys: keysFrom(() => keysOf(client)), isSessionOpen }
      : await usersOfProcess(config, { publicUrl, log, defer })
  const rateLimits = await rateLimitStoreOf(config, log)
  defer(rateLimits.close)
  // Gateways store REST bans in Redis; without Redis this process sees none.
  const rateLimit = name === 'store' ? await storeRateLimitOf(config, log) : null
  defer(async () => rateLimit?.close())
  const banEndsIn = rateLimit?.banEndsIn ?? (() => 0)
  const deps = { config, connection, publicUrl, ...users, rateLimits, banEndsIn, secrets, log, defer }
  const subgraph = await SUBGRAPH_FACTORIES[name](deps)
  if (name === 'store') {
    // The factory named `store` returns a `StoreSubgraph`.
    client = await connectStoreClient(subgraph as StoreSubgraph, config, { log, defer })
    check = await sessionCheck(client)
  }

  const metrics = config.METRICS ? createMetrics({ ofProcess: true }) : null
  const checks = [{ name, check: subgraph.ready }]
  const app = createHttpServer({ log, metrics, checks, loadLimit: config.LOAD_LIMIT, upgradeProtocol: PROTOCOL })
  const slots = subscriptionSlots(subscriptionLimitsOf(config), metrics?.subscriptionRefused)
  await serveSubgraph(app, subgraph, { judge, log, metrics, slots })
  if (metrics) {
    const open = {
      sockets: () => 0,
      listeners: subgraph.listeners ?? (() => 0),
      jobs: subgraph.jobs,
      feeds: subgraph.feeds,
      gateway: null,
    }
    await serveMetrics(app, metrics, open, { ...scrapingConfig(config), rateLimits, log, defer })
  }
  await startMetricsExport(config, metrics, { log, defer })
  await listen(app, listenOptionsFromConfig(config, port), defer)
  subgraph.start?.()
  defer(encryptInBackground(connection, stored, { cipher: secrets, isAlone: false, log }))
  void database.gone.then(() => end(new Error('The embedded PostgreSQL ended unexpectedly; the next start recovers its data.')))
  console.error(`The ${name} subgraph is ready: ${localUrl(config.HOST, port)}`)
}

/**
 * Graph client of the store process: the store locally, the other subgraphs remote. It renders
 * webhook bodies.
 */
async function connectStoreClient(
  store: StoreSubgraph,
  config: AtriumConfig,
  { log, defer }: { readonly log: Logger; readonly defer: Defer },
): Promise<GatewayClient> {
  const { links } = createRemoteSubgraphs(config, { log, defer })
  const gateway = await startGateway({
    ...builtInSupergraph(),
    links: [createLocalLink(store), ...links.filter((link) => link.name !== 'store')],
    limits: DEFAULT_LIMITS,
    log,
  })
  defer(gateway.close)
  await gateway.client.prepare(GetJsonWebKeysDocument)
  defer(await store.deliverMail())
  defer(await store.deliverWebhooks(await resources(gateway.client)))
  return gateway.client
}
