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

  const budget = await parts.budgetOf(config, log)
  defer(async () => budget?.close())
  const gateway = await parts.startGateway({
    supergraphSdl: readFileSync(join(import.meta.dirname, 'schema/supergraph.graphql'), 'utf8'),
    links: [directory, social].map(parts.localLink),
    limits: parts.limitsOf(config),
    budget,
    log,
    introspection: config.INTROSPECTION,
    persisted: parts.persistedBy(config),
  })
  defer(gateway.close)

  const app = parts.createHttpServer({ log, checks: [directory, social].map(({ name, ready }) => ({ name, check: ready })) })
  const explorer = config.EXPLORER && { page: await parts.serveExplorer(app, { examples: parts.graphExamples() }) }
  await parts.serveGraphql(app, gateway, { ...explorer, batchLimit: config.BATCH_LIMIT })
  parts.serveWebSockets(app, gateway)
  await parts.serveDirectoryApi(app, gateway.client, { publicUrl })
  await parts.serveSocialApi(app, gateway.client, { publicUrl })
  // Until there is a home page, the explorer is the place to begin.
  app.get('/', async (_, reply) => reply.redirect(explorer ? '/graphql' : '/llms.txt'))
  await listen(app, { host: config.HOST, port, graceSeconds: config.SHUTDOWN_GRACE_SECONDS }, defer)

  void database.gone.then(() => end(new Error('The embedded PostgreSQL ended unexpectedly; the next start recovers its data.')))
  console.error(welcome(publicUrl, config.EXPLORER))
})

/** Loaded while the database starts: these are the parts that bring Apollo and Fastify with them. */
async function loadParts() {
  return {
    ...(await import('./subgraphs/directory/import/seed.ts')),
    ...(await import('./subgraphs/directory/subgraph.ts')),
    ...(await import('./subgraphs/social/subgraph.ts')),
    ...(await import('./gateway/local-link.ts')),
    ...(await import('./gateway/limits/limits.ts')),
    ...(await import('./gateway/limits/redis-budget.ts')),
    ...(await import('./gateway/gateway.ts')),
    ...(await import('./gateway/manifest.ts')),
    ...(await import('./gateway/server.ts')),
    ...(await import('./gateway/http.ts')),
    ...(await import('./gateway/websocket.ts')),
    ...(await import('./rest-facade/directory/serve.ts')),
    ...(await import('./rest-facade/social/serve.ts')),
    ...(await import('./web/explorer/serve.ts')),
  }
}

function welcome(url: string, hasExplorer: boolean): string {
  return `
Atrium is ready.

  GraphQL     ${url}/graphql
  Explorer    ${hasExplorer ? `${url}/graphql in a browser` : 'switched off'}
  REST        ${url}/api/search?q=postgres
  REST docs   ${url}/llms.txt to read, ${url}/api/openapi.json for programs
  Health      ${url}/health, ${url}/ready

Import more:  npx atrium import PATH…      Stop: Ctrl-C
`
}
