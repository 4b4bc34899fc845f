import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { cancelledBy } from '../../../subgraphs/runtime/cancellation.ts'
import { openDatabase } from '../../../subgraphs/runtime/database.ts'
import { emptyDatabase } from '../../support/database.ts'

test('a cancellation that reaches the database before its statement is repeated until that has ended', async () => {
  const fresh = await emptyDatabase()
  const { host, port, database, user } = new pg.Client(fresh.connection)
  const server = () => (host.startsWith('/') ? createConnection(join(host, `.s.PGSQL.${port}`)) : createConnection(port, host))

  // What the first connection says is held back from `holding` until the second has been told that it cancelled.
  let holding = false
  const held: Buffer[] = []
  const sockets: Socket[] = []
  const proxy = createServer((client) => {
    const [first, to] = [sockets.length === 0, server()]
    sockets.push(client, to)
    client.on('data', (bytes) => {
      if (first && holding) held.push(bytes)
      else to.write(bytes)
    })
    to.on('data', (bytes) => {
      client.write(bytes)
      if (first || !bytes.includes('pg_cancel_backend')) return
      holding = false
      for (const each of held.splice(0)) sockets[1]?.write(each)
    })
    for (const socket of [client, to]) socket.on('error', () => {}).on('close', () => socket === to && client.destroy())
  })
  const folder = mkdtempSync(join(tmpdir(), 'atrium-'))
  proxy.listen(join(folder, '.s.PGSQL.5432'))
  await once(proxy, 'listening')
  const connectionString = `postgresql://${user}@localhost:5432/${database}?host=${encodeURIComponent(folder)}`
  const reached = openDatabase({ connectionString }, { schema: 'public', max: 1, onError: () => {} })
  try {
    await sql`SELECT 1`.execute(reached.query)
    holding = true
    const abort = new AbortController()
    const nap = cancelledBy(abort.signal, () => sql`SELECT pg_sleep(15)`.execute(reached.query))
    await expect.poll(() => held.length).toBeGreaterThan(0)
    abort.abort(new Error('enough'))
    await expect(nap).rejects.toMatchObject({ code: '57014' })
  } finally {
    await reached.close()
    for (const socket of sockets) socket.destroy()
    proxy.close()
    rmSync(folder, { recursive: true })
    await fresh.drop()
  }
})
