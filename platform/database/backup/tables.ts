import pg from 'pg'
import { RECORD_TABLES } from '../migration-records.ts'

/** A table of ours as a backup holds it: `columns` without those that the database works out. */
export type Table = { readonly schema: string; readonly name: string; readonly columns: readonly string[] }

export const labelOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string => `${schema}.${name}`
export const quotedName = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`

/** Values are then the same text on every server, whatever its settings. */
export const STABLE_TEXT_SETTINGS = `
  SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8'`

/**
 * The tables of these schemas, each behind those that its rows refer to. Records of migrations are
 * not among them: they come from migrating.
 */
export async function listTables(client: pg.Client, schemas: readonly string[]): Promise<Table[]> {
  const { rows: tables } = await client.query<Table & { readonly oid: string }>(
    `SELECT class.oid::text, namespace.nspname AS schema, class.relname AS name,
       array(SELECT attname::text FROM pg_attribute WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
             ORDER BY attname) AS columns
     FROM pg_class AS class JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
     WHERE namespace.nspname = ANY($1) AND class.relkind IN ('r', 'p') AND NOT class.relispartition AND class.relname <> ALL($2)
     ORDER BY namespace.nspname, class.relname`,
    [schemas, RECORD_TABLES],
  )
  const { rows: references } = await client.query<{ readonly from: string; readonly to: string }>(
    `SELECT conrelid::text AS "from", confrelid::text AS "to" FROM pg_constraint WHERE contype = 'f' AND conrelid <> confrelid`,
  )
  const ordered: (typeof tables)[number][] = []
  let remaining = tables
  while (remaining.length > 0) {
    const isBlocked = (oid: string) =>
      references.some(({ from, to }) => from === oid && remaining.some((other) => other.oid === to))
    const next = remaining.filter(({ oid }) => !isBlocked(oid))
    if (next.length === 0) throw new Error(`Expected no circle of references between ${remaining.map(labelOf).join(', ')}.`)
    ordered.push(...next)
    remaining = remaining.filter((table) => !next.includes(table))
  }
  return ordered.map(({ schema, name, columns }) => ({ schema, name, columns }))
}

/** A sequence, and how far it has come. */
export type Sequence = { readonly schema: string; readonly name: string; readonly lastValue: string; readonly isCalled: boolean }

export async function listSequences(client: pg.Client, schemas: readonly string[]): Promise<Sequence[]> {
  const { rows } = await client.query<{ readonly schema: string; readonly name: string }>(
    `SELECT schemaname AS schema, sequencename AS name FROM pg_sequences WHERE schemaname = ANY($1) ORDER BY 1, 2`,
    [schemas],
  )
  const sequences: Sequence[] = []
  for (const row of rows) {
    const { rows: found } = await client.query<Pick<Sequence, 'lastValue' | 'isCalled'>>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM ${quotedName(row)}`,
    )
    sequences.push(...found.map((state) => ({ ...row, ...state })))
  }
  return sequences
}
