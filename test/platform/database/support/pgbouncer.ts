import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Connection } from '../../../../platform/database/database.ts'
import { startProgram } from '../../../support/program.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

/** Whether a pooler can run here; where REQUIRE_PGBOUNCER is set it runs, and fails without. */
export const HAS_PGBOUNCER = existsSync(PGBOUNCER) || Boolean(process.env.REQUIRE_PGBOUNCER)

/** Tables of each schema are looked for in it, as docs/scaling.md says for installations. */
const connectQuery = (schema: string): string => `SET search_path = ${schema}, public; SET statement_timeout = 10000`

/**
 * A pgbouncer in transaction mode in front of a database, with a database for each schema; `url`
 * contains {subgraph}. At most `size` connections of the server for each. With `isEncrypted` it
 * takes nothing without TLS.
 */
export async function startPgbouncer(
  connection: Connection,
  {
    schemas,
    size,
    isEncrypted = false,
  }: { readonly schemas: readonly string[]; readonly size: number; readonly isEncrypted?: boolean },
): Promise<{
  readonly url: string
  /** Connections to the server that it has now. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}> {
  const { host, port, user = '', password, database = '' } = new pg.Client(connection)
  const relay = await relayTo(host, port)
  const server = { host: '127.0.0.1', port: relay.port, user, password, dbname: database }
  const settings = Object.entries(server).flatMap(([name, value]) => (value ? [`${name}='${value}'`] : []))
  const databases = schemas.map((schema) => `atrium_${schema} = ${settings.join(' ')} connect_query='${connectQuery(schema)}'`)
  const folder = await mkdtemp(join(tmpdir(), 'atrium-pgbouncer.'))
  // It leaves root for this user, and then reads its configuration.
  await chmod(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder, name))
  if (isEncrypted && key && certificate) {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject], {
      stdio: 'ignore',
    })
    await chmod(key, 0o644)
  }
  const tls = isEncrypted
    ? `client_tls_sslmode = require\nclient_tls_key_file = ${key}\nclient_tls_cert_file = ${certificate}`
    : ''
  const query = isEncrypted ? `?sslmode=verify-full&sslrootcert=${certificate}` : ''
  const text = (listenPort: number) => `[databases]
${databases.join('\n')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
max_client_conn = 500
${tls}
${process.getuid?.() === 0 ? `user = nobody` : ''}
`
  const program = await startProgram(
    async (listenPort) => {
      await writeFile(file, text(listenPort), { mode: 0o644 })
      return [PGBOUNCER, [file]]
    },
    async ({ port: listenPort }) => {
      const client = new pg.Client({ connectionString: `postgres://any@127.0.0.1:${listenPort}/atrium_${schemas[0]}${query}` })
      await client.connect()
      await client.end()
      return true
    },
  )
  return {
    url: `postgres://any@127.0.0.1:${program.port}/atrium_{subgraph}${query}`,
    connections: relay.connections,
    async close() {
      await program.kill('SIGTERM')
      relay.close()
      await rm(folder, { recursive: true })
    },
  }
}

/**
 * A port that leads to the server: a pooler refuses to be root, and the folder of the embedded
 * server's socket may be entered by its owner alone.
 */
async function relayTo(host: string, port: number) {
  const sockets: Socket[] = []
  const servers = new Set<Socket>()
  const relay = createServer((client) => {
    const server = host.startsWith('/') ? createConnection(join(host, `.s.PGSQL.${port}`)) : createConnection(port, host)
    sockets.push(client, server)
    servers.add(server.on('close', () => servers.delete(server)))
    client.pipe(server).pipe(client)
    for (const socket of [client, server]) {
      socket.on('error', () => {}).on('close', () => (socket === client ? server : client).destroy())
    }
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  return {
    // A server that listens on a port has such an address.
    port: (relay.address() as AddressInfo).port,
    connections: () => servers.size,
    close() {
      for (const socket of sockets) socket.destroy()
      relay.close()
    },
  }
}
