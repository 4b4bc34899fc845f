import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redisRecentWrites } from '../../../composition/shared-recent-writes.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { type DatabasePair, startPair } from '../../../platform/database/embedded/replicated-pair.ts'
import { migrate } from '../../../platform/database/migrate.ts'
import { localRecentWrites, writerKeys } from '../../../platform/database/recent-writes.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { socialSubgraph } from '../../../subgraphs/social/subgraph.ts'
import { hasRedis, redisServer } from '../../gateway/support/redis.ts'

type Tables = { note: { text: string } }

const log = pino({ level: 'silent' })
const folder = mkdtempSync(join(tmpdir(), 'atrium-replica-'))
const ann: Caller = { requestId: 'a', address: '203.0.113.1', credentials: { authorization: 'Bearer ann' } }
const bob: Caller = { requestId: 'b', address: '203.0.113.2', credentials: {} }

let pair: DatabasePair
let onReplica: pg.Client
let database: Database<Tables>
const writes = localRecentWrites()
const said: string[] = []

beforeAll(async () => {
  pair = await startPair({ dataDir: folder, log })
  await migrate(pair.primary.connection)
  const client = new pg.Client(pair.primary.connection)
  await client.connect()
  await client.query(`CREATE TABLE note (text text);
    CREATE FUNCTION is_replica() RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT pg_is_in_recovery()';
    CREATE FUNCTION scribble() RETURNS text LANGUAGE sql VOLATILE AS 'INSERT INTO note VALUES (''scribbled'') RETURNING text'`)
  await client.end()
  onReplica = new pg.Client(pair.replica.connection)
  onReplica.on('error', () => {})
  await onReplica.connect()
  database = openDatabase<Tables>(pair.primary.connection, {
    schema: 'public',
    replica: { connection: pair.replica.connection, writes },
    onError: ({ message }) => said.push(message),
  })
  while (!(await mayLag(bob))) await sleep(20)
}, 120_000)
afterAll(async () => {
  await onReplica.end().catch(() => {})
  await database.close()
  await pair.stop()
  rmSync(folder, { recursive: true, force: true })
})

const mayLag = (caller: Caller) => database.replicaHooks.mayReadReplica?.(caller)
const replicaHooks = <Result>(work: () => Result, isBehind = true) =>
  withCancellation(new AbortController().signal, work, { mayReadReplica: isBehind })
const isReplica = async () => {
  const { rows } = await sql<{ answer: boolean }>`SELECT is_replica() AS answer`.execute(database.query)
  return rows[0]?.answer
}

describe('reads that may be behind', () => {
  test('are answered by the replica, and all others by the primary', async () => {
    await expect.poll(() => replicaHooks(isReplica)).toBe(true)
    expect([await isReplica(), await replicaHooks(isReplica, false)]).toEqual([false, false])
    const { rows } = await replicaHooks(() => sql<{ answer: boolean }>`SELECT is_replica() AS answer`.execute(database.now))
    expect(rows[0]?.answer).toBe(false)
  })

  test('write to the primary where they write after all, once', async () => {
    await replicaHooks(() => database.query.insertInto('note').values({ text: 'inserted' }).execute())
    await replicaHooks(() =>
      database.query.transaction().execute((all) => all.insertInto('note').values({ text: 'in one' }).execute()),
    )
    await replicaHooks(() => sql`SELECT scribble()`.execute(database.query))
    const stored = await database.now.selectFrom('note').select('text').orderBy('text').execute()
    expect(stored.map(({ text }) => text)).toEqual(['in one', 'inserted', 'scribbled'])
  })

  test('are cancelled there like everywhere', async () => {
    const ended = new AbortController()
    const slow = withCancellation(
      ended.signal,
      () => sql`SELECT count(*) FROM generate_series(1, 10000000000)`.execute(database.query),
      { mayReadReplica: true },
    )
    const running = () =>
      onReplica.query(
        `SELECT FROM pg_stat_activity WHERE query LIKE '%10000000000%' AND pid <> pg_backend_pid() AND state = 'active'`,
      )
    await expect.poll(async () => (await running()).rowCount).toBe(1)
    ended.abort(new Error('gone'))
    await expect(slow).rejects.toThrow()
    await expect.poll(async () => (await running()).rowCount).toBe(0)
  })
})

describe('a user who has written', () => {
  test('reads the primary until the replica has that, known by credentials or by address', async () => {
    await writes.note(writerKeys(ann), 2n ** 62n)
    expect([
      await mayLag(ann),
      await mayLag({ ...ann, credentials: {} }),
      await mayLag({ ...ann, address: '203.0.113.9' }),
    ]).toEqual([false, false, false])
    await expect.poll(() => mayLag(bob)).toBe(true)
  })

  test('sees its own post while the replica lags, and no user reads from a replica that stays behind', async () => {
    const social = await socialSubgraph({
      connection: pair.primary.connection,
      replica: { connection: pair.replica.connection, writes: localRecentWrites() },
      log,
    })
    const link = createLocalLink(social)
    // biome-ignore lint/suspicious/noExplicitAny: the answer is read by the paths that it has.
    const ask = async (query: string, caller: Caller): Promise<any> => {
      const requestContext = { caller, signal: new AbortController().signal }
      const { data, errors } = await link.execute({ query, variables: {}, operationName: undefined }, requestContext)
      expect(errors).toBeUndefined()
      return data
    }
    try {
      await expect.poll(() => social.mayReadReplica?.(bob), { timeout: 20_000 }).toBe(true)
      await onReplica.query('SELECT pg_wal_replay_pause()')
      const from = { ...bob, address: '203.0.113.3' }
      const { login } = await ask(
        `mutation { createUser(input: { email: "cy@example.org", name: "Cy", password: "correct horse" }) { errors { message } }
          login(email: "cy@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`,
        from,
      )
      const cy = { ...from, credentials: { authorization: `Bearer ${login.token}` } }
      expect((await ask('{ me { name } }', cy)).me).toEqual({ name: 'Cy' })
      await ask('mutation { createPost(input: { title: "Hi", content: "There", published: true }) { __typename } }', cy)
      expect((await ask('{ me { posts { title } } }', cy)).me.posts).toEqual([{ title: 'Hi' }])
      await expect.poll(() => social.mayReadReplica?.(bob), { timeout: 20_000 }).toBe(false)
      await onReplica.query('SELECT pg_wal_replay_resume()')
      await expect.poll(() => social.mayReadReplica?.(cy), { timeout: 20_000 }).toBe(true)
      expect((await ask('{ me { posts { title } } }', cy)).me.posts).toEqual([{ title: 'Hi' }])
    } finally {
      await onReplica.query('SELECT pg_wal_replay_resume()')
      await social.close()
    }
  }, 90_000)

  test('an evicted user counts as the latest evicted write', async () => {
    const few = localRecentWrites(2)
    for (const [writer, position] of [
      ['a', 7n],
      ['b', 5n],
      ['c', 6n],
    ] as const)
      await few.note([writer], position)
    expect([await few.positionOf(['a']), await few.positionOf(['stranger']), await few.positionOf(['b', 'c'])]).toEqual([
      7n,
      7n,
      7n,
    ])
  })

  test.skipIf(!hasRedis)('is shared with all processes through Redis, and with none while that is unavailable', async () => {
    const redis = await redisServer()
    const [one, other] = await Promise.all([
      redisRecentWrites(redis.url, 'social', log),
      redisRecentWrites(redis.url, 'social', log),
    ])
    expect(await one.note(['ann', 'there'], 300n)).toBe(true)
    expect(await one.note(['ann'], 200n)).toBe(true)
    expect([await other.positionOf(['ann']), await other.positionOf(['x', 'there']), await other.positionOf(['x'])]).toEqual([
      300n,
      300n,
      0n,
    ])
    await redis.stop()
    expect([await one.note(['ann'], 400n), await other.positionOf(['ann'])]).toEqual([false, null])
    await Promise.all([one.close(), other.close()])
  })
})

test('a replica that is gone costs no answer', async () => {
  const answers = Array.from({ length: 50 }, async (_, index) => {
    if (index === 10) await pair.replica.stop()
    return replicaHooks(() => database.query.selectFrom('note').select('text').execute())
  })
  expect((await Promise.all(answers)).map(({ length }) => length)).toEqual(answers.map(() => 3))
  expect(await replicaHooks(isReplica)).toBe(false)
  await expect.poll(() => mayLag(bob)).toBe(false)
  // Said by the next look, which may be later.
  await expect.poll(() => said.join()).toContain('The replica is unavailable')
})
