import type { JWK } from 'jose'
import { type Kysely, sql } from 'kysely'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import type { Tables } from '../tables.ts'
import { SIGNING_KEY } from './secrets.ts'

/** A key pair that signs tokens. */
export type SigningKey = {
  readonly kid: string
  readonly publicKey: JWK
  readonly privateKey: JWK
  readonly createdAt: Date
  /** It signs nothing from then on. */
  readonly retiresAt: Date
}

/**
 * Retention of retired keys: far longer than their last token lives, to allow for clock
 * differences. Milliseconds.
 */
const RETIRED_KEY_RETENTION_MS = 24 * 60 * 60 * 1000

export type SigningKeyRepository = ReturnType<typeof keyRepository>

/** The keys that sign tokens; their private halves are encrypted where they are stored. */
export const keyRepository = (database: Kysely<Tables>, secrets: SecretCipher) => ({
  /** Newest first. Throws when the key that they are encrypted under is not known. */
  async list(): Promise<SigningKey[]> {
    const rows = await database.selectFrom('signing_key').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
    return rows.map(({ kid, public_key, private_key, created_at, retires_at }) => ({
      kid,
      // Written by this repository.
      publicKey: public_key as JWK,
      // An object was stored before there was a key to encrypt with.
      privateKey:
        typeof private_key === 'string'
          ? JSON.parse(secrets.decrypt(secretLocation(SIGNING_KEY, kid), private_key))
          : private_key,
      createdAt: created_at,
      retiresAt: retires_at,
    }))
  },

  /** Adds a key, and forgets those that retired long ago. */
  async add(key: SigningKey): Promise<void> {
    await insert(database, secrets, key)
    const retired = new Date(key.createdAt.getTime() - RETIRED_KEY_RETENTION_MS)
    await database.deleteFrom('signing_key').where('retires_at', '<', retired).execute()
  },

  /**
   * Adds a key, and lets those before it sign until `retireAt` at the latest; how many these were.
   */
  rotate: (key: SigningKey, retireAt: Date): Promise<number> =>
    database.transaction().execute(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('signing_key')
        .set({ retires_at: retireAt })
        .where('retires_at', '>', retireAt)
        .executeTakeFirst()
      await insert(transaction, secrets, key)
      return Number(numUpdatedRows)
    }),

  /**
   * Adds a key, and forgets all others: no token of theirs is valid any more. How many these were.
   */
  replaceAll: (key: SigningKey): Promise<number> =>
    database.transaction().execute(async (transaction) => {
      // A process that adds one at the same time waits, and its key stays.
      await sql`LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
      const { numDeletedRows } = await transaction.deleteFrom('signing_key').executeTakeFirst()
      await insert(transaction, secrets, key)
      return Number(numDeletedRows)
    }),
})

const insert = async (
  database: Kysely<Tables>,
  secrets: SecretCipher,
  { kid, publicKey, privateKey, createdAt, retiresAt }: SigningKey,
): Promise<void> => {
  const text = JSON.stringify(privateKey)
  await database
    .insertInto('signing_key')
    .values({
      kid,
      public_key: JSON.stringify(publicKey),
      // Without a key to encrypt with, the object itself.
      private_key: secrets.keyIds.length === 0 ? text : JSON.stringify(secrets.encrypt(secretLocation(SIGNING_KEY, kid), text)),
      created_at: createdAt,
      retires_at: retiresAt,
    })
    .execute()
}
