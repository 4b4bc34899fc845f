import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import { COMPILED, unusedPort } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

function aDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-lifecycle-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Ours without the variables of this program, so that a developer's shell does not change what a
 * test says.
 */
const environment = (extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...COMPILED,
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LOG_LEVEL: 'warn',
  TRUST_LISTS: 'none',
  ...extra,
})

type Result = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

/** Runs a program of ours to its end. */
function run(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Result> {
  return new Promise((done) => {
    const child = execFile(NODE, [join(ROOT, file), ...args], { env: environment(env) }, (_, stdout, stderr) =>
      done({ status: child.exitCode, stdout, stderr }),
    )
  })
}

type Copy = {
  readonly process: ChildProcess
  readonly url: string
  readonly exited: Promise<number | null>
  readonly said: () => string
}

/**
 * Starts everything, as the leader of a process group like a shell does it, and waits for its
 * welcome.
 */
async function start(env: NodeJS.ProcessEnv): Promise<Copy> {
  const child = spawn(NODE, [join(ROOT, 'main.ts')], {
    env: environment({ PORT: String(await unusedPort()), ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  cleanups.push(() => {
    child.kill('SIGTERM')
    return exited
  })
  const url = await new Promise<string>((ready, failed) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        const welcome = /Graph +(http:\S+)\/graphql/.exec(output)
        if (welcome?.[1]) ready(welcome[1])
      })
    }
    void exited.then((status) => failed(new Error(`main.ts ended with ${status}: ${output}`)))
  })
  return { process: child, url, exited, said: () => output }
}

const search = async (url: string): Promise<number> => (await fetch(`${url}/api/search?q=postgres`)).status

const serverOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const untilGone = (pid: number) => expect.poll(() => isAlive(pid)).toBe(false)

describe('a running copy', () => {
  const dataDir = aDataDir()
  let copy: Copy
  beforeAll(async () => {
    copy = await start({ DATA_DIR: dataDir })
  })

  test('answers over the seed as soon as it says where it is', async () => {
    const answer = await fetch(`${copy.url}/api/mcp`)
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as { total: number }).total).toBeGreaterThanOrEqual(60)
    expect((await fetch(`${copy.url}/ready`)).status).toBe(200)
  })

  test('is used by the command line, which leaves it running', async () => {
    const { status, stdout } = await run('cli/atrium.ts', ['db', 'status', '--json'], { DATA_DIR: dataDir })
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ upToDate: true })
    expect(await search(copy.url)).toBe(200)
  })

  test('keeps a second copy from its data, in one sentence', async () => {
    const second = await run('main.ts', [], { DATA_DIR: dataDir, PORT: '0' })
    expect(second).toEqual({
      status: 1,
      stdout: '',
      stderr: `The data directory ${dataDir} is in use by another running copy: stop that one, or set DATA_DIR to another folder.\n`,
    })
  })

  test('keeps its port: a copy with other data names PORT in one sentence and leaves no database behind', async () => {
    const { port } = new URL(copy.url)
    const otherData = aDataDir()
    const other = await run('main.ts', [], { DATA_DIR: otherData, PORT: port })
    expect(other).toEqual({
      status: 1,
      stdout: '',
      stderr: `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set PORT to another number.\n`,
    })
    expect(() => serverOf(otherData)).toThrow('ENOENT')
  })

  test('killed with -9 leaves no database process, and the next start has the data', async () => {
    const server = serverOf(dataDir)
    copy.process.kill('SIGKILL')
    await copy.exited
    copy = await start({ DATA_DIR: dataDir })
    await untilGone(server)
    expect(await search(copy.url)).toBe(200)
  })

  test('stops cleanly at Ctrl-C, which reaches its whole process group', async () => {
    const server = serverOf(dataDir)
    // Before, it may have said that there is no network to refresh lists over.
    const before = copy.said().length
    process.kill(-(copy.process.pid ?? 0), 'SIGINT')
    expect(await copy.exited).toBe(0)
    expect(isAlive(server)).toBe(false)
    expect(copy.said().slice(before)).not.toMatch(/"level":[456]0|Error/)
  })

  test('stops cleanly at SIGTERM after answering the request that it is working on', async () => {
    copy = await start({ DATA_DIR: dataDir })
    const server = serverOf(dataDir)
    const answers = Promise.all(Array.from({ length: 20 }, () => search(copy.url)))
    // The requests are on their way when one of them has been answered.
    await search(copy.url)
    copy.process.kill('SIGTERM')
    expect(await answers).toEqual(Array.from({ length: 20 }, () => 200))
    expect(await copy.exited).toBe(0)
    expect(isAlive(server)).toBe(false)
  })
})

test('a second signal ends a stop that takes too long', async () => {
  const program = `
    import { runProgram } from ${JSON.stringify(join(ROOT, 'platform/process/lifecycle.ts'))}
    await runProgram(async (defer) => {
      setInterval(() => {}, 1000)
      defer(() => new Promise(() => console.log('closing')))
      console.log('running')
    })`
  const child = spawn(NODE, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  cleanups.push(() => child.kill('SIGKILL'))
  const exited = new Promise((done) => child.once('exit', done))
  for (const expected of ['running\n', 'closing\n']) {
    const [said] = await once(child.stdout, 'data')
    expect(String(said)).toBe(expected)
    child.kill('SIGTERM')
  }
  expect(await exited).toBe(143)
})

test('without a running copy the command line starts the database for as long as it needs it', async () => {
  const dataDir = aDataDir()
  const migrated = await run('cli/atrium.ts', ['db', 'migrate'], { DATA_DIR: dataDir })
  expect(migrated.status).toBe(0)
  expect(migrated.stdout).toMatch(/^Applied directory\/\w+\.\n(.*\n)*The database is up to date\.\n$/)
  expect(() => serverOf(dataDir)).toThrow('ENOENT')
})

test('a database that a newer version has used is refused in one sentence', async () => {
  const { connection, drop } = await emptyDatabase()
  cleanups.push(drop)
  const url = 'connectionString' in connection ? connection.connectionString : ''
  await run('cli/atrium.ts', ['db', 'migrate'], { DATABASE_URL: url })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO directory._prisma_migrations (id, migration_name, checksum) VALUES ('later', '29990101000000_later', '')`,
  )
  await client.end()
  const { status, stderr } = await run('main.ts', [], { DATABASE_URL: url, PORT: '0' })
  expect(stderr).toMatch(/^The database is newer than this program: it has migration directory\/29990101000000_later, .*\n$/)
  expect(status).toBe(1)
})

describe('an unreachable DATABASE_URL is named in one sentence without the password', () => {
  test.for([
    ['nothing listens there', async (): Promise<string> => `127.0.0.1:${await aFreePort()}`],
    ['the host name is unknown', async (): Promise<string> => 'database.invalid'],
  ] as const)('when %s', async ([reason, host]) => {
    const { status, stdout, stderr } = await run('main.ts', [], {
      DATABASE_URL: `postgres://me:hunter2@${await host()}/atrium`,
      PORT: '0',
    })
    expect(stderr).toMatch(/^The database of DATABASE_URL \(postgres:\/\/.*\/atrium\) cannot be used: .*\n$/)
    if (reason === 'nothing listens there') expect(stderr).toContain(reason)
    expect(stdout + stderr).not.toContain('hunter2')
    expect(status).toBe(1)
  })
})

test('every wrong variable is named at once, a line each, without the secret one', async () => {
  const { status, stdout, stderr } = await run('main.ts', [], {
    PORT: '1e3',
    HOST: 'here now',
    PUBLIC_URL: 'javascript:alert(1)',
    DATABASE_URL: 'mysql://me:hunter2@localhost/atrium',
    LOG_LEVEL: 'loud',
    DEPTH_LIMIT: '-1',
  })
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `${[
      'Expected PORT to be a whole number from 0 to 65535, got "1e3".',
      'Expected HOST to be a host name or an address, got "here now".',
      'Expected PUBLIC_URL to be an http or https URL, got "javascript:alert(1)".',
      'Expected DATABASE_URL to be a URL such as postgres://user:password@host:5432/database.',
      'Expected LOG_LEVEL to be one of fatal, error, warn, info, debug, trace, silent, got "loud".',
      'Expected DEPTH_LIMIT to be a whole number from 0 to 1000, got "-1".',
    ].join('\n')}\n`,
  })
})

test('wrong usage of the command line exits with 2 and names the help command', async () => {
  const { status, stderr } = await run('cli/atrium.ts', ['db', 'stauts'], {})
  expect(stderr).toBe("error: unknown command 'stauts'\n(Did you mean status?)\n(see --help)\n")
  expect(status).toBe(2)
})

async function aFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
