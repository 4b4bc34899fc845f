import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childProgram, type Environment, type Program } from '../../../../composition/cluster/child-program.ts'
import { HEALTH_CHECK_ROLE } from '../../../../platform/database/embedded/authentication.ts'
import { rowsOf } from '../kinds.ts'
import { type Host, isAlive } from './network.ts'

/** PostgreSQL on a host of its own. */
export type PostgresHost = Program & {
  readonly host: Host
  /** Reads and writes of this very server, whatever a balancer thinks of it. */
  readonly url: string
  /** Position in the log up to which it has received or written everything. */
  readonly position: () => Promise<bigint>
  readonly promote: () => Promise<void>
  /** Makes a running replica follow another primary. */
  readonly follow: (primary: PostgresHost) => Promise<void>
}

/** Of all servers: nothing is written to disks, because machines lose links here and no power. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '*',
  unix_socket_directories: '',
  max_connections: '250',
  shared_buffers: '48MB',
  fsync: 'off',
  jit: 'off',
  wal_level: 'replica',
  wal_keep_size: '256MB',
  max_parallel_workers_per_gather: '0',
  wal_receiver_status_interval: '1s',
  wal_sender_timeout: '4s',
  wal_receiver_timeout: '4s',
  wal_retrieve_retry_interval: '500ms',
  timezone: 'UTC',
}

/**
 * As docs/reliability.md recommends: a commit is one when a replica has it too. The same for all
 * servers, for each may become the primary.
 */
export const SYNCHRONOUS = { synchronous_standby_names: 'ANY 1 (postgres_1, postgres_2, postgres_3)' }

/**
 * A primary on the first host, and a replica of it on each other one, which name themselves
 * `postgres_2` and so on. `settings` are those of all.
 */
export async function startPostgres(
  hosts: readonly Host[],
  {
    folder,
    password,
    settings = {},
  }: { readonly folder: string; readonly password: string; readonly settings?: Readonly<Record<string, string>> },
): Promise<readonly PostgresHost[]> {
  const [first, ...others] = hosts
  if (!first) throw new Error('Expected a host for the primary.')
  const user = postgresUser()
  const data = (host: Host) => join(folder, host.name)
  const env: Environment = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', PGPASSWORD: password }
  const bin = binFolder()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  for (const each of [folder, passwordFile]) chownSync(each, user.uid, user.gid)
  const once = (host: Host, ...line: readonly string[]) => {
    const [file, ...args] = host.command(line, user)
    // biome-ignore lint/suspicious/noExplicitAny: an environment without undefined values is one.
    execFileSync(file, args, { env: env as any, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  }

  once(
    first,
    join(bin, 'initdb'),
    '-D',
    data(first),
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--no-sync',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
  )
  rmSync(passwordFile)
  writeFileSync(
    join(data(first), 'pg_hba.conf'),
    `host postgres ${HEALTH_CHECK_ROLE} all password\nhost all all all scram-sha-256\nhost replication all all scram-sha-256\n`,
  )
  const serverOf = (host: Host): PostgresHost => {
    const url = `postgres://postgres:${password}@${host.address}:5432/postgres`
    const options = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const program = childProgram({
      name: host.name,
      command: host.command([join(bin, 'postgres'), '-D', data(host), ...options], user),
      env,
      cwd: folder,
      logFile: join(folder, 'logs', `${host.name}.log`),
      isReady: async () => (await rowsOf(url, 'SELECT 1')).length === 1,
    })
    return {
      ...program,
      // SIGTERM waits for clients.
      async stop() {
        if (program.pid() !== 0 && isAlive(program.pid())) process.kill(program.pid(), 'SIGQUIT')
        return program.stop()
      },
      host,
      url,
      async position() {
        const [row] = await rowsOf<{ readonly position: string }>(
          url,
          `SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END - '0/0')::text AS position`,
        )
        return BigInt(row?.position ?? 0)
      },
      async promote() {
        await rowsOf(url, 'SELECT pg_promote()')
      },
      async follow(primary) {
        await rowsOf(url, `ALTER SYSTEM SET primary_conninfo = '${conninfo(primary.host, host)}'`)
        await rowsOf(url, 'SELECT pg_reload_conf()')
      },
    }
  }
  const conninfo = (primary: Host, replica: Host) =>
    `host=${primary.address} user=postgres password=${password} application_name=${replica.name.replace('postgres-', 'postgres_')} connect_timeout=2`

  mkdirSync(join(folder, 'logs'), { recursive: true })
  const primary = serverOf(first)
  await primary.start()
  const replicas: PostgresHost[] = []
  for (const host of others) {
    once(
      host,
      join(bin, 'pg_basebackup'),
      '-h',
      first.address,
      '-U',
      'postgres',
      '-D',
      data(host),
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    )
    writeFileSync(join(data(host), 'standby.signal'), '')
    writeFileSync(join(data(host), 'postgresql.auto.conf'), `primary_conninfo = '${conninfo(first, host)}'\n`)
    const replica = serverOf(host)
    await replica.start()
    replicas.push(replica)
  }
  return [primary, ...replicas]
}

/** The account of Debian's package: PostgreSQL does not run as root. */
function postgresUser(): { readonly uid: number; readonly gid: number } {
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function binFolder(): string {
  const [version] = readdirSync('/usr/lib/postgresql').sort((one, other) => Number(other) - Number(one))
  return `/usr/lib/postgresql/${version}/bin`
}
