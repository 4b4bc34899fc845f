import pino from 'pino'
import { assertKnownKeys, configuredCipher } from '../composition/stored-secrets.ts'
import { variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import type { Connection } from '../platform/database/database.ts'
import { type DatabaseServer, databaseServer } from '../platform/database/server.ts'
import type { SecretCipher } from '../platform/secrets/cipher.ts'

/**
 * Runs `work` on the database of the environment: DATABASE_URL's, or the one of the copy that runs
 * on DATA_DIR, or, when none runs, one that is started for as long as `work` takes. The log goes to
 * standard error; standard output belongs to the command.
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
 * What the environment says to encrypt with. Throws an `OperatorError` where secrets are stored
 * that this cannot read, as when SECRETS_KEY was forgotten.
 */
export async function storedSecretsCipher(connection: Connection): Promise<SecretCipher> {
  const cipher = configuredCipher(readConfig(variables, process.env))
  await assertKnownKeys(connection, cipher)
  return cipher
}
