import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'
import { databaseProxy } from './support/database-proxy.ts'

type Tables = { note: { id: number; text: string } }

let fresh: FreshDatabase
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let database: Database<Tables>
/** What the connection said; and, while it is an array, the answers that are held back. */
let executed = ''
let held: (() => void)[] | null = null
/** How many statements were cancelled: all but the first of them a little late. */
let cancellations = 0

beforeAll(async () => {
  fresh = await emptyDatabase()
  proxy = await databaseProxy(fresh.connection, {
    toServer: ({ bytes, place, pass }) => {
      if (place === 0) executed += bytes.toString('latin1')
      const isCancellation = bytes.includes('pg_cancel_backend')
      if (isCancellation) cancellations += 1
      if (isCancellation && cancellations > 1) setTimeout(pass, 100)
      else pass()
    },
    toClient: ({ place, pass }) => {
      if (held && place === 0) held.push(pass)
      else pass()
    },
  })
  database = openDatabase(proxy.connection, { schema: 'public', max: 1, onError: () => {} })
  await sql`CREATE TABLE note (id integer PRIMARY KEY, text text)`.execute(database.query)
})
afterAll(async () => {
  await database.close()
  proxy.close()
  await fresh.drop()
})
beforeEach(() => sql`TRUNCATE note`.execute(database.query))

const add = (query: Kysely<Tables>, id: number) =>
  query
    .insertInto('note')
    .values({ id, text: `note ${id}` })
    .execute()
const ids = async (query: Kysely<Tables>) =>
  (await query.selectFrom('note').select('id').orderBy('id').execute()).map(({ id }) => id)

test('statements issued together are sent together, and run in order', async () => {
  const seen = await transaction(database.query, async (query) => {
    held = []
    executed = ''
    const answers = Promise.all([add(query, 1), ids(query), add(query, 2), ids(query)])
    // No answer has come, and all of them were asked.
    await expect.poll(() => executed.match(/insert into "note"|select "id" from "note"/g)?.length).toBe(4)
    for (const pass of held.splice(0)) pass()
    held = null
    const [, first, , second] = await answers
    return [first, second, await ids(query)]
  })
  expect(seen).toEqual([[1], [1, 2], [1, 2]])
  expect(await ids(database.query)).toEqual([1, 2])
})

test('a failed statement rolls back all, and is the reported one', async () => {
  await add(database.query, 2)
  const failed = transaction(database.query, (query) => Promise.all([add(query, 1), add(query, 2), add(query, 3)]))
  await expect(failed).rejects.toMatchObject({ code: '23505', constraint: 'note_pkey' })
  expect(await ids(database.query)).toEqual([2])
})

test('nothing is committed when a statement fails that was not awaited', async () => {
  await add(database.query, 2)
  const failed = transaction(database.query, async (query) => {
    add(query, 2).catch(() => {})
    await Promise.resolve()
  })
  await expect(failed).rejects.toThrow()
  await expect(
    transaction(database.query, async (query) => {
      await add(query, 1)
      throw new Error('Enough.')
    }),
  ).rejects.toThrow('Enough.')
  expect(await ids(database.query)).toEqual([2])
})

test('a cancelled transaction ends before its connection is reused', async () => {
  const abort = new AbortController()
  executed = ''
  const cancelled = withCancellation(abort.signal, () =>
    transaction(database.query, (query) =>
      Promise.all([add(query, 1), sql`SELECT pg_sleep(15)`.execute(query), add(query, 2), add(query, 3)]),
    ),
  )
  const refused = expect(cancelled).rejects.toMatchObject({ code: '57014' })
  await expect.poll(() => executed).toContain('pg_sleep')
  abort.abort(new Error('enough'))
  // It has the only connection, so this waits for it.
  await sql`SELECT pg_sleep(0.5)`.execute(database.query)
  expect(cancellations).toBeGreaterThan(1)
  await refused
  expect(await ids(database.query)).toEqual([])
})
