import { randomUUID } from 'node:crypto'
import pg from 'pg'

/**
 * Records of applied migrations, in Prisma's own format: `<subgraph>._prisma_migrations`, as
 * `prisma migrate deploy` writes it, so that Prisma's CLI works against an installation.
 */

/**
 * Record of one migration. Prisma writes `finishedAt` last: null means that a run of
 * `prisma migrate deploy` failed halfway.
 */
export type MigrationRecord = { readonly name: string; readonly checksum: string; readonly finishedAt: Date | null }

/** Columns and types as of Prisma's schema engine 7. */
const CREATE_RECORDS = (schema: string): string => `
  CREATE TABLE IF NOT EXISTS ${schema}._prisma_migrations (
    id                  varchar(36) PRIMARY KEY NOT NULL,
    checksum            varchar(64) NOT NULL,
    finished_at         timestamptz,
    migration_name      varchar(255) NOT NULL,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0)`

/** Tables with records, which belong to no data model and to no backup. */
export const RECORD_TABLES: readonly string[] = ['_prisma_migrations', '_migrations']

/** Records of `subgraph`, oldest first; also where the release 0.1 wrote them. Read-only. */
export async function readRecords(client: pg.Client, subgraph: string): Promise<readonly MigrationRecord[]> {
  const schema = pg.escapeIdentifier(subgraph)
  if (await exists(client, `${schema}._prisma_migrations`)) {
    const { rows } = await client.query<MigrationRecord>(
      `SELECT migration_name AS name, checksum, finished_at AS "finishedAt" FROM ${schema}._prisma_migrations
       WHERE rolled_back_at IS NULL ORDER BY migration_name COLLATE "C", started_at`,
    )
    return rows
  }
  if (await exists(client, `${schema}._migrations`)) {
    const { rows } = await client.query<MigrationRecord>(
      `SELECT name, checksum, applied_at AS "finishedAt" FROM ${schema}._migrations ORDER BY name COLLATE "C"`,
    )
    return rows
  }
  return []
}

/** Moves the records of release 0.1 into Prisma's format; does nothing where there are none. */
export async function convertRecords(client: pg.Client, subgraph: string): Promise<void> {
  const schema = pg.escapeIdentifier(subgraph)
  if (!(await exists(client, `${schema}._migrations`))) return
  await client.query('BEGIN')
  try {
    await client.query(CREATE_RECORDS(schema))
    await client.query(
      `INSERT INTO ${schema}._prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       SELECT gen_random_uuid()::text, checksum, applied_at, name, applied_at, 1 FROM ${schema}._migrations`,
    )
    await client.query(`DROP TABLE ${schema}._migrations`)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Records a migration in the open transaction. */
export async function recordMigration(
  client: pg.Client,
  { subgraph, name, checksum }: { readonly subgraph: string; readonly name: string; readonly checksum: string },
): Promise<void> {
  const schema = pg.escapeIdentifier(subgraph)
  await client.query(CREATE_RECORDS(schema))
  await client.query(
    `INSERT INTO ${schema}._prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
     VALUES ($1, $2, clock_timestamp(), $3, 1)`,
    [randomUUID(), checksum, name],
  )
}

async function exists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [table])
  return rows[0]?.exists === true
}
