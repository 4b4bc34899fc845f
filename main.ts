/**
 * The whole system in one process: what `npm start` runs. The log goes to standard output as JSON lines,
 * what a person should read goes to standard error.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { variables } from './config.ts'
import { migrate } from './database/migrate.ts'
import { databaseServer } from './database/server.ts'
import { freePort, listen, localUrl } from './gateway/listen.ts'
import { tracingOf } from './gateway/tracing-config.ts'
import { describeConfig, readConfig } from './subgraphs/runtime/config.ts'
import { runProgram } from './subgraphs/runtime/program.ts'

await runProgram(async (defer, end) => {
  if (process.argv.includes('--help')) {
    console.log(`Runs everything in one process, until Ctrl-C or SIGTERM.\n\nEnvironment:\n${describeConfig(variables)}`)
    return end()
  }
  const config = readConfig(variables, process.env)
  const port = config.PORT || (await freePort(config.HOST))
  const publicUrl = config.PUBLIC_URL ?? localUrl(config.HOST, port)
  const log = pino({ level: config.LOG_LEVEL })

  // The database needs about as long to start as Apollo needs to load, and does it in a process of its own.
  const starting = databaseServer({ databaseUrl: config.DATABASE_URL, dataDir: config.DATA_DIR, log })
  const loading = loadParts()
  const database = await starting
  defer(database.stop)
  const { connection } = database
  const parts = await loading

  const aborted = new AbortController()
  defer(async () => aborted.abort())
  const migrations = await migrate(connection)
  if (migrations.applied.length > 0) log.info({ applied: migrations.applied }, 'database migrated')
  await parts.seedDirectory(connection, { log, signal: aborted.signal })

  const directory = await parts.directorySubgraph({ connection, publicUrl, log })
  defer(directory.close)
  const social = await parts.socialSubgraph({ connection, log })
  defer(social.close)
  const { storage, local } = await parts.fileStorageOf(config, { dataDir: config.DATA_DIR, publicUrl })
  const files = parts.storeFiles(storage, parts.fileSources())
  const store = await parts.storeSubgraph({
    connection,
    publicUrl,
    userKeys: parts.publishedKeys(localUrl(config.HOST, port)),
    files,
    log,
    webhookNetwork: parts.webhookNetworkOf(config),
  })
  defer(store.close)
  const trust = parts.trustSubgraph({ connection, log, config, sources: { config } })
  defer(trust.close)
  const subgraphs = [directory, social, store, trust]

  const metrics = config.METRICS ? parts.createMetrics({ ofProcess: true }) : null
  const tracing = await tracingOf(config)
  if (tracing) defer(tracing.close)
  const budget = await parts.budgetOf(config, log)
  defer(async () => budget?.close())
  const gateway = await parts.startGateway({
    supergraphSdl: readFileSync(join(import.meta.dirname, 'schema/supergraph.graphql'), 'utf8'),
    links: subgraphs.map(parts.localLink),
    limits: parts.limitsOf(config),
    budget,
    log,
    metrics,
    tracing,
    responseCacheBytes: config.RESPONSE_CACHE_BYTES,
    introspection: config.INTROSPECTION,
    persisted: parts.persistedBy(config),
  })
  defer(gateway.close)
  defer(await store.deliverWebhooks(await parts.resources(gateway.client)))

  const history = metrics && config.OPERATIONS_TOKEN ? parts.historyOf(metrics) : null
  defer(async () => history?.close())
  const checks = subgraphs.map(({ name, ready }) => ({ name, check: ready }))
  const rateLimit = await parts.storeRateLimitOf(config, log)
  defer(rateLimit.close)
  const site = await parts.startSite(gateway.client, {
    publicUrl,
    hasExplorer: config.EXPLORER,
    hasSchema: config.INTROSPECTION,
    consoleSecret: config.CONSOLE_SECRET ?? null,
    uses: rateLimit.uses,
    operations: history && { token: config.OPERATIONS_TOKEN ?? '', history, checks, circuits: gateway.circuits },
  })
  const isProxy = config.TRUSTED_PROXIES
  const app = parts.createHttpServer({ log, checks, lost: site.lost, isProxy })
  const explorer = config.EXPLORER && {
    page: await parts.serveExplorer(app, { examples: parts.graphExamples(), signIn: parts.graphSignIn(), home: './' }),
  }
  await parts.serveGraphql(app, gateway, { ...explorer, batchLimit: config.BATCH_LIMIT })
  const sockets = parts.serveWebSockets(app, gateway, { isProxy })
  await parts.serveDirectoryApi(app, gateway.client, { publicUrl })
  await parts.serveSocialApi(app, gateway.client, { publicUrl })
  // Before trust: what nothing else has below /v1 is the store's.
  await parts.serveStoreApi(app, gateway.client, { publicUrl, rateLimit })
  if (store.door) await parts.serveDoor(app, store.door)
  await parts.serveTrustApi(app, gateway.client, { publicUrl })
  if (local) parts.serveFiles(app, local)
  await parts.serveMcpServers(app, gateway.client, parts.guestOf(gateway), {
    publicUrl,
    hosts: config.MCP_HOSTS ?? [],
    introspection: config.INTROSPECTION,
  })
  await site.serve(app)
  if (metrics) {
    const open = {
      sockets: sockets.count,
      gateway,
      jobs: store.jobs,
      listeners: () => subgraphs.reduce((sum, { listeners }) => sum + (listeners?.() ?? 0), 0),
    }
    await parts.serveMetrics(app, metrics, open, { host: config.HOST, port: config.METRICS_PORT, log, defer })
  }
  await listen(app, { host: config.HOST, port, graceSeconds: config.SHUTDOWN_GRACE_SECONDS }, defer)

  void database.gone.then(() => end(new Error('The embedded PostgreSQL ended unexpectedly; the next start recovers its data.')))
  console.error(welcome(publicUrl, config.EXPLORER))
})

/** Loaded while the database starts: these are the parts that bring Apollo and Fastify with them. */
async function loadParts() {
  return {
    ...(await import('./subgraphs/directory/import/seed.ts')),
    ...(await import('./subgraphs/directory/subgraph.ts')),
    ...(await import('./subgraphs/runtime/user-token.ts')),
    ...(await import('./subgraphs/social/subgraph.ts')),
    ...(await import('./subgraphs/store/subgraph.ts')),
    ...(await import('./subgraphs/trust/subgraph.ts')),
    ...(await import('./subgraphs/store/file/configured.ts')),
    ...(await import('./subgraphs/store/file/files.ts')),
    ...(await import('./subgraphs/store/file/serve.ts')),
    ...(await import('./subgraphs/store/file/source.ts')),
    ...(await import('./subgraphs/store/webhook-delivery/variables.ts')),
    ...(await import('./gateway/local-link.ts')),
    ...(await import('./gateway/limits/limits.ts')),
    ...(await import('./gateway/limits/redis-budget.ts')),
    ...(await import('./gateway/gateway.ts')),
    ...(await import('./gateway/history.ts')),
    ...(await import('./gateway/client.ts')),
    ...(await import('./gateway/metrics.ts')),
    ...(await import('./gateway/metrics-door.ts')),
    ...(await import('./gateway/manifest.ts')),
    ...(await import('./gateway/server.ts')),
    ...(await import('./gateway/subgraph-door.ts')),
    ...(await import('./gateway/http.ts')),
    ...(await import('./gateway/websocket.ts')),
    ...(await import('./rest-facade/directory/serve.ts')),
    ...(await import('./rest-facade/social/serve.ts')),
    ...(await import('./rest-facade/store/caller/redis-rate-limit.ts')),
    ...(await import('./rest-facade/store/resources.ts')),
    ...(await import('./rest-facade/store/serve.ts')),
    ...(await import('./rest-facade/trust/serve.ts')),
    ...(await import('./mcp/servers.ts')),
    ...(await import('./web/explorer/serve.ts')),
    ...(await import('./web/serve.ts')),
  }
}

function welcome(url: string, hasExplorer: boolean): string {
  return `
Atrium is ready.

  Pages       ${url}
  GraphQL     ${url}/graphql
  Explorer    ${hasExplorer ? `${url}/graphql in a browser` : 'switched off'}
  REST        ${url}/api/search?q=postgres
  REST docs   ${url}/llms.txt to read, ${url}/api/openapi.json for programs
  Trust       POST ${url}/v1/decide, with a key of: npx atrium trust key create
  MCP         ${url}/mcp/directory, /mcp/store, /mcp/trust and /mcp/graph for agents
  Health      ${url}/health, ${url}/ready

Import more:  npx atrium import PATH…      Stop: Ctrl-C
`
}
