import type { JWK } from 'jose'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { User } from '../user/user.ts'

/** A key pair that signs tokens. */
export type SigningKey = {
  readonly kid: string
  readonly publicKey: JWK
  readonly privateKey: JWK
  readonly createdAt: Date
  /** It signs nothing from then on. */
  readonly retiresAt: Date
}

/** Sessions, what ends them, and the keys that sign their tokens. */
export const sessionRepository = (database: Kysely<Tables>) => ({
  /** The user of a session that is alive at `at`; null when it has ended or there is none. */
  async userOfLiving(sessionId: string, at: Date): Promise<User | null> {
    const row = await database
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.user_id')
      .select([
        'user.id',
        'user.email',
        'user.name',
        'user.role',
        'user.phone_number as phoneNumber',
        'user.created_at as createdAt',
      ])
      .where('session.id', '=', sessionId)
      .where('session.ended_at', 'is', null)
      .where('session.expires_at', '>', at)
      .executeTakeFirst()
    return row ?? null
  },

  async open(session: {
    readonly id: string
    readonly userId: string
    readonly createdAt: Date
    readonly expiresAt: Date
  }): Promise<void> {
    await database
      .insertInto('session')
      .values({
        id: session.id,
        user_id: session.userId,
        created_at: session.createdAt,
        expires_at: session.expiresAt,
        ended_at: null,
      })
      .execute()
  },

  /** Newest first. */
  async keys(): Promise<SigningKey[]> {
    const rows = await database.selectFrom('signing_key').selectAll().orderBy('created_at', 'desc').orderBy('kid').execute()
    return rows.map(({ kid, public_key, private_key, created_at, retires_at }) => ({
      kid,
      publicKey: public_key as JWK,
      privateKey: private_key as JWK,
      createdAt: created_at,
      retiresAt: retires_at,
    }))
  },

  async addKey({ kid, publicKey, privateKey, createdAt, retiresAt }: SigningKey): Promise<void> {
    await database
      .insertInto('signing_key')
      .values({
        kid,
        public_key: JSON.stringify(publicKey),
        private_key: JSON.stringify(privateKey),
        created_at: createdAt,
        retires_at: retiresAt,
      })
      .execute()
  },
})

export type SessionRepository = ReturnType<typeof sessionRepository>
