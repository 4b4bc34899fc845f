import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyOf } from '../../../platform/database/any-of.ts'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'

type Tables = { note: { id: number; text: string } }

let fresh: FreshDatabase
let database: Database<Tables>
beforeAll(async () => {
  fresh = await emptyDatabase()
  database = openDatabase(fresh.connection, { schema: 'public', max: 1, onError: () => {} })
  await sql`CREATE TABLE note (id integer, text text)`.execute(database.query)
  await sql`INSERT INTO note VALUES (1, 'one'), (2, 'two'), (3, 'three')`.execute(database.query)
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const notes = prepared((query: Kysely<Tables>, ids: readonly number[], text: string) =>
  query
    .selectFrom('note')
    .selectAll()
    .where('text', '<>', text)
    .where('id', '=', anyOf(ids))
    .where('text', '<>', text)
    .orderBy('id')
    .compile(),
)

test('a statement is prepared once on a connection, and has the values of each call', async () => {
  expect(await notes(database.query, [3, 1], 'two')).toEqual([
    { id: 1, text: 'one' },
    { id: 3, text: 'three' },
  ])
  expect(await notes(database.query, [2, 3], 'three')).toEqual([{ id: 2, text: 'two' }])
  expect(await notes(database.query, [], '')).toEqual([])
  const { rows } = await sql<{ calls: number }>`
    SELECT (generic_plans + custom_plans)::integer AS calls FROM pg_prepared_statements WHERE statement LIKE '%"note"%'`.execute(
    database.query,
  )
  expect(rows).toEqual([{ calls: 3 }])
})

test('a plan is made once, whatever the number of ids', async () => {
  const plans = async () =>
    (
      await sql<{ generic: number; custom: number }>`
        SELECT generic_plans::integer AS generic, custom_plans::integer AS custom FROM pg_prepared_statements WHERE statement LIKE '%"planned"%'`.execute(
        database.query,
      )
    ).rows
  const planned = prepared((query: Kysely<Tables>, ids: readonly number[]) =>
    query.selectFrom('note').select('text as planned').where('id', '=', anyOf(ids)).orderBy('id').compile(),
  )
  for (const length of [1, 2, 3, 4, 5])
    await planned(
      database.query,
      Array.from({ length }, (_, id) => id),
    )
  // PostgreSQL plans five times for the values at hand before it compares.
  expect(await plans()).toEqual([{ generic: 0, custom: 5 }])
  expect(await planned(database.query, [2])).toEqual([{ planned: 'two' }])
  expect(await planned(database.query, [3, 1])).toEqual([{ planned: 'one' }, { planned: 'three' }])
  expect(await plans()).toEqual([{ generic: 2, custom: 5 }])
})

test('rows that are added again and again are prepared, what is read or changed is not', async () => {
  const prepared = async () =>
    (
      await sql<{ calls: number }>`
        SELECT (generic_plans + custom_plans)::integer AS calls FROM pg_prepared_statements WHERE statement ~ '^(insert|update)'`.execute(
        database.query,
      )
    ).rows
  const added = (id: number) =>
    database.query
      .insertInto('note')
      .values({ id, text: `${id}` })
      .returning('id')
      .execute()
  for (const id of [101, 102, 103, 104]) await added(id)
  expect(await prepared()).toEqual([])
  expect(await added(105)).toEqual([{ id: 105 }])
  expect(await added(106)).toEqual([{ id: 106 }])
  expect(await prepared()).toEqual([{ calls: 2 }])
  for (const id of [101, 102, 103, 104, 105, 106]) {
    await database.query.updateTable('note').set({ text: '-' }).where('id', '=', id).execute()
    await database.query.deleteFrom('note').where('id', '=', id).execute()
  }
  expect(await prepared()).toEqual([{ calls: 2 }])
})

test('within a transaction it sees what that has written', async () => {
  const seen = await database.query.transaction().execute(async (query) => {
    await query.insertInto('note').values({ id: 4, text: 'four' }).execute()
    return notes(query, [4], '')
  })
  expect(seen).toEqual([{ id: 4, text: 'four' }])
})

test('lists of other things than numbers arrive as they are', async () => {
  const echo = prepared((query: Kysely<Tables>, numbers: readonly (number | null)[], texts: readonly string[], at: Date) =>
    sql`SELECT ${numbers}::integer[] AS numbers, ${texts}::text[] AS texts, ${at}::timestamptz AS at, ${5}::integer AS five`.compile(
      query,
    ),
  )
  const at = new Date('2026-11-21T09:30:00.123Z')
  const texts = ['a"b', 'c,d', '{}', 'NULL']
  expect(await echo(database.query, [1, null], texts, at)).toEqual([{ numbers: [1, null], texts, at, five: 5 }])
})

test('a statement that fails does not keep its connection from the next one', async () => {
  const tenth = prepared((query: Kysely<Tables>, part: number) => sql`SELECT 10 / ${part}::integer AS share`.compile(query))
  await expect(tenth(database.query, 0)).rejects.toMatchObject({ code: '22012' })
  expect(await tenth(database.query, 5)).toEqual([{ share: 2 }])
})

test('a statement that was cancelled, before it is prepared or while it runs, can be sent again', async () => {
  for (const milliseconds of [0, 0, 1, 2, 50]) {
    const napping = prepared((query: Kysely<Tables>, seconds: number) =>
      sql`SELECT pg_sleep(${seconds}::float8), ${sql.lit(`nap ${milliseconds}`)} AS name`.compile(query),
    )
    const abort = new AbortController()
    const nap = withCancellation(abort.signal, () => napping(database.query, 30))
    setTimeout(() => abort.abort(new Error('enough')), milliseconds)
    await expect(nap).rejects.toThrow()
    expect(await napping(database.query, 0)).toMatchObject([{ name: `nap ${milliseconds}` }])
  }
})
