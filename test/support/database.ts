import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate } from '../../database/migrate.ts'
import type { Connection } from '../../subgraphs/runtime/database.ts'

/** An empty database, migrated, that belongs to the caller until `drop`. */
export type FreshDatabase = { readonly connection: Connection; readonly drop: () => Promise<void> }

/** A new database on the server of the test run (DATABASE_URL when that is set, an embedded one otherwise), migrated. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const database = await emptyDatabase()
  await migrate(database.connection)
  return database
}

/** A new database on the server of the test run, without any migration. */
export async function emptyDatabase(): Promise<FreshDatabase> {
  const server = inject('databaseUrl')
  const name = `atrium_test_${randomUUID().replaceAll('-', '')}`
  await run(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  // FORCE: a test that failed half-way may have left connections open.
  return { connection: { connectionString: url.href }, drop: () => run(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
