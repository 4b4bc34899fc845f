import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTransientError } from '../../../platform/database/transient-error.ts'
import { freePort } from '../../../platform/http/listen.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await emptyDatabase()
})
afterAll(() => database.drop())

/** What a connection, or a statement on it, is rejected with. */
async function errorOf(config: pg.ClientConfig, sql: string): Promise<unknown> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
    return null
  } catch (error) {
    return error
  } finally {
    await client.end().catch(() => {})
  }
}

const there = () => database.connection as { readonly connectionString: string }

test.for([
  ['a server that is not there', async () => ({ host: '127.0.0.1', port: await freePort('127.0.0.1') }), 'SELECT 1'],
  ['a socket that is not there', () => ({ host: '/nowhere' }), 'SELECT 1'],
  ['a server that ends the connection', there, 'SELECT pg_terminate_backend(pg_backend_pid())'],
  ['a replica, before it has taken over', there, 'BEGIN READ ONLY; CREATE TABLE a ()'],
  ['a full disk', there, `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$`],
  ['a deadlock', there, `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'deadlock_detected'; END $$`],
] as const)('%s passes', async ([, config, sql]) => {
  expect(isTransientError(await errorOf(await config(), sql))).toBe(true)
})

test.for([
  ['a table that is not there', 'SELECT FROM nothing'],
  ['a value that is there already', 'CREATE TEMP TABLE a (b int UNIQUE); INSERT INTO a VALUES (1), (1)'],
  ['a statement that takes too long', 'SET statement_timeout = 1; SELECT pg_sleep(1)'],
] as const)('%s does not pass', async ([, sql]) => {
  const error = await errorOf(there(), sql)
  expect([error, isTransientError(error)]).toEqual([expect.any(pg.DatabaseError), false])
})
