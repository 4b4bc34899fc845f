import pino from 'pino'
import { assertKnownKeys, configuredCipher } from '../composition/stored-secrets.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import type { Connection } from '../platform/database/database.ts'
import { type DatabaseServer, databaseServer } from '../platform/database/server.ts'
import type { SecretCipher } from '../platform/secrets/cipher.ts'

/**
 * Runs `work` on the configured database: DATABASE_URL, else the embedded server already running on
 * DATA_DIR, else one started for the duration of `work`. Logs go to standard error, because
 * standard output belongs to the command.
 */
export async function withDatabase<Result>(work: (server: DatabaseServer, log: pino.Logger) => Promise<Result>): Promise<Result> {
  const { DATABASE_URL, DATA_DIR, LOG_LEVEL } = readConfig(variables, process.env)
  const log = pino({ level: LOG_LEVEL }, pino.destination({ fd: 2, sync: true }))
  const server = await databaseServer({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, log, share: true })
  try {
    return await work(server, log)
  } finally {
    await server.stop()
  }
}

/**
 * The configured cipher. Throws an `OperatorError` when stored secrets use a key that it lacks, for
 * example because SECRETS_KEY is not set.
 */
export async function storedSecretsCipher(connection: Connection): Promise<SecretCipher> {
  const cipher = configuredCipher(readConfig(variables, process.env))
  await assertKnownKeys(connection, cipher)
  return cipher
}
