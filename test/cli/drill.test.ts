import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CREDENTIALS, REGION } from '../subgraphs/store/file/support/s3-server.ts'
import { COMPILED, unusedPort } from '../support/program.ts'
import { type ArchiveBucket, startArchiveBucket } from './support/archive-bucket.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Whether there are archives to restore; where REQUIRE_PGBACKREST is set there are, or the test fails. */
const hasArchive =
  (existsSync('/usr/bin/pgbackrest') && existsSync('/usr/lib/postgresql') && process.getuid?.() === 0) ||
  Boolean(process.env.REQUIRE_PGBACKREST)

const DAY_MS = 86_400_000

describe.skipIf(!hasArchive)(
  'an archive of base backup and log in a bucket (needs pgbackrest, PostgreSQL of Debian, root)',
  () => {
    let folder: string
    let bucket: ArchiveBucket
    let server: ReturnType<typeof spawn>
    let url: string
    let user: { readonly uid: number; readonly gid: number }
    let config: string
    /** The same, with more than a megabyte of messages in a restore. */
    let talkative: string

    const run = promisify(execFile)
    const sql = async (text: string, values: readonly unknown[] = []) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return (await client.query(text, [...values])).rows
      } finally {
        await client.end()
      }
    }
    const pgbackrest = (...args: readonly string[]) =>
      run('pgbackrest', [`--config=${config}`, '--stanza=atrium', ...args], { ...user, cwd: folder })
    const atrium = async (...args: readonly string[]) =>
      run(process.execPath, [join(ROOT, 'cli/atrium.ts'), 'db', ...args], {
        env: { ...COMPILED, PATH: process.env.PATH, DATABASE_URL: url, TMPDIR: join(folder, 'drills') },
      })
    const drill = async (...args: readonly string[]) =>
      JSON.parse((await atrium('drill', '--config', talkative, '--json', ...args)).stdout)

    beforeAll(async () => {
      const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
      user = { uid: idOf('-u'), gid: idOf('-g') }
      folder = mkdtempSync(join(tmpdir(), 'atrium-archive-'))
      chmodSync(folder, 0o755)
      bucket = await startArchiveBucket(folder)
      const [data, logs, sockets, spool] = ['data', 'logs', 'sockets', 'spool'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
        string,
      ]
      mkdirSync(join(folder, 'drills'))
      for (const each of [logs, sockets, spool]) {
        mkdirSync(each)
        chownSync(each, user.uid, user.gid)
      }
      chownSync(folder, user.uid, user.gid)
      config = join(folder, 'pgbackrest.conf')
      const port = await unusedPort()
      writeFileSync(
        config,
        `[global]
repo1-type=s3
repo1-path=/archive
repo1-s3-bucket=bucket
repo1-s3-endpoint=localhost
repo1-s3-region=${REGION}
repo1-s3-uri-style=path
repo1-s3-key=${CREDENTIALS.accessKeyId}
repo1-s3-key-secret=${CREDENTIALS.secretAccessKey}
repo1-storage-port=${bucket.port}
io-timeout=20
repo1-storage-ca-file=${bucket.certificate}
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=a passphrase of this test
repo1-bundle=y
repo1-retention-full=2
start-fast=y
log-level-file=off
log-level-console=warn
lock-path=${logs}
log-path=${logs}
spool-path=${spool}

[atrium]
pg1-path=${data}
pg1-port=${port}
pg1-socket-path=${sockets}
pg1-user=postgres
`,
      )
      talkative = join(folder, 'talkative.conf')
      writeFileSync(talkative, readFileSync(config, 'utf8').replace('log-level-console=warn', 'log-level-console=trace'))
      const [version] = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one))
      const bin = `/usr/lib/postgresql/${version}/bin`
      const as = { ...user, cwd: folder }
      await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-E', 'UTF8', '-A', 'trust', '--no-sync'], as)
      const settings = {
        port: String(port),
        listen_addresses: '',
        unix_socket_directories: sockets,
        fsync: 'off',
        archive_mode: 'on',
        archive_command: `pgbackrest --config=${config} --stanza=atrium archive-push %p`,
        max_connections: '40',
      }
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      server = spawn(join(bin, 'postgres'), ['-D', data, ...options], { ...as, stdio: 'ignore' })
      url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(sockets)}&port=${port}`
      await vi.waitFor(() => sql('SELECT 1'), { timeout: 30_000 })
      await pgbackrest('stanza-create')
      await atrium('migrate')
      await pgbackrest('--type=full', 'backup')
      // A backup counts as of the whole second in which it ended.
      await sleep(1_100)
    }, 180_000)
    afterAll(async () => {
      const gone = server && new Promise((resolve) => server.once('exit', resolve))
      server?.kill('SIGQUIT')
      await gone
      await bucket?.close()
      rmSync(folder, { recursive: true, force: true })
    })

    const addUser = (name: string) =>
      sql(`INSERT INTO social."user" (name, name_key, email, email_key, role) VALUES ($1, $1, $1, $1, 'USER')`, [name])
    const timeNow = async (): Promise<string> => {
      await sleep(100)
      const [row] = await sql('SELECT clock_timestamp() AS at')
      await sleep(100)
      return row.at.toISOString()
    }
    /** Until the segment of the last write is in the bucket. */
    const archived = async () => {
      const [{ name }] = await sql('SELECT pg_walfile_name(pg_switch_wal()) AS name')
      await expect.poll(() => [...bucket.objects.keys()].some((key) => key.includes(name)), { timeout: 30_000 }).toBe(true)
    }

    test('is restored to the moment before a mistake, and to its end', { timeout: 180_000 }, async () => {
      await addUser('ann')
      await addUser('bob')
      const before = await timeNow()
      await sql(`DELETE FROM social."user" WHERE name = 'bob'`)
      await archived()
      const then = await drill('--at', before)
      expect(then).toMatchObject({ unusable: [], rows: { 'social.user': 2 } })
      expect(Object.keys(then.seconds)).toEqual(['files', 'log', 'check'])
      expect(Date.parse(then.restoredTo)).toBeLessThan(Date.parse(before))
      expect((await drill()).rows['social.user']).toBe(1)
      expect(readdirSync(join(folder, 'drills'))).toEqual([])
      console.log(`Drill: ${JSON.stringify(then.seconds)} s`)
    })

    test('holds an erased person until it expires, and without its passphrase nothing', { timeout: 180_000 }, async () => {
      await addUser('carla')
      const before = await timeNow()
      await sql(`DELETE FROM social."user" WHERE name = 'carla'`)
      await archived()
      const [{ count }] = await sql(`SELECT count(*)::int FROM social."user"`)
      expect((await drill('--at', before)).rows['social.user']).toBe(count + 1)
      const other = join(folder, 'other.conf')
      writeFileSync(other, readFileSync(config, 'utf8').replace('a passphrase of this test', 'another one'))
      await expect(atrium('drill', '--config', other)).rejects.toThrow('pgbackrest could not restore')
    })

    test('a drill wants a time with its zone', async () => {
      for (const at of ['2026-11-26 10:00:00', '2026-11-26T10:00:00', 'yesterday'])
        await expect(atrium('drill', '--at', at)).rejects.toThrow('Expected a time with its zone')
    })

    test('a drill names what is missing', { timeout: 120_000 }, async () => {
      await expect(atrium('drill', '--config', config, '--stanza', 'other')).rejects.toThrow('pgbackrest could not restore')
      await expect(atrium('drill', '--config', config, '--at', new Date(Date.now() + DAY_MS).toISOString())).rejects.toThrow(
        /could not replay the log: .*recovery ended before configured recovery target was reached/,
      )
    })
  },
)
