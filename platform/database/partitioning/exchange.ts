import pg from 'pg'
import { OperatorError } from '../../process/operator-error.ts'
import { copyOf, isForeignKey, mirrorFunction, partitionsSchemaOf } from './partitioned-copy.ts'
import { type Locking, lockOf, withShortLock } from './short-lock.ts'
import { MIRROR_TRIGGER, quotedTable, readDefinition, type TableDefinition, type TableName } from './table-definition.ts'

/** Name of a foreign key to the copy, until that takes the place of the table. */
const temporaryName = (name: string): string => `${name.slice(0, 55)}_copy`

/** Lets foreign keys of other tables refer to the copy as well: first unproven, then proven beside writes. */
export async function addReferences(
  client: pg.Client,
  table: TableName,
  { printedName, referencing }: TableDefinition,
  locking: Locking,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const copy = quotedTable(copyOf(table))
  for (const [done, { name, definition, table: other }] of referencing.entries()) {
    locking.signal.throwIfAborted()
    progress(done, referencing.length)
    const temporary = pg.escapeIdentifier(temporaryName(name))
    const { rows } = await client.query<{ isProven: boolean }>(
      'SELECT convalidated AS "isProven" FROM pg_constraint WHERE conrelid = to_regclass($1) AND conname = $2',
      [quotedTable(other), temporaryName(name)],
    )
    const text = definition.replace(` REFERENCES ${printedName}(`, ` REFERENCES ${copy}(`)
    if (!rows[0])
      await withShortLock(client, lockOf('SHARE ROW EXCLUSIVE', [other, copyOf(table)]), locking, (run) =>
        run(`ALTER TABLE ${quotedTable(other)} ADD CONSTRAINT ${temporary} ${text} NOT VALID`),
      )
    if (!rows[0]?.isProven) await client.query(`ALTER TABLE ${quotedTable(other)} VALIDATE CONSTRAINT ${temporary}`)
  }
}

/**
 * Exchanges table and copy in one transaction, and removes the former table. Indexes and constraints
 * keep their names, because they lie in the schema of their table.
 */
export async function takePlace(
  client: pg.Client,
  table: TableName,
  definition: TableDefinition,
  locking: Locking & { readonly isUnchanged: (now: TableDefinition) => boolean },
): Promise<void> {
  const former = formerOf(table)
  const [name, copy] = [quotedTable(table), quotedTable(copyOf(table))]
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${pg.escapeIdentifier(former.schema)}`)
  const lock = lockOf('ACCESS EXCLUSIVE', [table, copyOf(table), ...definition.referencing.map(({ table: other }) => other)])
  const sequences = await identitySequences(client, table, definition)
  const owned = await serialSequences(client, table)
  await withShortLock(client, lock, locking, async (run) => {
    const now = await readDefinition(client, table)
    if (!now || !locking.isUnchanged(now))
      throw new OperatorError(
        `The table ${table.schema}.${table.name} was changed during its conversion: run the command with --cancel, then again.`,
      )
    await run(`DROP TRIGGER ${MIRROR_TRIGGER} ON ${name}`)
    for (const { name: key, table: other } of definition.referencing)
      await run(
        `ALTER TABLE ${quotedTable(other)} DROP CONSTRAINT ${pg.escapeIdentifier(key)};
         ALTER TABLE ${quotedTable(other)} RENAME CONSTRAINT ${pg.escapeIdentifier(temporaryName(key))} TO ${pg.escapeIdentifier(key)}`,
      )
    const added: string[] = []
    for (const { column, kind, sequence } of sequences) {
      const { rows } = await run<{ next: string }>(
        `SELECT (CASE WHEN is_called THEN last_value + 1 ELSE last_value END)::text AS next FROM ${quotedTable(sequence)}`,
      )
      await run(`ALTER TABLE ${name} ALTER COLUMN ${column} DROP IDENTITY`)
      added.push(
        `ALTER TABLE ${name} ALTER COLUMN ${column} ADD GENERATED ${kind} AS IDENTITY (SEQUENCE NAME ${quotedTable(sequence)} START WITH ${rows[0]?.next})`,
      )
    }
    // What a table owns goes to its new schema, and with it when it is removed.
    for (const { sequence } of owned) await run(`ALTER SEQUENCE ${quotedTable(sequence)} OWNED BY NONE`)
    await run(`ALTER TABLE ${name} SET SCHEMA ${pg.escapeIdentifier(former.schema)};
      ALTER TABLE ${copy} SET SCHEMA ${pg.escapeIdentifier(table.schema)}`)
    for (const { sequence, column } of owned) await run(`ALTER SEQUENCE ${quotedTable(sequence)} OWNED BY ${name}.${column}`)
    for (const statement of added) await run(statement)
    for (const { definition: trigger } of definition.triggers) await run(trigger)
    await run(`DROP FUNCTION ${mirrorFunction(table)}()`)
    await run(
      `DELETE FROM ${quotedTable({ schema: partitionsSchemaOf(table), name: 'conversion' })} WHERE name = ${pg.escapeLiteral(table.name)}`,
    )
  })
  await removeFormer(client, table, locking)
}

const formerOf = ({ schema, name }: TableName): TableName => ({ schema: `${schema}_unpartitioned`, name })

/** Removes the table whose place was taken; whether there was one. */
export async function removeFormer(client: pg.Client, table: TableName, locking: Locking): Promise<boolean> {
  const former = formerOf(table)
  const definition = await readDefinition(client, former)
  if (!definition) return false
  // Apart from the table: files that are removed may take long, and these locks are others' tables.
  await withShortLock(client, lockOf('ACCESS EXCLUSIVE', [former, ...definition.referenced]), locking, async (run) => {
    for (const { name, definition: text } of definition.constraints)
      if (isForeignKey({ name, definition: text }))
        await run(`ALTER TABLE ${quotedTable(former)} DROP CONSTRAINT ${pg.escapeIdentifier(name)}`)
  })
  await client.query(`DROP TABLE ${quotedTable(former)}`)
  await client.query(`DROP SCHEMA ${pg.escapeIdentifier(former.schema)}`)
  return true
}

async function identitySequences(client: pg.Client, table: TableName, { columns }: TableDefinition) {
  const sequences: { column: string; kind: string; sequence: TableName }[] = []
  for (const { name, identity } of columns) {
    if (identity === '') continue
    const { rows } = await client.query<TableName>(
      `SELECT nspname::text AS schema, relname::text AS name FROM pg_class JOIN pg_namespace AS namespace ON namespace.oid = relnamespace
       WHERE pg_class.oid = pg_get_serial_sequence($1, $2)::regclass`,
      [quotedTable(table), name],
    )
    if (rows[0])
      sequences.push({ column: pg.escapeIdentifier(name), kind: identity === 'a' ? 'ALWAYS' : 'BY DEFAULT', sequence: rows[0] })
  }
  return sequences
}

/** Sequences of columns of the type serial, whose default value is all that both tables share. */
async function serialSequences(client: pg.Client, table: TableName) {
  const { rows } = await client.query<TableName & { column: string }>(
    `SELECT nspname::text AS schema, relname::text AS name, attname::text AS column FROM pg_depend
     JOIN pg_class AS class ON class.oid = objid AND class.relkind = 'S' JOIN pg_namespace AS namespace ON namespace.oid = relnamespace
     JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
     WHERE classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = to_regclass($1) AND deptype = 'a'`,
    [quotedTable(table)],
  )
  return rows.map(({ schema, name, column }) => ({ sequence: { schema, name }, column: pg.escapeIdentifier(column) }))
}
