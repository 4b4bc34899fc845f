import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Connection } from '../../platform/database/database.ts'

/** A database of a test that belongs to the caller until `drop`. */
export type FreshDatabase = { readonly name: string; readonly connection: Connection; readonly drop: () => Promise<void> }

/**
 * A new database on `server`: a copy of the one with the name `template`, or an empty one;
 * `options` are further ones of CREATE DATABASE. Its files are copied as they are: through the log,
 * which is the default, takes twice the processor time.
 */
export async function createDatabase(server: string, template = 'template1', options = ''): Promise<FreshDatabase> {
  const name = `atrium_test_${randomUUID().replaceAll('-', '')}`
  await run(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy ${options}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  // FORCE: a test that failed half-way may have left connections open.
  const drop = () => run(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  return { name, connection: { connectionString: url.href }, drop }
}

/** Runs one statement on a connection of its own. */
export async function run(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
