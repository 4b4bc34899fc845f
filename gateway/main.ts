/**
 * A gateway by itself: serves the supergraph in SUPERGRAPH_FILE, whose subgraphs speak HTTP, at /graphql. Needs no database.
 * The log goes to standard output as JSON lines, what a person should read goes to standard error.
 */
import { readFileSync } from 'node:fs'
import pino from 'pino'
import { describeConfig, readConfig } from '../subgraphs/runtime/config.ts'
import { runProgram } from '../subgraphs/runtime/program.ts'
import { Refusal } from '../subgraphs/runtime/refusal.ts'
import { serveExplorer } from '../web/explorer/serve.ts'
import { variables } from './config.ts'
import { startGateway } from './gateway.ts'
import { serveGraphql } from './http.ts'
import { type HttpLink, httpLink } from './http-link.ts'
import { limitsOf } from './limits/limits.ts'
import { budgetOf } from './limits/redis-budget.ts'
import { freePort, listen, localUrl } from './listen.ts'
import { persistedBy } from './manifest.ts'
import { createHttpServer } from './server.ts'
import { locationsIn } from './supergraph.ts'
import { serveWebSockets } from './websocket.ts'

await runProgram(async (defer, end) => {
  if (process.argv.includes('--help')) {
    console.log(`Serves a federation 2 supergraph at /graphql.\n\n${describeConfig(variables)}`)
    return end()
  }
  const config = readConfig(variables, process.env)
  const log = pino({ level: config.LOG_LEVEL })
  const file = config.SUPERGRAPH_FILE
  if (file === undefined) throw new Refusal('Expected SUPERGRAPH_FILE to name a file with a composed supergraph.')
  const supergraphSdl = textOf(file)

  const timeoutMilliseconds = config.SUBGRAPH_TIMEOUT_MILLISECONDS
  const links = linksOf(file, supergraphSdl, (to) => httpLink({ ...to, timeoutMilliseconds, log }))
  defer(() => Promise.all(links.map((link) => link.close())))
  const budget = await budgetOf(config, log)
  defer(async () => budget?.close())
  const gateway = await startGateway({
    supergraphSdl,
    links,
    limits: limitsOf(config),
    budget,
    log,
    introspection: config.INTROSPECTION,
    persisted: persistedBy(config),
  }).catch((error: unknown) => {
    throw error instanceof Refusal ? error : broken(file, error)
  })
  defer(gateway.close)

  const app = createHttpServer({ log })
  const explorer = config.EXPLORER && { page: await serveExplorer(app) }
  await serveGraphql(app, gateway, { ...explorer, batchLimit: config.BATCH_LIMIT })
  serveWebSockets(app, gateway)
  const port = config.PORT || (await freePort(config.HOST))
  await listen(app, { host: config.HOST, port, graceSeconds: config.SHUTDOWN_GRACE_SECONDS }, defer)
  console.error(`The gateway is ready: ${localUrl(config.HOST, port)}/graphql`)
})

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Refusal(`SUPERGRAPH_FILE ${file} cannot be read: ${firstLine(error)}.`)
  }
}

function linksOf(file: string, sdl: string, linkTo: (subgraph: { name: string; url: string }) => HttpLink): readonly HttpLink[] {
  let locations: ReturnType<typeof locationsIn>
  try {
    locations = locationsIn(sdl)
  } catch (error) {
    throw broken(file, error)
  }
  if (locations.length === 0) throw broken(file, new Error('it has no enum join__Graph with subgraphs'))
  return locations.map(({ name, url }) => {
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return linkTo({ name, url })
    throw new Refusal(`SUPERGRAPH_FILE ${file} says that subgraph "${name}" is at "${url}": expected an http or https URL.`)
  })
}

function broken(file: string, error: unknown): Refusal {
  return new Refusal(`SUPERGRAPH_FILE ${file} is not a federation 2 supergraph: ${firstLine(error)}.`)
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return line.replace(/\.$/, '')
}
