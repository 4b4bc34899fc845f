import { type Connection, openDatabase } from '../../../platform/database/database.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import type { Tables } from '../tables.ts'
import { emergencyRepository } from './emergency-repository.ts'
import { keyRepository, type SigningKey } from './key-repository.ts'
import { KEY_LIFETIME_MS, newKey } from './key-ring.ts'

/** What an operator does with the keys that sign tokens, and with sessions. */
export type SigningKeys = {
  /** Newest first, without what signs. */
  readonly list: () => Promise<readonly Pick<SigningKey, 'kid' | 'createdAt' | 'retiresAt'>[]>
  /** Makes a key that signs from `overlapMilliseconds` on; those before it sign until then. */
  readonly rotate: (
    overlapMilliseconds: number,
  ) => Promise<{ readonly kid: string; readonly retired: number; readonly signsAt: Date }>
  /** Drops every key and ends every session: all users must sign in again. */
  readonly emergency: () => Promise<{ readonly kid: string; readonly keysDropped: number; readonly sessionsEnded: number }>
}

/** Runs `work` on the signing keys of a database that is migrated. */
export async function withSigningKeys<Result>(
  connection: Connection,
  secrets: SecretCipher,
  work: (keys: SigningKeys) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<Tables>(connection, { schema: 'social', max: 1, onError: () => {} })
  const [keys, emergencies] = [keyRepository(database.query, secrets), emergencyRepository(database.query)]
  const keyAt = (now: Date, from: Date) => newKey(now, new Date(from.getTime() + KEY_LIFETIME_MS))
  try {
    return await work({
      async list() {
        return (await keys.list()).map(({ kid, createdAt, retiresAt }) => ({ kid, createdAt, retiresAt }))
      },
      async rotate(overlapMilliseconds) {
        const now = new Date()
        const signsAt = new Date(now.getTime() + overlapMilliseconds)
        const key = await keyAt(now, signsAt)
        return { kid: key.kid, retired: await keys.rotate(key, signsAt), signsAt }
      },
      async emergency() {
        const now = new Date()
        const key = await keyAt(now, now)
        const keysDropped = await keys.replaceAll(key)
        return { kid: key.kid, keysDropped, sessionsEnded: await emergencies.endAllSessions(now) }
      },
    })
  } finally {
    await database.close()
  }
}
