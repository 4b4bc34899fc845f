import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { poolerConnection } from '../../../platform/database/pooler.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { OperatorError } from '../../../platform/process/operator-error.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'
import { databaseProxy } from './support/database-proxy.ts'
import { HAS_PGBOUNCER, startPgbouncer } from './support/pgbouncer.ts'

type Numbers = { numbers: { id: number } }

describe.skipIf(!HAS_PGBOUNCER)('through pgbouncer in transaction mode, with two connections of the server', () => {
  let fresh: FreshDatabase
  let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>
  let database: Database<Numbers>
  beforeAll(async () => {
    fresh = await emptyDatabase()
    const made = openDatabase(fresh.connection, { schema: 'public', onError: () => {} })
    await sql`CREATE SCHEMA things`.execute(made.now)
    await sql`CREATE TABLE things.numbers (id int PRIMARY KEY)`.execute(made.now)
    await made.close()
    pgbouncer = await startPgbouncer(fresh.connection, { schemas: ['things'], size: 2 })
    const pooler = await poolerConnection(pgbouncer.url, 'things')
    database = openDatabase<Numbers>(fresh.connection, { schema: 'things', pooler, onError: () => {} })
  })
  afterAll(async () => {
    await database?.close()
    await pgbouncer?.close()
    await fresh?.drop()
  })

  test('frequent statements and inserts work on whichever connection they meet', async () => {
    const byIds = prepared((query: Kysely<Numbers>, ids: readonly number[]) =>
      query.selectFrom('numbers').select('id').where('id', '=', sql<number>`any(${ids}::int[])`).orderBy('id').compile(),
    )
    const ids = Array.from({ length: 60 }, (_, index) => index)
    await Promise.all(ids.map((id) => database.query.insertInto('numbers').values({ id }).execute()))
    const found = await Promise.all(ids.map((id) => byIds(database.query, [id, id + 1])))
    expect(found.slice(0, 2)).toEqual([
      [{ id: 0 }, { id: 1 }],
      [{ id: 1 }, { id: 2 }],
    ])
    const backends = await Promise.all(
      ids.map(() => sql<{ pid: number }>`SELECT pg_backend_pid() AS pid, pg_sleep(0.01)`.execute(database.query)),
    )
    expect(new Set(backends.flatMap(({ rows }) => rows.map(({ pid }) => pid))).size).toBe(2)
  })

  test('a cancellation ends the statement that it is for, and no other', async () => {
    const abort = new AbortController()
    const nap = withCancellation(abort.signal, () => sql`SELECT pg_sleep(15)`.execute(database.query))
    const other = sql<{ done: string }>`SELECT 'done' AS done, pg_sleep(0.5)`.execute(database.query)
    await expect.poll(async () => (await asleep(fresh)).length).toBe(2)
    abort.abort(new Error('enough'))
    await expect(nap).rejects.toMatchObject({ code: '57014' })
    expect((await other).rows).toMatchObject([{ done: 'done' }])
  })

  test('notifications arrive on a connection of the server itself', async () => {
    const listener = await database.direct.connect()
    const delivered: string[] = []
    listener.on('notification', ({ payload = '' }) => delivered.push(payload))
    await listener.query('LISTEN things')
    await sql`SELECT pg_notify('things', 'new')`.execute(database.now)
    await expect.poll(() => delivered).toEqual(['new'])
    listener.release(true)
  })

  test('a pooler that leads to another schema is refused with what to set', async () => {
    const refused = poolerConnection(pgbouncer.url.replace('{subgraph}', 'things'), 'store')
    await expect(refused).rejects.toThrow(OperatorError)
    await expect(refused).rejects.toThrow(
      /leads to the schema things, and the store subgraph needs store.*connect_query = 'SET search_path = store, public'/,
    )
  })
})

/** How a client asks for TLS before it says anything else. */
const SSL_REQUEST = '0000000804d2162f'

test.skipIf(!HAS_PGBOUNCER)('a cancellation is encrypted where the connection is', async () => {
  const fresh = await emptyDatabase()
  const pgbouncer = await startPgbouncer(fresh.connection, { schemas: ['public'], size: 1, isEncrypted: true })
  const beginnings: string[] = []
  // pgbouncer takes a cancellation as plain text as well, so what is sent is read on the way.
  const relay = createServer((client) => {
    const pooler = createConnection(Number(new URL(pgbouncer.url).port), '127.0.0.1')
    client.once('data', (bytes) => beginnings.push(bytes.toString('hex')))
    client
      .on('error', () => {})
      .pipe(pooler.on('error', () => {}))
      .pipe(client)
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(pgbouncer.url.replace('{subgraph}', 'public'))
  // A server that listens on a port has such an address.
  url.port = String((relay.address() as AddressInfo).port)
  const database = openDatabase(fresh.connection, { schema: 'public', pooler: { connectionString: url.href }, onError: () => {} })
  try {
    const abort = new AbortController()
    const nap = withCancellation(abort.signal, () => sql`SELECT pg_sleep(15)`.execute(database.query))
    await expect.poll(async () => (await asleep(fresh)).length).toBe(1)
    abort.abort(new Error('enough'))
    await expect(nap).rejects.toMatchObject({ code: '57014' })
    expect(beginnings.length).toBeGreaterThan(1)
    expect(new Set(beginnings)).toEqual(new Set([SSL_REQUEST]))
  } finally {
    await database.close()
    relay.close()
    await pgbouncer.close()
    await fresh.drop()
  }
})

test('a result is there although the pooler takes no cancellation', async () => {
  const fresh = await emptyDatabase()
  let lost = 0
  const proxy = await databaseProxy(fresh.connection, {
    toServer: ({ place, pass }) => {
      if (place === 0) pass()
      else lost++
    },
    toClient: ({ pass }) => pass(),
  })
  const database = openDatabase(fresh.connection, { schema: 'public', pooler: proxy.connection, max: 1, onError: () => {} })
  try {
    await sql`SELECT 1`.execute(database.query)
    const abort = new AbortController()
    const answer = withCancellation(abort.signal, () => sql`SELECT 7 AS seven, pg_sleep(1)`.execute(database.query))
    await expect.poll(async () => (await asleep(fresh)).length).toBe(1)
    abort.abort(new Error('enough'))
    expect((await answer).rows).toMatchObject([{ seven: 7 }])
    expect(lost).toBeGreaterThan(0)
  } finally {
    await database.close()
    proxy.close()
    await fresh.drop()
  }
})

/** Statements of the database that sleep, seen past the pooler. */
async function asleep({ connection }: FreshDatabase) {
  const { query, close } = openDatabase(connection, { schema: 'public', max: 1, onError: () => {} })
  try {
    const { rows } = await sql`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'`.execute(query)
    return rows
  } finally {
    await close()
  }
}
