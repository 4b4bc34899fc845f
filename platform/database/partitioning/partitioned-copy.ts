import pg from 'pg'
import { MIRROR_TRIGGER, quotedTable, type TableDefinition, type TableName } from './table-definition.ts'

/** Schema of the partitions of a table, and of its copy until it takes the table's place. */
export const partitionsSchemaOf = ({ schema }: TableName): string => `${schema}_partitions`
/** The partitioned copy of a table, which takes its place. */
export const copyOf = (table: TableName): TableName => ({ schema: partitionsSchemaOf(table), name: table.name })
export const partitionOf = (table: TableName, index: number): TableName => ({
  schema: partitionsSchemaOf(table),
  name: `${table.name}_${index}`,
})

/** Creates the partitioned copy, empty, with its keys and without foreign keys. */
export function createCopy(table: TableName, definition: TableDefinition, column: string, partitions: number): readonly string[] {
  const copy = quotedTable(copyOf(table))
  const indexes = definition.indexes.filter(({ isUnique }) => isUnique)
  return [
    `CREATE TABLE ${copy} (LIKE ${quotedTable(table)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED
       INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING COMMENTS) PARTITION BY HASH (${pg.escapeIdentifier(column)})`,
    ...Array.from({ length: partitions }, (_, index) => {
      const options = definition.options.length > 0 ? ` WITH (${definition.options.join(', ')})` : ''
      return `CREATE TABLE ${quotedTable(partitionOf(table, index))} PARTITION OF ${copy}
        FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${index})${options}`
    }),
    // While it is empty: nothing is read to prove them.
    ...definition.constraints.filter((constraint) => !isForeignKey(constraint)).map(addConstraint(copy)),
    ...indexes.map(({ name, definition: text }) => `CREATE UNIQUE INDEX ${pg.escapeIdentifier(name)} ON ${copy} ${text}`),
    ...definition.grants.map((grant) => `GRANT ${grant.replace('%s', copy)}`),
  ]
}

/** Foreign keys of the copy, which is still empty. */
export const addForeignKeys = (table: TableName, { constraints }: TableDefinition): readonly string[] =>
  constraints.filter(isForeignKey).map(addConstraint(quotedTable(copyOf(table))))

type Constraint = TableDefinition['constraints'][number]

export const isForeignKey = ({ definition }: Constraint): boolean => definition.startsWith('FOREIGN KEY')

const addConstraint =
  (table: string) =>
  ({ name, definition }: Constraint): string =>
    `ALTER TABLE ${table} ADD CONSTRAINT ${pg.escapeIdentifier(name)} ${definition}`

/**
 * Repeats each write of a row in the copy, in its transaction. As its owner: others may not write
 * to the schema of partitions. Columns of unique indexes are set where they change only: to name
 * them locks a row against the foreign keys of others, who then wait for each other.
 */
export function createMirror(table: TableName, { columns, primaryKey, uniqueColumns }: TableDefinition): readonly string[] {
  const copy = quotedTable(copyOf(table))
  const names = columns.map(({ name }) => pg.escapeIdentifier(name))
  const key = primaryKey.map((name) => pg.escapeIdentifier(name))
  const sameKey = key.map((name) => `${name} = OLD.${name}`).join(' AND ')
  const unique = names.filter((_, index) => uniqueColumns.some((of) => of.includes(columns[index]?.name ?? '')))
  const write = (set: readonly string[]): string =>
    `INSERT INTO ${copy} (${names}) VALUES (${names.map((name) => `NEW.${name}`)}) ON CONFLICT (${key}) ${
      set.length === 0 ? 'DO NOTHING' : `DO UPDATE SET (${set}) = ROW(${set.map((name) => `EXCLUDED.${name}`)})`
    };`
  return [
    `CREATE OR REPLACE FUNCTION ${mirrorFunction(table)}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $mirror$
     BEGIN
       IF TG_OP = 'DELETE' OR (TG_OP = 'UPDATE' AND ROW(${key.map((name) => `OLD.${name}`)}) IS DISTINCT FROM ROW(${key.map((name) => `NEW.${name}`)})) THEN
         DELETE FROM ${copy} WHERE ${sameKey};
       END IF;
       IF TG_OP = 'UPDATE' AND ROW(${unique.map((name) => `OLD.${name}`)}) IS NOT DISTINCT FROM ROW(${unique.map((name) => `NEW.${name}`)}) THEN
         ${write(names.filter((name) => !unique.includes(name)))}
       ELSIF TG_OP <> 'DELETE' THEN
         ${write(names)}
       END IF;
       RETURN NULL;
     END $mirror$`,
    `CREATE OR REPLACE TRIGGER ${MIRROR_TRIGGER} AFTER INSERT OR UPDATE OR DELETE ON ${quotedTable(table)}
       FOR EACH ROW EXECUTE FUNCTION ${mirrorFunction(table)}()`,
  ]
}

export const mirrorFunction = (table: TableName): string =>
  quotedTable({ schema: partitionsSchemaOf(table), name: `mirror_${table.name}` })

/**
 * Copies the next rows in the order of the primary key. A row is locked against deletion while it is
 * copied, or the copy would keep what was deleted meanwhile; one that the mirror wrote first is newer.
 * Parameters: key of the last row that was copied, in its order, absent at first; then the number of
 * rows. Answers `read`, `copied` and `last`, the key as text, null without a row.
 */
export function copyBatch(table: TableName, { columns, primaryKey }: TableDefinition, isFirst: boolean): string {
  const names = columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
  const key = primaryKey.map((name) => pg.escapeIdentifier(name))
  const types = primaryKey.map((name) => columns.find((column) => column.name === name)?.type ?? 'text')
  const after = isFirst ? '' : `WHERE (${key}) > (${types.map((type, index) => `$${index + 1}::${type}`)})`
  const limit = `$${isFirst ? 1 : key.length + 1}::int`
  return `WITH batch AS MATERIALIZED (
      SELECT ${names} FROM ${quotedTable(table)} ${after} ORDER BY ${key} LIMIT ${limit} FOR KEY SHARE),
    copied AS (INSERT INTO ${quotedTable(copyOf(table))} (${names}) SELECT ${names} FROM batch ON CONFLICT (${key}) DO NOTHING RETURNING 1)
    SELECT (SELECT count(*)::int FROM batch) AS read, (SELECT count(*)::int FROM copied) AS copied,
      (SELECT ARRAY[${key.map((name) => `${name}::text`)}] FROM batch ORDER BY ${key.map((name) => `${name} DESC`)} LIMIT 1) AS last`
}

/** Number of rows of a table, and the sum of their hashes: equal tables have equal ones. */
export function countAndSum(table: TableName, { columns }: TableDefinition): string {
  const row = columns.map(({ name }) => pg.escapeIdentifier(name)).join(', ')
  return `SELECT count(*)::text AS count, coalesce(sum(hashtextextended(ROW(${row})::text, 0)), 0)::text AS sum FROM ${quotedTable(table)}`
}
