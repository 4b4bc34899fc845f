import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chargeTo, withCancellation } from '../../../platform/database/cancellation.ts'
import { connectionTurns } from '../../../platform/database/connection-turns.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { withTenant } from '../../../platform/database/operation-context.ts'
import { emptyDatabase } from '../../support/database.ts'

const LIMIT_MS = 60_000
const CONNECTIONS = 2

let fresh: Awaited<ReturnType<typeof emptyDatabase>>
let database: Database<object>
beforeAll(async () => {
  fresh = await emptyDatabase()
  database = openDatabase(fresh.connection, { schema: 'public', max: CONNECTIONS, onError: () => {} })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

/** The order in which statements end; those of `hot` are asked for first. */
async function order(hot: number, quiet: readonly string[]): Promise<readonly string[]> {
  const ended: string[] = []
  const ask = (tenant: string) =>
    withTenant(tenant, async () => {
      await sql`SELECT 1`.execute(database.query)
      ended.push(tenant)
    })
  await Promise.all([...Array.from({ length: hot }, () => ask('hot')), ...quiet.map(ask)])
  return ended
}

test('a store with one statement waits for a few of a store with hundreds', async () => {
  // Opens the connections: who is given one that is being opened waits for that as well.
  await order(CONNECTIONS, [])
  const ended = await order(300, ['quiet', 'other'])
  // What runs already, and one of each tenant for each connection.
  for (const tenant of ['quiet', 'other']) expect(ended.indexOf(tenant)).toBeLessThan(CONNECTIONS * 4)
  expect(ended).toHaveLength(302)
  // Nothing is left behind: all connections can be had again.
  expect(await order(CONNECTIONS, [])).toHaveLength(CONNECTIONS)
})

test('an operation waits in the line of its store, as soon as that is known', async () => {
  const ended: string[] = []
  const run = (name: string) => sql`SELECT 1`.execute(database.query).then(() => ended.push(name))
  const work = Array.from({ length: 50 }, () =>
    // Many credentials of one store.
    withTenant(`key ${Math.random()}`, () => {
      chargeTo('store 1')
      return run('hot')
    }),
  )
  await Promise.all([...work, withTenant('store 2', () => run('quiet'))])
  expect(ended.indexOf('quiet')).toBeLessThan(CONNECTIONS * 3)
})

test('an operation that was aborted leaves its line at once', async () => {
  const turns = connectionTurns(1, LIMIT_MS)
  expect(turns.take()).toBeNull()
  const abort = new AbortController()
  const waiting = withCancellation(abort.signal, () => turns.take(), { tenant: 'a' })
  const next = withTenant('b', () => turns.take())
  expect(turns.waiting()).toBe(2)
  abort.abort(new Error('The client is gone.'))
  await expect(waiting).rejects.toThrow('The client is gone.')
  expect(turns.waiting()).toBe(1)
  await expect(withCancellation(abort.signal, () => turns.take())).rejects.toThrow('The client is gone.')
  turns.leave()
  await next
  turns.leave()
  expect(turns.take()).toBeNull()
})

test('who waits too long is told so in the words of the pool', async () => {
  const turns = connectionTurns(1, 1)
  expect(turns.take()).toBeNull()
  await expect(turns.take()).rejects.toThrow('timeout exceeded when trying to connect')
  expect(turns.waiting()).toBe(0)
})

test('a connection that cannot be had leaves its place to others', async () => {
  const gone = openDatabase(
    { connectionString: 'postgres://nobody@127.0.0.1:1/none' },
    { schema: 'public', max: 1, onError: () => {} },
  )
  try {
    for (let attempt = 0; attempt < 3; attempt++) await expect(sql`SELECT 1`.execute(gone.query)).rejects.toThrow('ECONNREFUSED')
  } finally {
    await gone.close()
  }
})
