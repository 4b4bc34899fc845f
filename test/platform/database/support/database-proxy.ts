import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Connection } from '../../../../platform/database/database.ts'

/** What hears, and hands on, what is said over a connection; `place` counts connections from 0. */
export type Between = (said: { readonly bytes: Buffer; readonly place: number; readonly pass: () => void }) => void

/**
 * A server in front of a test's database, on a Unix socket: `toServer` and `toClient` decide when
 * something goes on.
 */
export async function databaseProxy(connection: Connection, { toServer, toClient }: { toServer: Between; toClient: Between }) {
  const { host, port, database, user, password } = new pg.Client(connection)
  // The embedded server asks for one.
  const login = password ? `${user}:${encodeURIComponent(password)}` : user
  const server = () => (host.startsWith('/') ? createConnection(join(host, `.s.PGSQL.${port}`)) : createConnection(port, host))
  const sockets: Socket[] = []
  let places = 0
  const proxy = createServer((client) => {
    const [place, to] = [places, server()]
    places += 1
    sockets.push(client, to)
    client.on('data', (bytes) => toServer({ bytes, place, pass: () => to.write(bytes) }))
    to.on('data', (bytes) => toClient({ bytes, place, pass: () => client.write(bytes) }))
    for (const socket of [client, to]) socket.on('error', () => {}).on('close', () => socket === to && client.destroy())
  })
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'))
  proxy.listen(join(folder, '.s.PGSQL.5432'))
  await once(proxy, 'listening')
  return {
    connection: { connectionString: `postgresql://${login}@localhost:5432/${database}?host=${encodeURIComponent(folder)}` },
    close: () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      rmSync(folder, { recursive: true })
    },
  }
}
