import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startApolloEngine } from '../../../composition/apollo-engine.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { freshDatabase } from '../../support/database.ts'
import { startMain } from '../../support/program.ts'
import { localGraph, recordingLog, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'
import type { SavedValues } from './contract-case.ts'

const ROOT = join(import.meta.dirname, '../../..')
const BATCH_LIMIT = 3

/** The engines that the contract is read to. */
export const ENGINES = ['atrium', 'apollo'] as const
export type EngineName = (typeof ENGINES)[number]

/** One engine at its URL of `/graphql`. */
export type Engine = {
  readonly url: string
  /** Credentials that the operator gave out. */
  readonly saved: SavedValues
  readonly close: () => Promise<unknown>
}

/** The small graph of shop and reviews on one engine, in this process. */
export async function startSmallGraph(name: EngineName): Promise<Engine> {
  const { log } = recordingLog()
  const app = createHttpServer({ log })
  const close = async () => {
    await app.close()
    await apollo?.close()
  }
  const links = [shopSubgraph(), reviewSubgraph()].map(createLocalLink)
  const options = { supergraphSdl: supergraphSdl(), links, limits: DEFAULT_LIMITS, introspection: true, takesBatches: true, log }
  const apollo = name === 'apollo' ? await startApolloEngine(options) : null
  if (apollo) apollo.serve(app)
  else await serveGraphql(app, (await localGraph()).gateway, { batchLimit: BATCH_LIMIT })
  return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/graphql`, saved: {}, close }
}

/** The whole system on one engine, as `npm start` runs it, with a database of its own. */
export async function startSystem(name: EngineName): Promise<Engine> {
  const database = await freshDatabase({ hasStore: true })
  const { connectionString: DATABASE_URL } = database.connection as { connectionString: string }
  const env = { ...process.env, DATABASE_URL, LOG_LEVEL: 'silent', ENGINE: name }
  const main = await startMain(env)
  const close = async () => {
    await main.kill()
    await database.drop()
  }
  const given = async (...command: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['cli/atrium.ts', ...command, '--json'], { cwd: ROOT, env })
    return JSON.parse(stdout) as Record<string, string>
  }
  try {
    const [store, trust] = await Promise.all([
      given('store', 'create', '--name', 'Lamps and more', '--empty'),
      given('trust', 'key', 'create', '--plan', 'free'),
    ])
    const { login = '', authtoken = '' } = store
    return { url: `${main.base}/graphql`, saved: { login, authtoken, key: trust.key ?? '' }, close }
  } catch (error) {
    await close()
    throw error
  }
}
