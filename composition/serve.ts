/**
 * Runs the whole system in one process, or the part named by ATRIUM_ROLE. Logs are JSON lines on
 * standard output; messages for people go to standard error.
 */
import type { FastifyInstance } from 'fastify'
import type pino from 'pino'
import { variables } from '../config.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Metrics } from '../gateway/observability/metrics.ts'
import { queryTraceReadersOf } from '../gateway/observability/query-trace.ts'
import { createExportedLog, startMetricsExport } from '../gateway/observability/telemetry-config.ts'
import { configuredTracing } from '../gateway/observability/tracing-config.ts'
import type { WebSockets } from '../gateway/transports/websocket.ts'
import { describeConfig, readConfig } from '../platform/config/config.ts'
import type { Connection } from '../platform/database/database.ts'
import { migrate } from '../platform/database/migrate.ts'
import { type DatabaseServer, databaseServer } from '../platform/database/server.ts'
import { freePort, isLoopbackHost, listen, listenOptionsFromConfig, localUrl } from '../platform/http/listen.ts'
import { type Defer, runProgram } from '../platform/process/lifecycle.ts'
import type { RateLimitStore } from '../platform/rate-limit/rate-limit-store.ts'
import type { SecretCipher } from '../platform/secrets/cipher.ts'
import type { SiteOptions } from '../web/serve.ts'
import type { ConnectedSubgraphs } from './local-subgraphs.ts'
import { refuseInProduction, startReferenceEngine } from './reference-engine.ts'
import { assertKnownKeys, encryptInBackground, requiredCipher, secretsOfRole, warnOfPlainSecrets } from './stored-secrets.ts'
import type { AtriumConfig } from './subgraph-factories.ts'

await runProgram(async (defer, end) => {
  if (process.argv.includes('--help')) {
    console.log(
      `Runs everything in one process, or what ATRIUM_ROLE names, until Ctrl-C or SIGTERM.\n\nEnvironment:\n${describeConfig(variables)}`,
    )
    return end()
  }
  const config = readConfig(variables, process.env)
  if (config.ENGINE === 'apollo') {
    refuseInProduction(process.env.NODE_ENV)
    // Set before Apollo Gateway is imported: otherwise its usage telemetry is sent to its vendor.
    process.env.APOLLO_TELEMETRY_DISABLED = 'true'
  }
  const log = await createExportedLog(config, defer)
  if (config.ATRIUM_ROLE !== 'all' && config.ATRIUM_ROLE !== 'gateway') {
    const { runSubgraph } = await import('./subgraph-process.ts')
    return runSubgraph(config.ATRIUM_ROLE, config, { log, defer, end })
  }
  const secrets = requiredCipher(config)
  const port = config.PORT || (await freePort(config.HOST))
  const publicUrl = config.PUBLIC_URL ?? localUrl(config.HOST, port)

  // Starts the database, a process of its own, while Apollo and Fastify are imported: both take
  // about as long.
  const starting = config.ATRIUM_ROLE === 'all' ? startDatabase(config, secrets, { log, defer }) : null
  // With an external server its connection is awaited first: on a busy machine the imports would
  // block the event loop for longer than the connection timeout.
  if (config.DATABASE_URL) await starting
  const loading = loadParts()
  const database = await starting
  const parts = await loading

  const rateLimits = await parts.rateLimitStoreOf(config, log)
  defer(rateLimits.close)
  const rateLimit = await parts.storeRateLimitOf(config, log)
  defer(rateLimit.close)
  const { banEndsIn } = rateLimit
  const { storage, local } = await parts.fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl })
  const userKeys = parts.publishedKeys(localUrl(config.HOST, port))
  const graph = database
    ? await parts.createLocalSubgraphs({
        config,
        connection: database.connection,
        publicUrl,
        userKeys,
        storage,
        rateLimits,
        banEndsIn,
        secrets,
        log,
        defer,
      })
    : (await import('./remote-subgraphs.ts')).createRemoteSubgraphs(config, { log, defer })

  const metrics = config.METRICS ? parts.createMetrics({ ofProcess: true }) : null
  const gateway = await startConfiguredGateway(parts, config, graph.links, {
    metrics,
    connection: database?.connection ?? null,
    log,
    defer,
  })
  await graph.connectClient(gateway.client)

  const history = metrics && config.OPERATIONS_TOKEN ? parts.createHistory(metrics) : null
  defer(async () => history?.close())
  const { checks } = graph
  const site = await parts.startSite(gateway.client, {
    ...siteOptionsOf(config, publicUrl),
    uses: rateLimit.uses,
    streams: (server) => parts.streamOperations(server, gateway),
    operations: history && { token: config.OPERATIONS_TOKEN ?? '', history, checks, circuits: gateway.circuits, rateLimits },
  })
  const app = parts.createHttpServer({
    log,
    checks,
    metrics,
    notFoundPage: site.lost,
    isProxy: config.TRUSTED_PROXIES,
    loadLimit: config.LOAD_LIMIT,
    publicUrl,
  })
  const sockets = await serveTransports(app, parts, config, { gateway, links: graph.links, log, defer })
  await serveFacades(app, parts, config, { gateway, graph, localFiles: local, publicUrl, rateLimit, rateLimits })
  await site.serve(app)
  if (metrics) {
    const open = { sockets: sockets.count, gateway, jobs: graph.jobs, feeds: graph.feeds, listeners: graph.listeners }
    await parts.serveMetrics(app, metrics, open, { ...parts.scrapingConfig(config), rateLimits, log, defer })
  }
  await startMetricsExport(config, metrics, { log, defer })
  await listen(app, listenOptionsFromConfig(config, port), defer)
  graph.start()
  if (database) {
    const isAlone = config.DATABASE_URL === undefined
    warnOfPlainSecrets(secrets, log)
    defer(encryptInBackground(database.connection, secretsOfRole(config.ATRIUM_ROLE), { cipher: secrets, isAlone, log }))
  }

  void database?.gone.then(() => end(new Error('The embedded PostgreSQL ended unexpectedly; the next start recovers its data.')))
  console.error(welcome(publicUrl, { hasExplorer: config.EXPLORER, arePlain: database !== null && secrets.keyIds.length === 0 }))
})

/** Starts or connects to the database, and migrates it. */
async function startDatabase(
  config: AtriumConfig,
  secrets: SecretCipher,
  { log, defer }: { readonly log: pino.Logger; readonly defer: Defer },
): Promise<DatabaseServer> {
  const database = await databaseServer({ databaseUrl: config.DATABASE_URL, dataDir: config.DATA_DIR, log })
  defer(database.stop)
  const { applied } = await migrate(database.connection)
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  await assertKnownKeys(database.connection, secrets)
  return database
}

type Parts = Awaited<ReturnType<typeof loadParts>>
type Context = { readonly log: pino.Logger; readonly defer: Defer }

/** Whether only people at this machine are served, and nothing says that this is production. */
function isDevelopment({
  PUBLIC_URL,
  HOST,
  TRUSTED_PROXIES,
}: Pick<AtriumConfig, 'PUBLIC_URL' | 'HOST' | 'TRUSTED_PROXIES'>): boolean {
  // A proxy on this machine serves others.
  const isLocal = isLoopbackHost(HOST) && TRUSTED_PROXIES === undefined
  return process.env.NODE_ENV !== 'production' && PUBLIC_URL === undefined && isLocal
}

/** Starts the gateway with the configured limits, caches and metrics. */
async function startConfiguredGateway(
  parts: Parts,
  config: AtriumConfig,
  links: ConnectedSubgraphs['links'],
  { metrics, connection, log, defer }: Context & { readonly metrics: Metrics | null; readonly connection: Connection | null },
): Promise<Gateway> {
  const tracing = await configuredTracing(config)
  if (tracing) defer(tracing.close)
  const budget = await parts.budgetFromConfig(config, log)
  defer(async () => budget?.close())
  const slots = parts.subscriptionSlots(parts.subscriptionLimitsOf(config), metrics?.subscriptionRefused)
  const documents = await parts.sharedDocumentsFromConfig(config, log)
  defer(async () => documents?.close())
  const usage = parts.usageRecorderFromConfig(config, connection, log)
  defer(async () => usage?.close())
  const gateway = await parts.startGateway({
    ...parts.builtInSupergraph(),
    links,
    limits: parts.limitsFromConfig(config),
    budget,
    slots,
    log,
    metrics,
    tracing,
    slowMilliseconds: config.SLOW_OPERATION_MILLISECONDS,
    responseCacheBytes: config.RESPONSE_CACHE_BYTES,
    introspection: config.INTROSPECTION,
    queryTraces: queryTraceReadersOf(config, isDevelopment(config)),
    trustedDocuments: parts.trustedDocumentsFromConfig(config),
    sharedDocuments: documents,
    usage,
  })
  defer(gateway.close)
  return gateway
}

/** Serves GraphQL over HTTP and WebSocket with the engine of the configuration. */
async function serveTransports(
  app: FastifyInstance,
  parts: Parts,
  config: AtriumConfig,
  { gateway, links, log, defer }: Context & { readonly gateway: Gateway; readonly links: ConnectedSubgraphs['links'] },
): Promise<WebSockets> {
  const explorer = config.EXPLORER && {
    page: await parts.serveExplorer(app, {
      examples: parts.graphExamples(),
      keys: parts.graphKeys,
      signIn: parts.graphSignIn(),
      home: './',
      traces: gateway.queryTraces,
    }),
  }
  const limits = parts.limitsFromConfig(config)
  const { INTROSPECTION: introspection, BATCH_LIMIT } = config
  const reference = { links, limits, introspection, takesBatches: BATCH_LIMIT > 0, log }
  const apollo =
    config.ENGINE === 'apollo'
      ? await startReferenceEngine({ supergraphSdl: parts.builtInSupergraph().supergraphSdl, ...reference })
      : null
  defer(async () => apollo?.close())
  if (apollo) apollo.serve(app)
  else await parts.serveGraphql(app, gateway, { ...explorer, batchLimit: config.BATCH_LIMIT })
  return apollo ? { count: () => 0 } : parts.serveWebSockets(app, gateway, { isProxy: config.TRUSTED_PROXIES })
}

/** Serves the REST, file and MCP routes. */
async function serveFacades(
  app: FastifyInstance,
  parts: Parts,
  config: AtriumConfig,
  {
    gateway,
    graph,
    localFiles,
    publicUrl,
    rateLimit,
    rateLimits,
  }: {
    readonly gateway: Gateway
    readonly graph: Pick<ConnectedSubgraphs, 'httpRoutes'>
    readonly localFiles: Awaited<ReturnType<Parts['fileStorageOf']>>['local']
    readonly publicUrl: string
    readonly rateLimit: Awaited<ReturnType<Parts['storeRateLimitOf']>>
    readonly rateLimits: RateLimitStore
  },
): Promise<void> {
  await parts.serveDirectoryApi(app, gateway.client, { publicUrl })
  await parts.serveSocialApi(app, gateway.client, { publicUrl })
  // Registered before trust: the store API owns every path below /v1 that no other route matches.
  await parts.serveStoreApi(app, gateway.client, { publicUrl, rateLimit })
  if (graph.httpRoutes) await parts.serveSubgraphRoutes(app, graph.httpRoutes)
  await parts.serveTrustApi(app, gateway.client, { publicUrl })
  if (localFiles) parts.serveFiles(app, localFiles)
  await parts.serveMcpServers(app, gateway.client, parts.createExternalClient(gateway), {
    publicUrl,
    hosts: config.MCP_HOSTS ?? [],
    isOnLoopback: isLoopbackHost(config.HOST),
    introspection: config.INTROSPECTION,
    rateLimits,
  })
}

/** Page options of the configuration. */
function siteOptionsOf(config: AtriumConfig, publicUrl: string): SiteOptions {
  return {
    publicUrl,
    hasExplorer: config.EXPLORER,
    hasSchema: config.INTROSPECTION,
    consoleSecret: config.CONSOLE_SECRET ?? null,
    previousConsoleSecret: config.CONSOLE_SECRET_PREVIOUS ?? null,
    securityContacts: config.SECURITY_CONTACT,
    docsEditUrl: config.DOCS_EDIT_URL,
    hasDesign: isDevelopment(config),
  }
}

/** Imports the modules that load Apollo and Fastify, while the database starts. */
async function loadParts() {
  return {
    ...(await import('../platform/rate-limit/rate-limit-store.ts')),
    ...(await import('../subgraphs/toolkit/user-token.ts')),
    ...(await import('../subgraphs/store/file/configured.ts')),
    ...(await import('../subgraphs/store/file/serve.ts')),
    ...(await import('./local-subgraphs.ts')),
    ...(await import('./built-in-supergraph.ts')),
    ...(await import('./usage/configured-usage.ts')),
    ...(await import('../gateway/limits/limits.ts')),
    ...(await import('../gateway/limits/redis-budget.ts')),
    ...(await import('../gateway/limits/subscription-slots.ts')),
    ...(await import('../gateway/gateway.ts')),
    ...(await import('../gateway/observability/history.ts')),
    ...(await import('../gateway/client.ts')),
    ...(await import('../gateway/observability/metrics.ts')),
    ...(await import('../gateway/observability/metrics-endpoint.ts')),
    ...(await import('../gateway/operations/trusted-documents.ts')),
    ...(await import('../platform/http/server.ts')),
    ...(await import('../gateway/operations/redis-documents.ts')),
    ...(await import('../gateway/transports/subgraph-routes.ts')),
    ...(await import('../gateway/transports/http.ts')),
    ...(await import('../gateway/transports/event-stream.ts')),
    ...(await import('../gateway/transports/websocket.ts')),
    ...(await import('../rest-facade/directory/serve.ts')),
    ...(await import('../rest-facade/social/serve.ts')),
    ...(await import('../rest-facade/store/caller/redis-rate-limit.ts')),
    ...(await import('../rest-facade/store/serve.ts')),
    ...(await import('../rest-facade/trust/serve.ts')),
    ...(await import('../mcp/servers.ts')),
    ...(await import('../gateway/explorer/serve.ts')),
    ...(await import('../web/explorer/examples.ts')),
    ...(await import('../web/serve.ts')),
  }
}

function welcome(url: string, { hasExplorer, arePlain }: { readonly hasExplorer: boolean; readonly arePlain: boolean }): string {
  const plain = '\n  Secrets     stored unencrypted, which is for development: SECRETS_KEY is not set'
  return `
Atrium is ready.

  Pages       ${url}
  Docs        ${url}/docs
  Graph       ${url}/graphql${hasExplorer ? ', an explorer in a browser' : ''}
  REST        ${url}/api/search?q=postgres
  Demo shop   ${url}/shops/demo
  Console     ${url}/console, with what this prints: npx atrium store token reset demo
  Agents      ${url}/mcp/directory${arePlain ? plain : ''}

Something wrong?  npx atrium doctor      Stop: Ctrl-C
`
}
