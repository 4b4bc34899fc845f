import { existsSync } from 'node:fs'
import type pg from 'pg'
import type { BackupFiles } from '../platform/database/backup/backup.ts'
import { type ExportReport, type ExportSelection, exportRows } from '../platform/database/backup/export.ts'
import { migrate } from '../platform/database/migrate.ts'
import { OperatorError } from '../platform/process/operator-error.ts'
import { withDatabase } from './database.ts'
import { interruptible } from './interruptible.ts'
import { progressOn } from './progress.ts'

/**
 * Columns left out of exports: credentials and keyed hashes, which are useless to the recipient.
 */
const SECRETS = [
  'password_hash',
  'hooks_token',
  'previous_hooks_token',
  'previous_hooks_token_until',
  'secret_hash',
  'search_key',
  'email_key',
  'name_key',
]
const SECRET_TABLES = ['credential', 'idempotency_key', 'refresh_token']

/**
 * Export queries for all tables of `schema` with this owner column, without secret columns. `owner`
 * is inserted into the SQL unescaped, so it must be trusted.
 */
export async function ownedRows(
  client: pg.Client,
  schema: string,
  column: string,
  owner: string,
): Promise<readonly ExportSelection[]> {
  const { rows } = await client.query<{ readonly name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = $1 AND column_name = $2 AND table_name <> ALL($3) ORDER BY 1`,
    [schema, column, SECRET_TABLES],
  )
  const selections: ExportSelection[] = []
  for (const { name } of rows) {
    const columns = await columnsOf(client, schema, name)
    selections.push({ name, query: `SELECT ${columns} FROM ${schema}."${name}" WHERE "${column}" = ${owner} ORDER BY 1` })
  }
  return selections
}

/** SQL column list of a table, without secret columns. */
export async function columnsOf(client: pg.Client, schema: string, table: string): Promise<string> {
  const { rows } = await client.query<{ readonly name: string }>(
    `SELECT quote_ident(column_name) AS name FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = $2 AND column_name <> ALL($3) ORDER BY ordinal_position`,
    [schema, table, SECRETS],
  )
  return rows.map(({ name }) => name).join(', ')
}

type Export = {
  readonly file: string
  readonly json: true | undefined
  readonly files: BackupFiles | null
  readonly selections: (client: pg.Client) => Promise<readonly ExportSelection[]>
}

/** Runs an export, and prints the number of rows and files. */
export async function runExport({ file, json, files, selections }: Export): Promise<void> {
  if (existsSync(file)) throw new OperatorError(`The file "${file}" exists already; exports never overwrite files.`)
  const progress = progressOn(process.stderr)
  await interruptible('Interrupted: nothing was written.', async (signal) => {
    const show = (rows: number) => progress.show({ phase: 'exporting', done: rows, total: null })
    const report = await withDatabase(async ({ connection }) => {
      await migrate(connection)
      return exportRows({ connection, file, files, selections, signal, progress: show })
    }).finally(progress.clear)
    console.log(json ? JSON.stringify({ file, ...report }, null, 2) : textOf(file, report))
  })
}

function textOf(file: string, { rows, files }: ExportReport): string {
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0)
  return `Wrote ${file}: ${count.toLocaleString('en-US')} rows and ${files.toLocaleString('en-US')} files.`
}
