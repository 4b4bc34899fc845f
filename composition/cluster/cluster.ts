import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { healthCheckPassword, passwordFileOf } from '../../platform/database/embedded/authentication.ts'
import { connectionTo, createSocketFolder } from '../../platform/database/embedded/embedded-server.ts'
import { type DatabasePair, startPair } from '../../platform/database/embedded/replicated-pair.ts'
import type { Defer } from '../../platform/process/lifecycle.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { atriumPrograms, type Copies, HOST, NODE_FLAGS, poolsOf } from './atrium-programs.ts'
import { balancerConfig, type Pool, parseServerStates } from './balancer.ts'
import { childProgram, type Environment, type Program } from './child-program.ts'

const ROOT = join(import.meta.dirname, '../..')

/** How long a rolling restart waits for the other copies; one that is broken must not stop it. */
const OTHERS_TIMEOUT_MS = 30_000

/** A running multi-process installation on this machine. */
export type Cluster = {
  /** URL for clients: the balancer. */
  readonly url: string
  /** Description of the processes, as lines for people. */
  readonly lines: readonly string[]
  /** Atrium's processes, in the order of a rolling restart. */
  readonly programs: readonly Program[]
  /** The balancer, which also fronts the databases. */
  readonly balancer: Program
  readonly redis: Program
  /** The database servers, by their initial role. */
  readonly databases: Pick<DatabasePair, 'primary' | 'replica'>
  /** Direct port of each process, by name. */
  readonly ports: ReadonlyMap<string, number>
  /** Connection strings that follow the current primary and replica. */
  readonly databaseUrl: string
  readonly replicaUrl: string
  /** Log folder, a file per program. */
  readonly logs: string
  /**
   * Rolling restart of the named programs, or of all: each restarts after the previous one accepts
   * requests again. Resolves with their exit codes.
   */
  readonly roll: (names?: readonly string[]) => Promise<readonly (number | null)[]>
}

type ClusterOptions = {
  readonly port: number
  readonly copies: Copies
  readonly dataDir: string
  /** Inherited environment of all processes; the settings of the cluster override it. */
  readonly env: Environment
  /** PostgreSQL settings of the primary, by name. */
  readonly databaseSettings?: Readonly<Record<string, string>>
  /** Node.js flags of Atrium's processes; absent: those of `npm start`. */
  readonly nodeFlags?: readonly string[]
  readonly log: Logger
  readonly defer: Defer
}

/**
 * Starts HAProxy, Redis, PostgreSQL with a replica, and `copies` of each subgraph and of the
 * gateway on loopback. Clients connect to `port`; the 49 ports above it are internal. Throws an
 * `OperatorError` when a required program is not installed. Stops are registered with `defer`.
 */
export async function startCluster({
  port,
  copies,
  dataDir,
  env,
  databaseSettings = {},
  nodeFlags = NODE_FLAGS,
  log,
  defer,
}: ClusterOptions): Promise<Cluster> {
  const [haproxy, redis] = [findProgram('haproxy', env), findProgram('redis-server', env)]
  const folder = resolve(dataDir)
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  const pools = poolsOf(port, copies)
  const [statusPort, redisPort] = [port + 8, port + 9]

  const pair = await startPair({ dataDir: folder, log, settings: databaseSettings })
  defer(pair.stop)
  const [primaryFolder, replicaFolder] = [createSocketFolder(), createSocketFolder()]
  defer(async () => {
    for (const each of [primaryFolder, replicaFolder]) rmSync(each, { recursive: true, force: true })
  })
  const databaseUrl = connectionTo(primaryFolder, pair.password).connectionString
  const replicaUrl = connectionTo(replicaFolder, pair.password).connectionString

  const startSidecar = sidecarStarter(env, logs, defer)
  const redisArgs = ['--port', `${redisPort}`, '--bind', HOST, '--save', '', '--appendonly', 'no', '--dir', folder]
  const redisProgram = await startSidecar('redis', [redis, ...redisArgs], redisPort)

  const configFile = join(folder, 'haproxy.cfg')
  const servers = [pair.primary, pair.replica].map(({ socket }, index) => ({
    name: `postgres-${index + 1}`,
    address: { socketFolder: socket },
  }))
  const [toPrimary, toReplica] = [{ socketFolder: primaryFolder }, { socketFolder: replicaFolder }]
  const databases = { servers, primary: toPrimary, replica: toReplica, checkPassword: healthCheckPassword(pair.password) }
  rmSync(configFile, { force: true })
  writeFileSync(configFile, balancerConfig(pools, databases, { host: HOST, statusPort }), { mode: 0o600 })
  const balancer = await startSidecar('haproxy', [haproxy, '-db', '-f', configFile], port)

  const url = `http://${HOST}:${port}`
  const redisUrl = `redis://${HOST}:${redisPort}`
  const programs = atriumPrograms(pools, { env, url, redisUrl, databaseUrl, replicaUrl, dataDir: folder, nodeFlags }, logs)
  defer(async () => {
    await Promise.all(programs.map(({ stop }) => stop()))
  })
  const [first, ...others] = programs
  // The first process starts alone, because it migrates and seeds the database.
  await first?.start()
  await Promise.all(others.map(({ start }) => start()))
  await untilUp(
    programs.map(({ name }) => name),
    statusPort,
  )

  return {
    url,
    lines: describeCluster(pools, {
      statusPort,
      redisPort,
      // Without the password: these strings are printed, and outputs end in logs.
      databaseUrl: connectionTo(primaryFolder, null).connectionString,
      replicaUrl: connectionTo(replicaFolder, null).connectionString,
      passwordFile: passwordFileOf(join(folder, 'postgres-1')),
      logs,
    }),
    programs,
    balancer,
    redis: redisProgram,
    databases: pair,
    ports: new Map(pools.flatMap(({ servers }) => servers.map(({ name, port: at }) => [name, at]))),
    databaseUrl,
    replicaUrl,
    logs,
    async roll(names = programs.map(({ name }) => name)) {
      const statuses: (number | null)[] = []
      for (const each of programs.filter(({ name }) => names.includes(name))) {
        // A late answer to a health check may have taken another copy out.
        const copies = pools.find(({ servers }) => servers.some(({ name }) => name === each.name))?.servers ?? []
        const others = copies.flatMap(({ name }) => (name === each.name ? [] : [name]))
        await untilUp(others, statusPort, OTHERS_TIMEOUT_MS)
        statuses.push(await each.stop())
        await each.start()
        await untilUp([each.name], statusPort)
      }
      return statuses
    },
  }
}

/** Starts programs that Atrium depends on. A program is ready when its port accepts connections. */
function sidecarStarter(env: Environment, logs: string, defer: Defer) {
  const sidecars: Program[] = []
  defer(async () => {
    await Promise.all(sidecars.map(({ stop }) => stop()))
  })
  return async (name: string, command: [file: string, ...args: string[]], readyPort: number): Promise<Program> => {
    const isReady = () => isListening(readyPort)
    const program = childProgram({ name, command, cwd: ROOT, env, logFile: join(logs, `${name}.log`), isReady })
    sidecars.push(program)
    await program.start()
    return program
  }
}

/** Resolves when the balancer forwards to all of these programs, or after `timeoutMs`. */
async function untilUp(names: readonly string[], statusPort: number, timeoutMs = Number.POSITIVE_INFINITY): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const states = await fetch(`http://${HOST}:${statusPort}/;csv`).then(async (answer) => parseServerStates(await answer.text()))
    if (names.every((name) => states.get(name)) || performance.now() > deadline) return
    await sleep(50)
  }
}

function describeCluster(
  pools: readonly Pool[],
  at: {
    readonly statusPort: number
    readonly redisPort: number
    readonly databaseUrl: string
    readonly replicaUrl: string
    readonly passwordFile: string
    readonly logs: string
  },
): readonly string[] {
  return [
    ...pools.map(({ name, port, servers }) => {
      const copies = servers.map((server) => server.port).join(', ')
      return `${name.padEnd(11)} http://${HOST}:${port}   copies on ${copies}`
    }),
    `balancer    http://${HOST}:${at.statusPort}`,
    `redis       redis://${HOST}:${at.redisPort}`,
    `primary     ${at.databaseUrl}`,
    `replica     ${at.replicaUrl}`,
    `password    of both: ${at.passwordFile}`,
    `logs        ${at.logs}`,
  ]
}

/** Finds a program in PATH, and in `sbin` folders, which a user's PATH may lack. */
export function findProgram(name: string, { PATH = '' }: Environment): string {
  const folders = [...PATH.split(delimiter), '/usr/sbin', '/usr/local/sbin']
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found) return found
  throw new OperatorError(`A cluster needs ${name}: install it, on Debian with "apt-get install haproxy redis-server".`)
}

const isListening = (port: number) =>
  new Promise<boolean>((answer) => {
    const socket = connect(port, HOST, () => answer(true)).on('error', () => answer(false))
    socket.on('connect', () => socket.destroy())
  })
