import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MigrationList } from '@prisma/schema-engine-wasm'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import type { Connection } from '../../platform/database/database.ts'
import { migrate, migrationStatus, readMigrations } from '../../platform/database/migrate.ts'
import { DATA_MODELS, PRISMA_FOLDER, prismaFiles } from '../../scripts/prisma/data-model.ts'
import { differenceBetween, openSchemaEngine } from '../../scripts/prisma/schema-engine.ts'
import { emptyDatabase, freshDatabase } from '../support/database.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function database(make: typeof freshDatabase): Promise<Connection> {
  const { connection, drop } = await make()
  cleanups.push(drop)
  return connection
}

async function rowsOf(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Migrations of `subgraph` as Prisma's CLI reads them. */
function migrationList(subgraph: string): MigrationList {
  const folder = join(PRISMA_FOLDER, subgraph, 'migrations')
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(folder, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok', value: readFileSync(join(folder, name, 'migration.sql'), 'utf8') },
        },
      })),
  }
}

const FILTERS = { externalTables: [], externalEnums: [] }

describe.each(DATA_MODELS)("Prisma's schema engine and the migrations of %s", (subgraph) => {
  test('migrate status: a database that we migrated is up to date', async () => {
    const engine = await openSchemaEngine(await database(freshDatabase), subgraph, prismaFiles(subgraph))
    expect(
      await engine.diagnoseMigrationHistory({
        migrationsList: migrationList(subgraph),
        optInToShadowDatabase: false,
        filters: FILTERS,
      }),
    ).toMatchObject({ hasMigrationsTable: true, history: null, failedMigrationNames: [], editedMigrationNames: [] })
    engine.free()
  })

  test('migrate deploy creates the same schema on an empty database as our runner, which then has nothing to do', async () => {
    const connection = await database(emptyDatabase)
    const names = readMigrations()
      .filter((migration) => migration.subgraph === subgraph)
      .map(({ name }) => name)
    await rowsOf(connection, `CREATE SCHEMA ${subgraph}`)
    const engine = await openSchemaEngine(connection, subgraph, prismaFiles(subgraph))
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: migrationList(subgraph),
      filters: FILTERS,
    })
    engine.free()
    expect(appliedMigrationNames).toEqual(names)
    expect(await differenceBetween(connection, subgraph, prismaFiles(subgraph))).toBe('')
    const { applied } = await migrate(connection)
    expect(applied.filter((name) => name.startsWith(`${subgraph}/`))).toEqual([])
  })
})

test('a migration that Prisma could not finish stops ours, with what to do', async () => {
  const connection = await database(freshDatabase)
  await rowsOf(
    connection,
    `UPDATE social._prisma_migrations SET finished_at = NULL WHERE migration_name = '20261121000000_people'`,
  )
  await expect(migrate(connection)).rejects.toThrow(
    /^Migration social\/20261121000000_people was begun by Prisma and did not finish: .*prisma migrate resolve/,
  )
  await rowsOf(
    connection,
    `UPDATE social._prisma_migrations SET rolled_back_at = now() WHERE migration_name = '20261121000000_people'`,
  )
  const status = await migrationStatus(connection)
  expect(status.find(({ name }) => name === '20261121000000_people')?.state).toBe('pending')
})

/** Migrations that the release before this one did not have. */
const NEWER = [
  '20261130100000_installations',
  '20261129010000_order_line_discount',
  '20261130120000_list_entry_id',
  '20261201100000_listed_urls',
]

/** A database as release 0.1 left it: its migrations, recorded in its own tables. */
async function databaseOfRelease(): Promise<Connection> {
  const connection = await database(emptyDatabase)
  const client = new pg.Client({ ...connection })
  await client.connect()
  for (const { subgraph, name, sql, checksum } of readMigrations().filter((migration) => !NEWER.includes(migration.name))) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${subgraph}; SET search_path = ${subgraph}, public`)
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${subgraph}._migrations
       (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    )
    await client.query(sql)
    await client.query(`INSERT INTO ${subgraph}._migrations (name, checksum) VALUES ($1, $2)`, [name, checksum])
  }
  await client.query(`
    INSERT INTO trust.list_entry (list, edition, key, scope, rank) VALUES
      ('popular', 1, 'example.com', 'domain', 1), ('popular', 1, 'example.com', 'domain', 1), ('popular', 2, 'example.org', 'domain', 2);
    INSERT INTO social."user" (email, email_key, name, name_key, role) VALUES ('A@example.com', 'a@example.com', 'A', 'a', 'USER');
    INSERT INTO social.event_topic VALUES ('post', 3)`)
  await client.end()
  return connection
}

describe('a database of the release before', () => {
  test('is upgraded by migrating: rows stay, records move to the table that Prisma reads', async () => {
    const connection = await databaseOfRelease()
    const before = await migrationStatus(connection)
    expect(before.filter(({ state }) => state === 'pending').map(({ name }) => name)).toEqual(NEWER)
    const { applied } = await migrate(connection)
    expect(applied.map((name) => name.split('/')[1])).toEqual(NEWER)

    expect(await rowsOf(connection, 'SELECT list, edition, key, rank FROM trust.list_entry ORDER BY id')).toEqual([
      { list: 'popular', edition: '1', key: 'example.com', rank: 1 },
      { list: 'popular', edition: '1', key: 'example.com', rank: 1 },
      { list: 'popular', edition: '2', key: 'example.org', rank: 2 },
    ])
    expect(await rowsOf(connection, `SELECT email, role FROM social."user"`)).toEqual([{ email: 'A@example.com', role: 'USER' }])
    expect(await rowsOf(connection, `SELECT to_regclass('social._migrations') AS old`)).toEqual([{ old: null }])
    const times = (list: typeof before) => list.filter(({ name }) => !NEWER.includes(name))
    expect(times(await migrationStatus(connection))).toEqual(times(before))
    for (const subgraph of DATA_MODELS) expect(await differenceBetween(connection, subgraph, prismaFiles(subgraph))).toBe('')
  })

  test('migration status leaves its records unchanged', async () => {
    const connection = await databaseOfRelease()
    await migrationStatus(connection)
    expect(await rowsOf(connection, `SELECT to_regclass('social._prisma_migrations') AS new`)).toEqual([{ new: null }])
  })
})
