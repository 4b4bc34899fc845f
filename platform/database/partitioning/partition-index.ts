import pg from 'pg'
import { copyOf, partitionsSchemaOf } from './partitioned-copy.ts'
import { quotedTable, type TableDefinition, type TableName } from './table-definition.ts'

type Count = (done: number, total: number) => void

/** A partition, and its number from 0 on. */
type Partition = TableName & { readonly position: number }

/** Partitions of a table, whose name is quoted where it needs it; empty: it has none. */
export async function partitionsOf(client: pg.Client, table: string): Promise<readonly Partition[]> {
  const { rows } = await client.query<TableName>(
    `SELECT nspname::text AS schema, relname::text AS name FROM pg_inherits
     JOIN pg_class AS class ON class.oid = inhrelid AND class.relispartition
     JOIN pg_namespace AS namespace ON namespace.oid = relnamespace
     WHERE inhparent = to_regclass($1) ORDER BY length(relname), relname`,
    [table],
  )
  return rows.map((row, position) => ({ ...row, position }))
}

/**
 * Builds the indexes of the copy, each partition for itself and beside writes: PostgreSQL builds
 * none of a partitioned table concurrently. What exists and is valid stays.
 */
export async function buildIndexes(
  client: pg.Client,
  table: TableName,
  { indexes }: Pick<TableDefinition, 'indexes'>,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Count },
): Promise<void> {
  const missing = indexes.filter(({ isUnique }) => !isUnique)
  const partitions = await partitionsOf(client, quotedTable(copyOf(table)))
  let done = 0
  for (const { name, definition } of missing) {
    const whole = quotedTable({ schema: partitionsSchemaOf(table), name })
    if ((await validityOf(client, whole)) === null)
      await client.query(`CREATE INDEX ${pg.escapeIdentifier(name)} ON ONLY ${quotedTable(copyOf(table))} ${definition}`)
    for (const partition of partitions) {
      signal.throwIfAborted()
      progress(done, missing.length * partitions.length)
      const part = { schema: partition.schema, name: `${name}_${partition.position}` }
      await buildPart(client, whole, part, partition, { definition, isUnique: false })
      done += 1
    }
  }
}

/** Builds the index of one partition, and makes it a part of the index of the table. */
export async function buildPart(
  client: pg.Client,
  whole: string,
  part: TableName,
  partition: TableName,
  { definition, isUnique }: { readonly definition: string; readonly isUnique: boolean },
): Promise<void> {
  const name = quotedTable(part)
  const validity = await validityOf(client, name)
  if (validity === false) await client.query(`DROP INDEX CONCURRENTLY ${name}`)
  if (validity !== true)
    await client.query(
      `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${pg.escapeIdentifier(part.name)} ON ${quotedTable(partition)} ${definition}`,
    )
  await client.query(`ALTER INDEX ${whole} ATTACH PARTITION ${name}`)
}

/** Whether an index is valid; null: there is none. */
async function validityOf(client: pg.Client, name: string): Promise<boolean | null> {
  const { rows } = await client.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  return rows[0]?.isValid ?? null
}
