import { Socket } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { anyOf } from '../../../platform/database/any-of.ts'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'
import { databaseProxy } from './support/database-proxy.ts'

type Tables = { note: { id: number; text: string } }

let fresh: FreshDatabase
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let database: Database<Tables>
/** What each connection was asked; and, while it is an array, the answers that are held back. */
let executed: string[] = []
let held: (() => void)[] | null = null

beforeAll(async () => {
  fresh = await emptyDatabase()
  proxy = await databaseProxy(fresh.connection, {
    toServer: ({ bytes, place, pass }) => {
      executed[place] = (executed[place] ?? '') + bytes.toString('latin1')
      pass()
    },
    toClient: ({ pass }) => {
      if (held) held.push(pass)
      else pass()
    },
  })
  database = openDatabase(proxy.connection, { schema: 'public', max: 2, onError: () => {} })
  await sql`CREATE TABLE note (id integer PRIMARY KEY, text text)`.execute(database.query)
  await sql`INSERT INTO note VALUES (1, 'one'), (2, 'two')`.execute(database.query)
})
afterAll(async () => {
  await database.close()
  proxy.close()
  await fresh.drop()
})
beforeEach(() => {
  executed = []
  held = null
})

const textsOf = prepared((query: Kysely<Tables>, ids: readonly number[]) =>
  query.selectFrom('note').select('text').where('id', '=', anyOf(ids)).orderBy('id').compile(),
)
const idsOf = prepared((query: Kysely<Tables>, text: string) =>
  query.selectFrom('note').select('id').where('text', '=', text).compile(),
)
const divided = prepared((query: Kysely<Tables>, divisor: number) =>
  sql<{ quotient: number }>`SELECT 6 / ${divisor}::integer AS quotient`.compile(query),
)
const nap = prepared((query: Kysely<Tables>, seconds: number) => sql`SELECT pg_sleep(${seconds})`.compile(query))

const operation = <Result>(work: () => Result, signal = new AbortController().signal): Result => withCancellation(signal, work)

/**
 * An Execute message of PostgreSQL's protocol: its length, a portal without a name, and all rows.
 */
const EXECUTE = 'E\0\0\0\t\0\0\0\0\0'
/** How many statements each connection that was asked anything was asked. */
const statements = (): number[] => executed.filter(Boolean).map((text) => text.split(EXECUTE).length - 1)

test('statements issued together by one operation are sent on one connection before any is answered', async () => {
  await operation(() => Promise.all([textsOf(database.query, [1]), idsOf(database.query, 'two')]))
  executed = []
  held = []
  const answers = operation(() =>
    // As loaders do: each in a tick of its own, one of them after something else was waited for.
    Promise.all([
      textsOf(database.query, [2, 1]),
      idsOf(database.query, 'two'),
      Promise.resolve().then(() => divided(database.query, 2)),
    ]),
  )
  await expect.poll(statements).toEqual([3])
  for (const pass of held.splice(0)) pass()
  held = null
  expect(await answers).toEqual([[{ text: 'one' }, { text: 'two' }], [{ id: 2 }], [{ quotient: 3 }]])
})

test('what goes out together is written once', async () => {
  const both = () => operation(() => Promise.all([textsOf(database.query, [1]), idsOf(database.query, 'two')]))
  await both()
  // pg writes a statement in several pieces, the proxy what it gets in one.
  const writes = vi.spyOn(Socket.prototype as Required<Socket>, '_writev')
  try {
    expect(await both()).toEqual([[{ text: 'one' }], [{ id: 2 }]])
    expect(writes).toHaveBeenCalledTimes(1)
  } finally {
    writes.mockRestore()
  }
})

test('operations do not wait for each other', async () => {
  // Both connections are open.
  await Promise.all([operation(() => nap(database.query, 0.1)), operation(() => nap(database.query, 0.1))])
  executed = []
  held = []
  const answers = Promise.all([operation(() => textsOf(database.query, [1])), operation(() => textsOf(database.query, [2]))])
  await expect.poll(statements).toEqual([1, 1])
  for (const pass of held.splice(0)) pass()
  held = null
  expect(await answers).toEqual([[{ text: 'one' }], [{ text: 'two' }]])
})

test('one that fails takes no other with it', async () => {
  const [before, failed, after] = await operation(() =>
    Promise.allSettled([textsOf(database.query, [1]), divided(database.query, 0), idsOf(database.query, 'two')]),
  )
  expect(before).toMatchObject({ status: 'fulfilled', value: [{ text: 'one' }] })
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  expect(after).toMatchObject({ status: 'fulfilled', value: [{ id: 2 }] })
})

test('all statements of an operation are cancelled, and no others', async () => {
  const abort = new AbortController()
  const ended = operation(() => Promise.allSettled([nap(database.query, 15), nap(database.query, 15)]), abort.signal)
  await expect.poll(statements).toEqual([2])
  abort.abort(new Error('enough'))
  for (const each of await ended) expect(each).toMatchObject({ status: 'rejected', reason: { code: '57014' } })
  // Both connections are as good as before.
  const others = Array.from({ length: 4 }, () => operation(() => nap(database.query, 0.1)))
  expect(await Promise.all(others)).toHaveLength(4)
})

test('in a transaction a statement sees what was written before it, and goes where that goes', async () => {
  const seen = await operation(() =>
    transaction(database.query, async (query) => {
      const [, found] = await Promise.all([
        query.insertInto('note').values({ id: 3, text: 'three' }).execute(),
        textsOf(query, [3]),
        query.deleteFrom('note').where('id', '=', 3).execute(),
      ])
      return found
    }),
  )
  expect(seen).toEqual([{ text: 'three' }])
})

test('without a connection, all of them reject with the reason', async () => {
  const unreachable = openDatabase<Tables>(
    { host: '/nowhere', user: 'nobody', database: 'none' },
    { schema: 'public', onError: () => {} },
  )
  const ended = await operation(() => Promise.allSettled([textsOf(unreachable.query, [1]), idsOf(unreachable.query, 'two')]))
  await unreachable.close()
  for (const each of ended) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'ENOENT' } })
})
