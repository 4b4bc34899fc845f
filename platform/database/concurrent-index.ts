import pg from 'pg'
import { buildPart, partitionsOf } from './partitioning/partition-index.ts'

/** A migration whose only statement builds an index beside reads and writes. */
const CONCURRENT_INDEX =
  /^((?:\s*--[^\n]*\n)*\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+)CONCURRENTLY\s+((?:"(\w+)"|(\w+))\s+ON\s[^;]*;?\s*)$/i

/**
 * Name of the index that a migration builds beside reads and writes, as PostgreSQL stores it: in
 * lower case where the statement does not quote it. Null for every other migration. Such a file has
 * one statement, because PostgreSQL runs several in a transaction, in which it builds no index
 * concurrently.
 */
export function concurrentIndexOf(sql: string): string | null {
  const [, , , quoted, name] = CONCURRENT_INDEX.exec(sql) ?? []
  return quoted ?? name?.toLowerCase() ?? null
}

const TABLE_AND_DEFINITION = /\sON\s+(?<table>"?\w+"?)\s+(?<definition>[^;]*)/i

/** The same index, built in a transaction. */
export const blockingIndex = (sql: string): string => sql.replace(CONCURRENT_INDEX, '$1$2')

/**
 * Builds an index outside of a transaction. One that an interrupted run left invalid is dropped
 * first, and one that is complete stays. What fails leaves no invalid index, unless the connection
 * is lost.
 */
export async function buildIndexConcurrently(
  client: pg.Client,
  { schema, index, sql }: { readonly schema: string; readonly index: string; readonly sql: string },
): Promise<void> {
  const name = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(index)}`
  const { table = '', definition = '' } = TABLE_AND_DEFINITION.exec(sql)?.groups ?? {}
  await client.query(`SET search_path = ${pg.escapeIdentifier(schema)}, public`)
  const partitions = await partitionsOf(client, table)
  const drop = partitions.length === 0 ? 'DROP INDEX CONCURRENTLY IF EXISTS' : 'DROP INDEX IF EXISTS'
  try {
    const { rows } = await client.query<{ isValid: boolean }>(
      'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
      [name],
    )
    if (rows[0]?.isValid) return
    if (rows[0]) await client.query(`${drop} ${name}`)
    if (partitions.length === 0) return void (await client.query(sql))
    // PostgreSQL builds the indexes of partitions beside writes, and none of the whole table.
    await client.query(blockingIndex(sql).replace(TABLE_AND_DEFINITION, ' ON ONLY $<table> $<definition>'))
    const isUnique = /CREATE\s+UNIQUE\s/i.test(sql)
    for (const partition of partitions) {
      const part = { schema: partition.schema, name: `${index}_${partition.position}` }
      await buildPart(client, name, part, partition, { definition, isUnique })
    }
  } catch (error) {
    await client.query(`${drop} ${name}`).catch(() => {})
    throw error
  } finally {
    await client.query('RESET search_path').catch(() => {})
  }
}
