import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { OperatorError } from '../process/operator-error.ts'
import { passwordFileOf } from './embedded/authentication.ts'
import { runningEmbedded, startEmbedded } from './embedded/embedded-server.ts'
import { connectClient } from './server.ts'

/**
 * Gives the embedded server below `dataDir` another password: a start without a password file makes
 * one, in single-user mode. Interrupted, the next start does the same. Throws an `OperatorError`
 * while a server runs there, or when there is none.
 */
export async function rotateEmbeddedPassword(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new OperatorError(`There is no embedded database in ${dataDir}: set DATA_DIR or DATABASE_URL.`)
  }
  if (runningEmbedded(dataDir)) {
    throw new OperatorError(`Stop the copy that runs on ${dataDir} first: its connections have the password until now.`)
  }
  rmSync(passwordFileOf(dataDir), { force: true })
  const server = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  try {
    const client = await connectClient(server.connection, 'The embedded database', 'Start it again.')
    await client.end()
  } finally {
    await server.stop()
  }
}
