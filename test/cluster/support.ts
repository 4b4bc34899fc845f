import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pino from 'pino'
import type { Copies } from '../../composition/cluster/atrium-programs.ts'
import { type Cluster, startCluster } from '../../composition/cluster/cluster.ts'
import { COMPILED } from '../support/program.ts'
import { FLAGS } from '../support/server-hosts.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Whether a cluster can run here; where REQUIRE_HAPROXY is set it runs, and fails without. */
export const hasCluster =
  ['/usr/sbin/haproxy', '/usr/bin/redis-server'].every((path) => existsSync(path)) || Boolean(process.env.REQUIRE_HAPROXY)

/**
 * A cluster of a test's own, on 50 ports that nobody uses, with so many copies of each part.
 * `settings` are variables of its processes, `databaseSettings` PostgreSQL's; its files are in a
 * new folder below `folder`.
 */
export async function testCluster(
  copies: Copies,
  {
    settings = {},
    databaseSettings = {},
    folder = tmpdir(),
  }: {
    readonly settings?: Readonly<Record<string, string>>
    readonly databaseSettings?: Readonly<Record<string, string>>
    readonly folder?: string
  } = {},
): Promise<{ readonly cluster: Cluster; readonly close: () => Promise<void> }> {
  const dataDir = mkdtempSync(join(folder, 'atrium-cluster-'))
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closers.reverse()) await each()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    // One user writes as fast as the cluster takes it.
    const unlimited = { USER_WRITES_PER_MINUTE: '0', USER_BYTES_PER_DAY: '0' }
    const own = { LOG_LEVEL: 'warn', TRUST_LISTS: 'none', ...unlimited }
    const env = { ...COMPILED, PATH: process.env.PATH, HOME: process.env.HOME, ...own, ...settings }
    const { port, release } = await freeRange()
    closers.push(release)
    const cluster = await startCluster({
      port,
      copies,
      dataDir,
      env,
      databaseSettings,
      // Compiled code is kept by flags: these are those of most other processes of tests.
      nodeFlags: FLAGS,
      log: pino({ level: 'silent' }),
      defer: (each) => closers.push(each),
    })
    return { cluster, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first of 50 ports in a row, kept from other tests until `release`. */
async function freeRange(): Promise<{ readonly port: number; readonly release: () => Promise<unknown> }> {
  for (let port = 14_150; port < 14_950; port += 50) {
    // Of the 50, one that only the eighth copy of a gateway would have.
    const claim = createServer()
    const isClaimed = await new Promise<boolean>((resolve) => {
      claim.once('error', () => resolve(false)).listen(port + 49, '127.0.0.1', () => resolve(true))
    })
    if (!isClaimed) continue
    const release = () => new Promise((released) => claim.close(released))
    const taken = await Promise.all(Array.from({ length: 49 }, (_, index) => isTaken(port + index)))
    if (!taken.includes(true)) return { port, release }
    await release()
  }
  throw new Error('Expected 50 free ports in a row from 14150 to 14999.')
}

const isTaken = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

/** Asks the graph at `base`; throws what is no answer without errors. */
export async function ask(base: string, query: string, variables: object = {}, token?: string): Promise<Data> {
  const response = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  })
  const text = await response.text()
  const { data, errors = text } = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
  // An error of the balancer is JSON as well, and has neither data nor errors.
  if (!data || errors !== text) throw new Error(`${response.status} ${JSON.stringify(errors)}`)
  return data
}

/** Runs `npx atrium` of the code in `root` with these settings; resolves with what it printed as JSON. */
export async function atriumOf(root: string, settings: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Data> {
  const env = { ...COMPILED, PATH: process.env.PATH, HOME: process.env.HOME, ...settings }
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'cli/atrium.ts'), ...args, '--json'], { env })
  return JSON.parse(stdout)
}
