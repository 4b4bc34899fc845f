import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { balancerConfig, type Pool, parseServerStates } from '../../../../composition/cluster/balancer.ts'
import { childProgram, type Environment, type Program } from '../../../../composition/cluster/child-program.ts'
import { HEALTH_CHECK_ROLE, healthCheckPassword } from '../../../../platform/database/embedded/authentication.ts'
import { ROOT } from '../../../cluster/support.ts'
import { insertStore } from '../../../support/database.ts'
import { COMPILED, SECRETS_KEY } from '../../../support/program.ts'
import { FLAGS } from '../../../support/server-hosts.ts'
import { type Furnished, fillInstallation } from '../installation.ts'
import { rowsOf } from '../kinds.ts'
import { hostsMissing, isAlive, type Network, startNetwork } from './network.ts'
import { type PostgresHost, startPostgres } from './postgres.ts'
import { type RedisHosts, redisBalancerConfig, startRedis } from './redis.ts'

export { hostsMissing }

const ROLES = ['directory', 'social', 'store', 'trust', 'gateway'] as const
/** Port of each program on its host; those of the subgraphs at their balancer follow it. */
const PORT = 4000
const STATUS_PORT = 4100

/**
 * An installation with a host for each program: `edge` balances gateways, `inner` subgraphs, and
 * `data` leads to the primary, a replica and the master of Redis.
 */
export type Machines = Furnished & {
  readonly network: Network
  readonly url: string
  readonly databaseUrl: string
  /** Processes of Atrium by the name of their host, such as store-1. */
  readonly programs: ReadonlyMap<string, Program>
  /** The primary first. */
  readonly postgres: readonly PostgresHost[]
  readonly redis: RedisHosts | null
  /** Hosts whose name ends with this number, without balancers. */
  readonly zone: (number: number) => readonly string[]
  /** Hosts that are not among these. */
  readonly others: (names: readonly string[]) => readonly string[]
  /** Resolves when a balancer sends requests to these servers. */
  readonly untilUp: (balancer: 'edge' | 'inner', names: readonly string[]) => Promise<void>
  /**
   * Ends the processes of Atrium and starts the code in `root` in their place, one after the other,
   * subgraphs first. Each begins when the balancers send requests to all others.
   */
  readonly roll: (root: string) => Promise<void>
  /**
   * Delays what passes between gateways and subgraphs, and between these and the databases, in each
   * direction; needs `hasRelay`. Milliseconds.
   */
  readonly delay: (milliseconds: number, jitter: number) => void
  readonly close: () => Promise<void>
}

type MachineOptions = {
  readonly copies: number
  readonly replicas: number
  /** Two of Redis with three Sentinels; otherwise one, which nothing replaces. */
  readonly hasSentinel?: boolean
  /** PostgreSQL settings of the primary. */
  readonly databaseSettings?: Readonly<Record<string, string>>
  /** Connections to subgraphs and databases pass a host that can delay them. */
  readonly hasRelay?: boolean
  /** Folder of the code of Atrium's processes and commands; absent: this repository. */
  readonly root?: string
}

/** Starts one; what it starts ends with this process. */
export async function startMachines({
  copies,
  replicas,
  hasSentinel = false,
  databaseSettings = {},
  hasRelay = false,
  root = ROOT,
}: MachineOptions): Promise<Machines> {
  const numbers = Array.from({ length: copies }, (_, index) => index + 1)
  const names = (role: string) => numbers.map((number) => `${role}-${number}`)
  const databases = Array.from({ length: replicas + 1 }, (_, index) => `postgres-${index + 1}`)
  const redisNames = hasSentinel ? ['redis-1', 'redis-2', 'witness-3'] : ['redis-1']
  const hosts = ['edge', 'inner', 'data', ...(hasRelay ? ['relay'] : []), ...databases, ...redisNames, ...ROLES.flatMap(names)]
  const folder = mkdtempSync(join(tmpdir(), 'atrium-hosts-'))
  chmodSync(folder, 0o755)
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const each of closers.reverse()) await each()
  }
  try {
    const network = startNetwork(hosts)
    closers.push(network.close)
    const address = (name: string) => network.host(name).address
    const logs = join(folder, 'logs')
    mkdirSync(logs)
    const env: Environment = { PATH: process.env.PATH, HOME: folder }
    const start = async (
      name: string,
      on: string,
      line: readonly string[],
      own: Environment,
      isReady: () => Promise<boolean>,
      cwd = ROOT,
    ) => {
      const command = network.host(on).command(line)
      const program = childProgram({
        name,
        command,
        cwd,
        env: { ...env, ...own },
        logFile: join(logs, `${name}.log`),
        isReady,
      })
      closers.push(() => killProgram(program))
      await program.start()
      return program
    }

    const databaseFolder = join(folder, 'postgres')
    mkdirSync(databaseFolder)
    const password = randomBytes(16).toString('hex')
    const postgres = await startPostgres(databases.map(network.host), {
      folder: databaseFolder,
      password,
      settings: databaseSettings,
    })
    for (const each of postgres) closers.push(() => each.stop())
    const [primary] = postgres
    const checkPassword = healthCheckPassword(password)
    await rowsOf(primary?.url ?? '', `CREATE ROLE ${HEALTH_CHECK_ROLE} LOGIN PASSWORD '${checkPassword}'`)

    const redis = await startRedis(redisNames.map(network.host), { folder, start })

    const pools: Pool[] = ROLES.map((role, index) => ({
      name: role,
      port: role === 'gateway' ? PORT : PORT + 1 + index,
      isPublic: role === 'gateway',
      servers: names(role).map((name) => ({ name, host: address(name), port: PORT })),
    }))
    const databaseAddress = (name: string, port = 5432) => ({ host: address(name), port })
    const configs = {
      edge: balancerConfig(
        pools.filter(({ isPublic }) => isPublic),
        null,
        { host: address('edge'), statusPort: STATUS_PORT },
      ),
      inner: balancerConfig(
        pools.filter(({ isPublic }) => !isPublic),
        null,
        { host: address('inner'), statusPort: STATUS_PORT },
      ),
      data:
        balancerConfig(
          [],
          {
            servers: databases.map((name) => ({ name, address: databaseAddress(name) })),
            primary: databaseAddress('data'),
            replica: databaseAddress('data', 5433),
            checkPassword,
          },
          { host: address('data'), statusPort: STATUS_PORT },
        ) + redisBalancerConfig(address('data'), redisNames.filter((name) => name.startsWith('redis')).map(network.host)),
    }
    const statesAt = async (name: string) =>
      parseServerStates(await (await fetch(`http://${address(name)}:${STATUS_PORT}/;csv`)).text())
    for (const [name, text] of Object.entries(configs)) {
      const file = join(folder, `${name}.cfg`)
      writeFileSync(file, text)
      await start(name, name, ['haproxy', '-db', '-f', file], {}, async () => (await statesAt(name)).size > 0)
    }

    const far = (name: 'inner' | 'data') => address(hasRelay ? 'relay' : name)
    const delayFile = join(folder, 'delay')
    const delay = (milliseconds: number, jitter: number) => writeFileSync(delayFile, `${milliseconds} ${jitter}`)
    delay(0, 0)
    if (hasRelay) {
      const subgraphs = pools.filter(({ isPublic }) => !isPublic).map(({ port }) => [port, 'inner'] as const)
      const ports = [...subgraphs, [5432, 'data'], [5433, 'data']] as const
      const RELAY_PORTS = ports.map(([port, name]) => `${port}=${address(name)}:${port}`).join()
      const settings = { RELAY_HOST: address('relay'), RELAY_DELAY: delayFile, RELAY_PORTS }
      const line = [process.execPath, join(import.meta.dirname, 'relay.ts')]
      const [first] = pools
      await start(
        'relay',
        'relay',
        line,
        settings,
        async () => (await fetch(`http://${far('inner')}:${first?.port}/`)).status > 0,
      )
    }

    const databaseUrl = `postgres://postgres:${password}@${far('data')}:5432/postgres`
    const url = `http://${address('edge')}:${PORT}`
    const shared: Environment = {
      ...COMPILED,
      LOG_LEVEL: 'warn',
      TRUST_LISTS: 'none',
      METRICS_PORT: '',
      USER_WRITES_PER_MINUTE: '0',
      USER_BYTES_PER_DAY: '0',
      WEBHOOK_PRIVATE_NETWORKS: network.range,
      PUBLIC_URL: url,
      LINK_SECRET: randomBytes(32).toString('hex'),
      CONSOLE_SECRET: randomBytes(32).toString('hex'),
      SECRETS_KEY,
      REDIS_URL: `redis://${address('data')}:6379`,
      EVENTS_RELAY_URL: `redis://${address('data')}:6379`,
      TRUSTED_PROXIES: address('edge'),
      SHUTDOWN_DRAIN_SECONDS: '1',
      ...Object.fromEntries(
        pools
          .filter(({ isPublic }) => !isPublic)
          .map(({ name, port }) => [`SUBGRAPH_${name.toUpperCase()}_URL`, `http://${far('inner')}:${port}`]),
      ),
    }
    const ofSubgraphs: Environment = {
      DATABASE_URL: databaseUrl,
      ...(replicas > 0 && { DATABASE_REPLICA_URL: databaseUrl.replace(':5432', ':5433') }),
    }
    const programs = new Map<string, Program>()
    const startAtrium = async (role: string, name: string, code = root) => {
      const own = {
        ...shared,
        ...(role !== 'gateway' && ofSubgraphs),
        ATRIUM_ROLE: role,
        HOST: address(name),
        PORT: String(PORT),
        DATA_DIR: join(folder, name),
      }
      const isReady = async () => (await fetch(`http://${address(name)}:${PORT}/ready`)).ok
      programs.set(name, await start(name, name, [process.execPath, ...FLAGS, 'main.ts'], own, isReady, code))
    }
    const [first, ...rest] = ROLES.flatMap((role) => names(role).map((name) => [role, name] as const))
    // The first one migrates.
    if (first) await startAtrium(...first)
    // So that none sets up the demo store, which takes longer than the start; a release before may have other tables.
    if (root === ROOT) await insertStore({ connectionString: primary?.url ?? '' })
    await Promise.all(rest.map((each) => startAtrium(...each)))

    const untilUp: Machines['untilUp'] = async (balancer, names) => {
      for (;;) {
        const states = await statesAt(balancer)
        if (names.every((name) => states.get(name))) return
        await sleep(50)
      }
    }
    const untilAllUp = async () => {
      await untilUp('edge', names('gateway'))
      await untilUp('inner', ROLES.filter((role) => role !== 'gateway').flatMap(names))
    }
    await untilAllUp()
    const furnished = await fillInstallation({ url, databaseUrl }, { host: network.ownAddress, root, settings: { SECRETS_KEY } })
    closers.push(furnished.closeReceiver)
    return {
      ...furnished,
      ...{ network, url, databaseUrl, programs, postgres, untilUp, delay, close },
      async roll(code) {
        for (const role of ROLES)
          for (const name of names(role)) {
            await programs.get(name)?.stop()
            await startAtrium(role, name, code)
            await untilAllUp()
          }
      },
      redis: hasSentinel ? redis : null,
      zone: (number) => hosts.filter((name) => name.endsWith(`-${number}`)),
      others: (some) => hosts.filter((name) => !some.includes(name)),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Without its farewell, which takes long where its links are cut. */
async function killProgram(program: Program): Promise<void> {
  if (program.pid() !== 0 && isAlive(program.pid())) process.kill(program.pid(), 'SIGKILL')
  await program.stop()
}
