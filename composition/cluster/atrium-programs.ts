import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECK_INTERVAL_MS, type Pool } from './balancer.ts'
import { childProgram, type Environment, type Program } from './child-program.ts'

const ROOT = join(import.meta.dirname, '../..')
export const HOST = '127.0.0.1'
const SUBGRAPHS = ['directory', 'social', 'store', 'trust'] as const

/** Number of processes: the same of each part, or by part. */
export type Copies = number | Readonly<Record<(typeof SUBGRAPHS)[number] | 'gateway', number>>

/** Node.js flags of the `start` script in package.json. */
export const NODE_FLAGS: readonly string[] =
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start.match(/(?<= )--\S+/g) ?? []

/** Pools in start order, subgraphs first: a gateway is ready once it reaches a subgraph. */
export const poolsOf = (port: number, copies: Copies): readonly Pool[] =>
  ([...SUBGRAPHS, 'gateway'] as const).map((name, index) => ({
    name,
    port: name === 'gateway' ? port : port + 1 + index,
    isPublic: name === 'gateway',
    servers: Array.from({ length: typeof copies === 'number' ? copies : copies[name] }, (_, copy) => ({
      name: `${name}-${copy + 1}`,
      port: port + 10 + index * 8 + copy,
    })),
  }))

/** Settings that all processes of the cluster share. */
type SharedSettings = {
  /** Inherited environment; the settings of the cluster override it. */
  readonly env: Environment
  readonly url: string
  readonly redisUrl: string
  readonly databaseUrl: string
  readonly replicaUrl: string
  readonly dataDir: string
  /** Node.js flags of each process. */
  readonly nodeFlags: readonly string[]
}

/** The processes of Atrium, in the order of `pools`. */
export function atriumPrograms(pools: readonly Pool[], settings: SharedSettings, logs: string): readonly Program[] {
  const shared = sharedEnvironment(pools, settings)
  return pools.flatMap(({ name: role, servers }) =>
    servers.map(({ name, port: at }) =>
      childProgram({
        name,
        command: [process.execPath, ...settings.nodeFlags, 'main.ts'],
        cwd: ROOT,
        env: { ...shared, ATRIUM_ROLE: role, PORT: String(at) },
        logFile: join(logs, `${name}.log`),
        isReady: async () => (await fetch(`http://${HOST}:${at}/ready`)).ok,
      }),
    ),
  )
}

function sharedEnvironment(
  pools: readonly Pool[],
  { env, url, redisUrl, databaseUrl, replicaUrl, dataDir }: SharedSettings,
): Environment {
  return {
    ...env,
    HOST,
    // Disabled: one machine has one metrics port, and only the first process could listen on it.
    METRICS_PORT: '',
    PUBLIC_URL: url,
    LINK_SECRET: randomBytes(32).toString('hex'),
    CONSOLE_SECRET: env.CONSOLE_SECRET ?? randomBytes(32).toString('hex'),
    REDIS_URL: redisUrl,
    EVENTS_RELAY_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    DATABASE_REPLICA_URL: replicaUrl,
    DATA_DIR: dataDir,
    TRUSTED_PROXIES: HOST,
    // Twice the balancer's health check interval, so that it sees `/ready` fail before the process
    // stops.
    SHUTDOWN_DRAIN_SECONDS: String(Math.ceil((CHECK_INTERVAL_MS * 2) / 1000)),
    ...Object.fromEntries(
      pools.flatMap(({ name, port: at }) =>
        name === 'gateway' ? [] : [[`SUBGRAPH_${name.toUpperCase()}_URL`, `http://${HOST}:${at}`]],
      ),
    ),
  }
}
