import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import pino from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import {
  HEALTH_CHECK_ROLE,
  healthCheckPassword,
  passwordFileOf,
  readPassword,
} from '../../platform/database/embedded/authentication.ts'
import { binaries } from '../../platform/database/embedded/binaries.ts'
import {
  connectionTo,
  type EmbeddedServer,
  runningEmbedded,
  startEmbedded,
} from '../../platform/database/embedded/embedded-server.ts'
import { startPair } from '../../platform/database/embedded/replicated-pair.ts'
import { databaseServer } from '../../platform/database/server.ts'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function aDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-password-'))
  // What other users may enter, they are to be kept out of by something else.
  chmodSync(folder, 0o755)
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A server on `dataDir`, and every line that it logged. */
async function aServer(dataDir: string): Promise<EmbeddedServer & { readonly logged: () => string }> {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  const server = await startEmbedded({ dataDir, log })
  cleanups.push(server.stop)
  return { ...server, logged: () => lines.join('') }
}

const socketOf = ({ connection }: Pick<EmbeddedServer, 'connection'>): string =>
  new URL(connection.connectionString).searchParams.get('host') ?? ''

async function query(config: pg.ClientConfig, sql: string): Promise<unknown[]> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

/** Arguments of every process, where the system shows them. */
const allArguments = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      } catch {
        return ''
      }
    })

/**
 * Data as the release before made it: everybody who reaches the socket is believed, and as root it
 * belongs to nobody.
 */
async function formerData(dataDir: string): Promise<void> {
  const data = join(dataDir, 'postgres')
  const { initdb, postgres } = await binaries(isRoot ? NOBODY : null)
  const fresh = mkdtempSync(join(tmpdir(), 'atrium-former-'))
  cleanups.push(() => rmSync(fresh, { recursive: true, force: true }))
  if (isRoot) chownSync(fresh, NOBODY, NOBODY)
  const as = isRoot ? { uid: NOBODY, gid: NOBODY, cwd: '/' } : { cwd: '/' }
  await promisify(execFile)(initdb, ['-D', fresh, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'], as)
  const single = spawn(postgres, ['--single', '-D', fresh, 'postgres'], { ...as, stdio: ['pipe', 'ignore', 'inherit'] })
  single.stdin.end('CREATE TABLE kept AS SELECT 42 AS answer\n')
  expect(await once(single, 'exit')).toEqual([0, null])
  renameSync(fresh, data)
}

test('every connection needs the password, which is in a file that only its owner may read', async () => {
  const dataDir = aDataDir()
  const server = await aServer(dataDir)
  const password = readPassword(dataDir) ?? ''
  expect(password).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(passwordFileOf(dataDir))).toMatchObject({ mode: 0o100600, uid: process.getuid?.() })
  expect(await query(server.connection, 'SELECT current_user::text')).toEqual(['postgres'])

  const without = connectionTo(socketOf(server), null)
  await expect(query(without, 'SELECT 1')).rejects.toThrow(/password/)
  const wrong = connectionTo(socketOf(server), 'f'.repeat(64))
  await expect(query(wrong, 'SELECT 1')).rejects.toThrow('password authentication failed for user "postgres"')
  expect(
    await query(server.connection, "SELECT rolpassword LIKE 'SCRAM-SHA-256$4096:%' FROM pg_authid WHERE rolcanlogin"),
  ).toEqual([true, true])
})

test('the password is neither logged nor in the arguments of a process', async () => {
  const dataDir = aDataDir()
  const server = await aServer(dataDir)
  await query(server.connection, 'SELECT 1')
  const password = readPassword(dataDir) ?? 'none'
  const output = [server.logged(), ...(existsSync('/proc/self/cmdline') ? allArguments() : [])].join('\n')
  expect(output).toContain('ready to accept connections')
  expect(output).not.toContain(password)
  expect(output).not.toContain('SCRAM-SHA-256$')
})

test('a data directory of the previous release, without a password, is kept and gets one', async () => {
  const dataDir = aDataDir()
  await formerData(dataDir)
  const server = await aServer(dataDir)
  expect(await query(server.connection, 'SELECT answer FROM kept')).toEqual([42])
  await expect(query(connectionTo(socketOf(server), null), 'SELECT 1')).rejects.toThrow(/password/)
  if (isRoot) {
    const owners = readdirSync(join(dataDir, 'postgres'), { recursive: true }).map(
      (name) => statSync(join(dataDir, 'postgres', String(name))).uid,
    )
    expect(new Set(owners)).toEqual(new Set([statSync(join(dataDir, 'postgres')).uid]))
    expect(owners[0]).not.toBe(NOBODY)
  }
})

test('the next start repairs a missing or damaged password file and changed access rules', async () => {
  const dataDir = aDataDir()
  const first = await aServer(dataDir)
  await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const passwords = [readPassword(dataDir)]
  const spoil = [
    () => rmSync(passwordFileOf(dataDir)),
    () => writeFileSync(passwordFileOf(dataDir), 'half a passw'),
    () => writeFileSync(join(dataDir, 'postgres/pg_hba.conf'), 'local all all trust\n'),
  ]
  await first.stop()
  for (const each of spoil) {
    each()
    const next = await aServer(dataDir)
    expect(await query(next.connection, 'SELECT answer FROM kept')).toEqual([42])
    await expect(query(connectionTo(socketOf(next), null), 'SELECT 1')).rejects.toThrow(/password/)
    passwords.push(readPassword(dataDir))
    await next.stop()
  }
  expect(new Set(passwords).size).toBe(3)
})

test('a command finds the server of another process with its password', async () => {
  const dataDir = aDataDir()
  await aServer(dataDir)
  const shared = await databaseServer({ databaseUrl: undefined, dataDir, log: pino({ level: 'silent' }), share: true })
  expect(shared.embedded).toBe(false)
  expect(await query(shared.connection, 'SELECT 1')).toEqual([1])
})

test('the role of the balancer may look, and nothing else', async () => {
  const dataDir = aDataDir()
  const server = await aServer(dataDir)
  const password = healthCheckPassword(readPassword(dataDir) ?? '')
  const role = { host: socketOf(server), user: HEALTH_CHECK_ROLE, database: 'postgres', password }
  await query(server.connection, 'CREATE TABLE secret AS SELECT 1 AS answer')
  expect(await query(role, 'SELECT pg_is_in_recovery()')).toEqual([false])
  await expect(query(role, 'SELECT * FROM secret')).rejects.toThrow('permission denied')
  await expect(query(role, 'CREATE TABLE mine (a int)')).rejects.toThrow('permission denied')
  await expect(query({ ...role, password: 'wrong' }, 'SELECT 1')).rejects.toThrow('password authentication failed')
})

test('a replica follows its primary with the password, which no argument has', async () => {
  const dataDir = aDataDir()
  const pair = await startPair({ dataDir, log: pino({ level: 'silent' }) })
  cleanups.push(pair.stop)
  const follows = 'SELECT count(*)::int FROM pg_stat_replication'
  await expect.poll(() => query(pair.primary.connection, follows), { timeout: 30_000 }).toEqual([1])
  await query(pair.primary.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
  const answer = () => query(pair.replica.connection, 'SELECT answer FROM kept').catch(() => [])
  await expect.poll(answer, { timeout: 30_000 }).toEqual([42])
  expect(allArguments().join('\n')).not.toContain(pair.password)
  for (const { socket } of [pair.primary, pair.replica]) {
    await expect(query(connectionTo(socket, null), 'SELECT 1')).rejects.toThrow(/password/)
  }
}, 60_000)

describe.skipIf(!isRoot)('as root', () => {
  /**
   * What a program of user nobody prints: it is loaded as root, for nobody may not enter every
   * folder, and changes its user then.
   */
  async function asNobody(program: string): Promise<string> {
    const become = `process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY})`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${become}\n${program}`])
    return stdout.trim()
  }

  /**
   * Says what kind of answer the server gives to a first message without a password; or why there
   * is none.
   */
  const connecting = (socket: string): string => `
    const { connect } = await import('node:net')
    const words = Buffer.from('\\0\\x03\\0\\0user\\0postgres\\0database\\0postgres\\0\\0', 'latin1')
    const length = Buffer.alloc(4)
    length.writeUInt32BE(words.length + 4)
    const client = connect(${JSON.stringify(join(socket, '.s.PGSQL.5432'))}, () => client.write(Buffer.concat([length, words])))
    client.on('data', (bytes) => { console.log(String.fromCharCode(bytes[0]), bytes.readUInt32BE(5)); client.destroy() })
    client.on('error', ({ code }) => console.log(code))`

  test('a process of another user reaches neither socket, data, server nor password', async () => {
    const dataDir = aDataDir()
    const server = await aServer(dataDir)
    const folder = socketOf(server)
    expect(await asNobody(connecting(folder))).toBe('EACCES')
    const reading = (path: string) =>
      asNobody(`const { readFileSync } = await import('node:fs')
        try { readFileSync(${JSON.stringify(path)}); console.log('read') } catch ({ code }) { console.log(code) }`)
    expect(await reading(passwordFileOf(dataDir))).toBe('EACCES')
    expect(await reading(join(dataDir, 'postgres/pg_hba.conf'))).toBe('EACCES')
    expect(await reading(`/proc/${server.pid}/environ`)).toBe('EACCES')
    const signalling = `try { process.kill(${server.pid}, 'SIGTERM'); console.log('sent') } catch ({ code }) { console.log(code) }`
    expect(await asNobody(signalling)).toBe('EPERM')

    // And when the folder is opened by mistake, SCRAM (10) is what the server begins with, and not
    // that all is well (0).
    chmodSync(folder, 0o755)
    chmodSync(join(folder, '.s.PGSQL.5432'), 0o777)
    expect(await asNobody(connecting(folder))).toBe('R 10')
  })

  test('a command of another user is told to run as the user that started the server', async () => {
    const dataDir = aDataDir()
    await aServer(dataDir)
    process.seteuid?.(NOBODY)
    try {
      expect(() => runningEmbedded(dataDir)).toThrow(/cannot be read \(EACCES: .+\): use the user that started that copy\.$/)
    } finally {
      process.seteuid?.(0)
    }
  })
})
