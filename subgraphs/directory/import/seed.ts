import { join } from 'node:path'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'

const FOLDER = join(import.meta.dirname, '../../../prisma/seed/directory')

type Options = { readonly log: Logger; readonly signal: AbortSignal }

/**
 * Gives a directory that never held anything our own small data set. One that was emptied on
 * purpose stays empty.
 */
export async function seedDirectory(connection: Connection, { log, signal }: Options): Promise<void> {
  if (!(await isUntouched(connection))) return
  // Loaded here: the import and its YAML parser are 100 modules, which later starts do without.
  const { importPaths } = await import('./import.ts')
  await importPaths([FOLDER], { connection, log, signal })
}

async function isUntouched(connection: Connection): Promise<boolean> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ untouched: boolean }>(
      `SELECT (SELECT number FROM directory.revision) = 0 AND NOT EXISTS (SELECT FROM directory.contribution) AS untouched`,
    )
    return rows[0]?.untouched === true
  } finally {
    await client.end()
  }
}
