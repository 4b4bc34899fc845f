import { createHash } from 'node:crypto'
import pg from 'pg'

/** A table by its schema and name. */
export type TableName = { readonly schema: string; readonly name: string }

export const quotedTable = ({ schema, name }: TableName): string => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`

/** A named part of a table, and its definition as PostgreSQL prints it. */
type Part = { readonly name: string; readonly definition: string }

/** A foreign key of another table that refers to this one. */
export type IncomingReference = Part & { readonly table: TableName; readonly isPartitioned: boolean }

/** What a partitioned copy of a table needs to take its place. */
export type TableDefinition = {
  /** Its name with its schema, as PostgreSQL prints it in the definitions of others. */
  readonly printedName: string
  readonly isPartitioned: boolean
  /** Without generated ones, in their order; `identity` is that of `pg_attribute`: a (always), d (by default) or empty. */
  readonly columns: readonly { readonly name: string; readonly type: string; readonly identity: string }[]
  /** Columns of the primary key, in its order; empty: there is none. */
  readonly primaryKey: readonly string[]
  /** PRIMARY KEY, UNIQUE and outgoing FOREIGN KEY constraints. */
  readonly constraints: readonly Part[]
  readonly checks: readonly Part[]
  /** Columns of each primary key and unique index. */
  readonly uniqueColumns: readonly (readonly string[])[]
  /** Indexes without those of constraints; `definition` begins with `USING`. */
  readonly indexes: readonly (Part & { readonly isUnique: boolean })[]
  readonly triggers: readonly Part[]
  readonly referencing: readonly IncomingReference[]
  /** Tables that it refers to. */
  readonly referenced: readonly TableName[]
  /** Storage parameters, such as `fillfactor=90`. */
  readonly options: readonly string[]
  /** GRANT of privileges on the table to others than its owner. */
  readonly grants: readonly string[]
}

/** Trigger that repeats writes into the partitioned copy, which is no part of a definition. */
export const MIRROR_TRIGGER = 'partition_mirror'

/** The definition of a table; null: there is none. */
export async function readDefinition(client: pg.Client, table: TableName): Promise<TableDefinition | null> {
  // PostgreSQL then prints every name with its schema.
  await client.query(`SET search_path = pg_catalog`)
  const { rows } = await client.query<{ oid: string; printedName: string; kind: string; options: string[] | null }>(
    `SELECT oid::text, oid::regclass::text AS "printedName", relkind AS kind, reloptions AS options FROM pg_class WHERE oid = to_regclass($1) AND relkind IN ('r', 'p')`,
    [quotedTable(table)],
  )
  const [found] = rows
  if (!found) return null
  const of = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> =>
    (await client.query<Row>(text, [found.oid])).rows
  const columns = await of<TableDefinition['columns'][number]>(
    `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type, attidentity::text AS identity
     FROM pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
  )
  const constraints = await of<Part & { type: string; columns: string[] }>(
    `SELECT conname::text AS name, contype::text AS type, pg_get_constraintdef(oid) AS definition,
       array(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY AS key(number, position)
             JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY position) AS columns
     FROM pg_constraint WHERE conrelid = $1 AND contype IN ('p', 'u', 'f', 'c') AND conparentid = 0 ORDER BY contype <> 'p', conname`,
  )
  const indexes = await of<Part & { isUnique: boolean; ofConstraint: boolean; columns: string[] }>(
    `SELECT class.relname::text AS name, indisunique AS "isUnique",
       EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid) AS "ofConstraint",
       regexp_replace(pg_get_indexdef(indexrelid), '^.*? USING ', 'USING ') AS definition,
       array(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY(indkey)) AS columns
     FROM pg_index JOIN pg_class AS class ON class.oid = indexrelid WHERE indrelid = $1 ORDER BY class.relname`,
  )
  const triggers = await of<Part>(
    `SELECT tgname::text AS name, pg_get_triggerdef(oid) AS definition
     FROM pg_trigger WHERE tgrelid = $1 AND NOT tgisinternal AND tgname <> '${MIRROR_TRIGGER}' ORDER BY tgname`,
  )
  const referencing = await of<Part & TableName & { table: string; isPartitioned: boolean }>(
    `SELECT conname::text AS name, pg_get_constraintdef(constraints.oid) AS definition, nspname::text AS schema,
       relname::text AS table, relkind = 'p' AS "isPartitioned"
     FROM pg_constraint AS constraints JOIN pg_class AS class ON class.oid = conrelid
     JOIN pg_namespace AS namespace ON namespace.oid = relnamespace
     WHERE confrelid = $1 AND contype = 'f' AND conparentid = 0 ORDER BY nspname, relname, conname`,
  )
  const grants = await of<{ text: string }>(
    `SELECT format('%s ON %%s TO %s%s', privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(grantee::regrole::text) END,
       CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) AS text
     FROM pg_class, aclexplode(relacl) WHERE oid = $1 AND grantee <> relowner ORDER BY 1`,
  )
  const referenced = await of<TableName>(
    `SELECT DISTINCT nspname::text AS schema, relname::text AS name FROM pg_constraint
     JOIN pg_class AS class ON class.oid = confrelid JOIN pg_namespace AS namespace ON namespace.oid = relnamespace
     WHERE conrelid = $1 AND contype = 'f' AND conparentid = 0 ORDER BY 1, 2`,
  )
  return {
    printedName: found.printedName,
    isPartitioned: found.kind === 'p',
    columns,
    primaryKey: constraints.find(({ type }) => type === 'p')?.columns ?? [],
    constraints: constraints.filter(({ type }) => type !== 'c').map(partOf),
    checks: constraints.filter(({ type }) => type === 'c').map(partOf),
    uniqueColumns: indexes.filter(({ isUnique }) => isUnique).map((index) => index.columns),
    indexes: indexes
      .filter(({ ofConstraint }) => !ofConstraint)
      .map(({ name, definition, isUnique }) => ({ name, definition, isUnique })),
    triggers,
    referencing: referencing.map(({ name, definition, schema, table: other, isPartitioned }) => ({
      ...{ name, definition, isPartitioned },
      table: { schema, name: other },
    })),
    referenced,
    options: found.options ?? [],
    grants: grants.map(({ text }) => text),
  }
}

const partOf = ({ name, definition }: Part): Part => ({ name, definition })

/** A text that changes when the definition does. */
export const fingerprintOf = (definition: TableDefinition): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex')
