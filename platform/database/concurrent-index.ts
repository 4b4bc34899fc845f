import pg from 'pg'

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
  const { rows } = await client.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  )
  if (rows[0]?.isValid) return
  if (rows[0]) await client.query(`DROP INDEX CONCURRENTLY ${name}`)
  await client.query(`SET search_path = ${pg.escapeIdentifier(schema)}, public`)
  try {
    await client.query(sql)
  } catch (error) {
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`).catch(() => {})
    throw error
  } finally {
    await client.query('RESET search_path').catch(() => {})
  }
}
