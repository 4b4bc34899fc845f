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
import { type Gateway, startGateway } from './gateway.ts'
import { serveGraphql } from './http.ts'
import { type HttpLink, httpLink } from './http-link.ts'
import type { Limits } from './limits/limits.ts'
import { freePort, listen, localUrl } from './listen.ts'
import { createMetrics } from './metrics.ts'
import { serveMetrics } from './metrics-door.ts'
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

  const links = linksOf(file, supergraphSdl)
  defer(() => Promise.all(links.map((link) => link.close())))
  const metrics = config.METRICS ? createMetrics({ ofProcess: true }) : null
  const gateway = await gatewayOf(file, supergraphSdl, links, { depth: config.DEPTH_LIMIT, cost: config.COST_LIMIT })
  defer(gateway.close)

  const app = createHttpServer({ log })
  await serveGraphql(app, gateway, { page: await serveExplorer(app) })
  const sockets = serveWebSockets(app, gateway)
  if (metrics) {
    const open = { sockets: sockets.count, gateway, listeners: () => 0 }
    await serveMetrics(app, metrics, open, { host: config.HOST, port: config.METRICS_PORT, log, defer })
  }
  const port = config.PORT || (await freePort(config.HOST))
  await listen(app, { host: config.HOST, port, graceSeconds: config.SHUTDOWN_GRACE_SECONDS }, defer)
  console.error(`The gateway is ready: ${localUrl(config.HOST, port)}/graphql`)

  function gatewayOf(name: string, sdl: string, to: readonly HttpLink[], limits: Limits): Promise<Gateway> {
    return startGateway({
      supergraphSdl: sdl,
      links: to,
      limits,
      log,
      metrics,
      responseCacheBytes: config.RESPONSE_CACHE_BYTES,
    }).catch((error: unknown) => {
      throw broken(name, error)
    })
  }
})

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Refusal(`SUPERGRAPH_FILE ${file} cannot be read: ${firstLine(error)}.`)
  }
}

function linksOf(file: string, sdl: string): readonly HttpLink[] {
  let locations: ReturnType<typeof locationsIn>
  try {
    locations = locationsIn(sdl)
  } catch (error) {
    throw broken(file, error)
  }
  if (locations.length === 0) throw broken(file, new Error('it has no enum join__Graph with subgraphs'))
  return locations.map(({ name, url }) => {
    if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return httpLink({ name, url })
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
