import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Connection } from '../../platform/database/database.ts'
import { startEmbedded } from '../../platform/database/embedded/embedded-server.ts'
import { migrate } from '../../platform/database/migrate.ts'

/** Runs `work` on a new embedded database with all migrations, which is deleted afterwards. */
export async function withMigratedDatabase<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-data-model-'))
  const settings = { fsync: 'off', full_page_writes: 'off' }
  const { connection, stop } = await startEmbedded({ dataDir, settings, log: pino({ level: 'silent' }) })
  try {
    await migrate(connection)
    return await work(connection)
  } finally {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
