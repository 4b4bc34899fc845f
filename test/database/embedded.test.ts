import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const NODE = join(ROOT, 'node_modules/.bin/node')

/**
 * A program that holds a server: prints its URL when it answers, or why there is none; SIGTERM
 * stops it cleanly.
 */
const HOLDER = `
import { startEmbedded } from ${JSON.stringify(join(ROOT, 'platform/database/embedded/embedded-server.ts'))}
const log = { debug() {} }
try {
  const server = await startEmbedded({ dataDir: process.argv[1], log })
  process.on('SIGTERM', async () => { await server.stop(); process.exit(0) })
  console.log(server.connection.connectionString)
} catch (error) {
  console.log(error.name + ': ' + error.message)
  process.exit(1)
}`

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function aDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-embedded-'))
  // As root, the server runs as somebody else: most people's folders may be entered, and one test
  // says what happens otherwise.
  chmodSync(folder, 0o755)
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** `exited` is the status that it ended with; null when a signal ended it. */
type Holder = {
  readonly exited: Promise<number | null>
  readonly said: string
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

async function hold(dataDir: string): Promise<Holder> {
  const child = spawn(NODE, ['--input-type=module', '-e', HOLDER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit').then(([code]) => code)
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  cleanups.push(() => stop('SIGTERM'))
  const [said] = await once(child.stdout, 'data')
  return { exited, said: String(said).trim(), stop }
}

async function ask(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

const socketOf = ({ said }: Holder): string => new URL(said).searchParams.get('host') ?? ''

const serverOf = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid)).toBe(false)
}

test('kill -9 ends the server too, and the next start has what was committed', async () => {
  const dataDir = aDataDir()
  const first = await hold(dataDir)
  await ask(first.said, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const server = serverOf(dataDir)
  await first.stop('SIGKILL')
  // At once, while the old server may still be finishing.
  const second = await hold(dataDir)
  expect(await ask(second.said, 'SELECT answer FROM kept')).toEqual([42])
  await untilGone(server)
})

test('kill -9 of the server itself is recovered from by the next start', async () => {
  const dataDir = aDataDir()
  const first = await hold(dataDir)
  await ask(first.said, 'CREATE TABLE kept AS SELECT 42 AS answer')
  process.kill(serverOf(dataDir), 'SIGKILL')
  await first.stop('SIGKILL')
  await expect.poll(() => existsSync(socketOf(first))).toBe(false)
  const second = await hold(dataDir)
  expect(await ask(second.said, 'SELECT answer FROM kept')).toEqual([42])
})

test('of two first starts at once one runs, and the other says in one sentence that the folder is in use', async () => {
  const dataDir = aDataDir()
  const both = await Promise.all([hold(dataDir), hold(dataDir)])
  const winner = both.find(({ said }) => said.startsWith('postgres://'))
  const loser = both.find(({ said }) => said.startsWith('OperatorError:'))
  expect(loser?.said).toBe(
    `OperatorError: The data directory ${dataDir} is in use by another running copy: stop that one, or set DATA_DIR to another folder.`,
  )
  expect(await loser?.exited).toBe(1)
  expect(await ask(winner?.said ?? '', 'SELECT 1')).toEqual([1])
  expect(readdirSync(dataDir)).toEqual(['postgres', 'postgres.password'])
})

test('a stop is clean: no recovery, no lock file and no socket folder remain', async () => {
  const dataDir = aDataDir()
  const first = await hold(dataDir)
  const socket = socketOf(first)
  expect(readdirSync(socket).length).toBeGreaterThan(0)
  expect(await first.stop('SIGTERM')).toBe(0)
  expect(() => readdirSync(socket)).toThrow('ENOENT')
  expect(readdirSync(join(dataDir, 'postgres'))).not.toContain('postmaster.pid')
})

test('data is durable and sorted the same on every machine, and no TCP port is open', async () => {
  const { said } = await hold(aDataDir())
  const settings = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'listen_addresses', 'server_encoding']
  expect(await ask(said, `SELECT ${settings.map((name) => `current_setting('${name}')`)}`)).toEqual([
    'on',
    'on',
    'on',
    'on',
    '',
    'UTF8',
  ])
  expect(
    await ask(said, `SELECT datlocprovider::text || ':' || datlocale FROM pg_database WHERE datname = current_database()`),
  ).toEqual(['b:C.UTF-8'])
})

test('a lock file whose process number now belongs to a stranger does not block the start', async () => {
  const dataDir = aDataDir()
  await (await hold(dataDir)).stop('SIGTERM')
  writeFileSync(
    join(dataDir, 'postgres/postmaster.pid'),
    `${process.pid}\n${dataDir}/postgres\n1\n5432\n/tmp/gone\n\n  1 1\nready   \n`,
  )
  expect((await hold(dataDir)).said).toMatch(/^postgres:/)
})

test('a data folder that PostgreSQL cannot use is refused with its own reason', async () => {
  const dataDir = aDataDir()
  mkdirSync(join(dataDir, 'postgres'), { mode: 0o700 })
  expect((await hold(dataDir)).said).toMatch(/^OperatorError: PostgreSQL did not start on .*postgres: .+/)
})

describe.skipIf(process.getuid?.() !== 0)('as root', () => {
  test('data below a folder that only root may enter works', async () => {
    const folder = aDataDir()
    chmodSync(folder, 0o700)
    const dataDir = join(folder, 'project/.data')
    const first = await hold(dataDir)
    await ask(first.said, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop('SIGKILL')
    expect(await ask((await hold(dataDir)).said, 'SELECT answer FROM kept')).toEqual([42])
  })
})
