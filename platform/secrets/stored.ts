import { type Kysely, type RawBuilder, sql } from 'kysely'
import { keyIdIn, type SecretCipher, type SecretLocation } from './cipher.ts'

/** A database column with a secret that must be readable again. */
export type StoredSecret = {
  /** Name for operators. */
  readonly name: string
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly primaryKey: readonly string[]
  /** `jsonb`: plain, it is an object; encrypted, a JSON string. Otherwise the column is text. */
  readonly isJson: boolean
}

/** How the rows of one column are stored. */
export type StoredCount = {
  /** Null: plain. */
  readonly keyId: string | null
  readonly rows: number
}

/** Result for the rows of one column. */
export type Reencrypted = {
  readonly changed: number
  /** Rows with an unknown key or changed by others: left as they are. */
  readonly unreadable: number
}

/** Rows that are read at once. */
const BATCH_ROWS = 200

/**
 * The format that the cipher writes, as PostgreSQL's regular expressions spell it; `keyId` is one
 * of ours or a pattern.
 */
const encryptedPattern = (keyId: string): string => `^v1:${keyId}:[A-Za-z0-9_-]{16}:[A-Za-z0-9_-]{22,}$`

/** The location of a secret in the row with this primary key. */
export const secretLocation = (
  { schema, table, column }: Pick<StoredSecret, 'schema' | 'table' | 'column'>,
  ...row: readonly (string | number)[]
): SecretLocation => ({ column: `${schema}.${table}.${column}`, row })

/**
 * How many rows are stored under which key, plain ones first; with `newest`, of so many rows at the
 * end of the table only.
 */
export async function countByKey(
  database: Kysely<never>,
  secret: StoredSecret,
  newest: number | null = null,
): Promise<readonly StoredCount[]> {
  const { schema, table, column, primaryKey } = secret
  const last = primaryKey.at(-1) ?? ''
  const limited = newest === null ? sql`` : sql`ORDER BY ${sql.ref(last)} DESC LIMIT ${newest}`
  const { rows } = await sql<{ keyId: string | null; count: string }>`
    SELECT CASE WHEN value ~ ${encryptedPattern('[0-9a-f]{8}')} THEN substr(value, 4, 8) END AS "keyId", count(*)::text AS count
    FROM (
      SELECT ${textOf(secret)} AS value FROM ${sql.id(schema, table)} WHERE ${sql.ref(column)} IS NOT NULL ${limited}
    ) AS stored
    GROUP BY 1 ORDER BY 1 NULLS FIRST`.execute(database)
  return rows.map(({ keyId, count }) => ({ keyId, rows: Number(count) }))
}

/**
 * Encrypts values that are not yet encrypted under the first key. After an interruption it
 * continues: encrypted values are skipped. A row that is written concurrently keeps its new value.
 * `progress` gets the number of checked rows.
 */
export async function reencrypt(
  database: Kysely<never>,
  secret: StoredSecret,
  cipher: SecretCipher,
  { signal, progress }: { readonly signal?: AbortSignal; readonly progress?: (rows: number) => void } = {},
): Promise<Reencrypted> {
  const [keyId] = cipher.keyIds
  if (keyId === undefined) return { changed: 0, unreadable: 0 }
  const { schema, table, primaryKey } = secret
  const [from, key, value] = [sql.id(schema, table), columnsOf(primaryKey), textOf(secret)]
  let [changed, unreadable, seen] = [0, 0, 0]
  let after: readonly string[] | null = null

  for (;;) {
    signal?.throwIfAborted()
    const behind: RawBuilder<unknown> = after ? sql`AND (${key}) > (${valuesOf(after)})` : sql``
    const { rows }: { rows: { row: string[]; stored: string }[] } = await sql<{ row: string[]; stored: string }>`
      SELECT ARRAY[${asTexts(primaryKey)}] AS row, ${value} AS stored FROM ${from}
      WHERE ${value} !~ ${encryptedPattern(keyId)} ${behind} ORDER BY ${key} LIMIT ${BATCH_ROWS}`.execute(database)
    for (const { row, stored } of rows) {
      const replacement = reencryptText(cipher, secretLocation(secret, ...row), stored)
      if (replacement === null) unreadable += 1
      else if (await replace(database, secret, row, { stored, anew: replacement })) changed += 1
    }
    seen += rows.length
    progress?.(seen)
    if (rows.length < BATCH_ROWS) return { changed, unreadable }
    after = rows.at(-1)?.row ?? null
  }
}

/**
 * The ids of keys that stored secrets are encrypted under, and that the cipher does not have: of
 * the newest rows, for tables may be large.
 */
export async function unknownKeys(
  database: Kysely<never>,
  secrets: readonly StoredSecret[],
  cipher: SecretCipher,
): Promise<readonly string[]> {
  const counts = await Promise.all(secrets.map((secret) => countByKey(database, secret, BATCH_ROWS)))
  const keyIds = counts.flat().flatMap(({ keyId }) => (keyId === null ? [] : [keyId]))
  return [...new Set(keyIds)].filter((keyId) => !cipher.keyIds.includes(keyId))
}

function reencryptText(cipher: SecretCipher, location: SecretLocation, stored: string): string | null {
  const keyId = keyIdIn(stored)
  if (keyId !== null && !cipher.keyIds.includes(keyId)) return null
  let text: string
  try {
    text = cipher.decrypt(location, stored)
  } catch {
    // Changed or moved: `secrets status` counts it, and its readers get an error.
    return null
  }
  return cipher.encrypt(location, text)
}

/** False when the row was written since. */
async function replace(
  database: Kysely<never>,
  secret: StoredSecret,
  row: readonly string[],
  { stored, anew: replacement }: { readonly stored: string; readonly anew: string },
): Promise<boolean> {
  const { schema, table, column, primaryKey, isJson } = secret
  const written = isJson ? sql`to_jsonb(${replacement}::text)` : sql`${replacement}`
  const { numAffectedRows = 0n } = await sql`
    UPDATE ${sql.id(schema, table)} SET ${sql.ref(column)} = ${written}
    WHERE (${columnsOf(primaryKey)}) = (${valuesOf(row)}) AND ${textOf(secret)} = ${stored}`.execute(database)
  return numAffectedRows > 0n
}

const textOf = ({ column, isJson }: StoredSecret): RawBuilder<unknown> =>
  isJson ? sql`(${sql.ref(column)} #>> '{}')` : sql`${sql.ref(column)}`
const columnsOf = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)))
const asTexts = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql`${sql.ref(name)}::text`))
const valuesOf = (row: readonly string[]): RawBuilder<unknown> => sql.join(row.map((value) => sql`${value}`))
