import { type Kysely, sql } from 'kysely'
import { transaction } from '../../../platform/database/transaction.ts'
import { OPERATOR } from '../audit-entry/audit-actor.ts'
import { openAuditLog } from '../audit-entry/repository.ts'
import type { Tables } from '../tables.ts'
import type { ConsentChange } from './consent-change.ts'

/** A code or token without its text. */
export type StoredToken = {
  readonly kind: 'code' | 'access' | 'refresh'
  readonly grantId: string
  readonly scopes: readonly string[]
  /** Further data of the protocol. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Null: not used yet. */
  readonly consumedAt: Date | null
}

/** A consent, as the protocol sees it. */
export type StoredGrant = {
  readonly storeId: number
  readonly appCode: string
  readonly scopes: readonly string[]
  readonly createdAt: Date
}

export type OauthRepository = ReturnType<typeof oauthRepository>

/** Retention of used and expired tokens, to tell their reuse from guessing. Milliseconds. */
const RETENTION_MS = 24 * 60 * 60 * 1000
const FOREIGN_KEY_VIOLATION = '23503'

/**
 * Codes, tokens, consents and sign-ins in the database: found by the hash of what their holder has.
 */
export const oauthRepository = (database: Kysely<Tables>) => ({
  async storeExists(storeId: number): Promise<boolean> {
    const found = await database.selectFrom('store').select('id').where('id', '=', storeId).executeTakeFirst()
    return found !== undefined
  },

  /** The first consent to an app installs it. The audit log keeps it, unless it comes from no request. */
  async insertGrant(
    grantId: string,
    { storeId, appCode, scopes, createdAt }: StoredGrant,
    change: ConsentChange | null = null,
  ): Promise<void> {
    await transaction(database, async (query) => {
      if (change) {
        const { actor, operation, requestId } = change
        await openAuditLog(query, { ...(actor ?? { actor: 'APP', appCode }), at: createdAt, operation, requestId })
      }
      await sql`
        WITH consent AS (
          INSERT INTO app_authorization (store_id, grant_id, app_id, scopes, created_at)
          SELECT ${storeId}::integer, ${grantId}, id, ${scopes}::text[], ${createdAt}::timestamptz FROM app WHERE code = ${appCode}
          RETURNING store_id, app_id, created_at
        )
        INSERT INTO app_installation (store_id, app_id, installed_at) SELECT store_id, app_id, created_at FROM consent
        ON CONFLICT DO NOTHING`.execute(query)
    })
  },

  async findGrant(grantId: string): Promise<StoredGrant | null> {
    const found = await database
      .selectFrom('app_authorization')
      .innerJoin('app', 'app.id', 'app_authorization.app_id')
      .select([
        'app_authorization.store_id as storeId',
        'app.code as appCode',
        'app_authorization.scopes',
        'app_authorization.created_at as createdAt',
      ])
      .where('grant_id', '=', grantId)
      .executeTakeFirst()
    return found ?? null
  },

  /** Deletes a grant with its tokens. The audit log keeps that its app ended it, unless it was no request. */
  async deleteGrant(grantId: string, at: Date, change: ConsentChange | null): Promise<void> {
    await transaction(database, async (query) => {
      const granted = change && (await oauthRepository(query).findGrant(grantId))
      if (change && granted) {
        const { operation, requestId } = change
        await openAuditLog(query, { actor: 'APP', appCode: granted.appCode, at, operation, requestId })
      }
      await query.deleteFrom('app_authorization').where('grant_id', '=', grantId).execute()
    })
  },

  /** False when the consent has ended meanwhile. */
  async insertToken(
    hash: Buffer,
    { kind, grantId, scopes, detail, createdAt, expiresAt }: Omit<StoredToken, 'consumedAt'>,
  ): Promise<boolean> {
    try {
      await database
        .insertInto('app_token')
        .values({
          hash,
          kind,
          grant_id: grantId,
          scopes: [...scopes],
          detail: JSON.stringify(detail),
          created_at: createdAt,
          expires_at: expiresAt,
          consumed_at: null,
        })
        .execute()
      return true
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) return false
      throw error
    }
  },

  /** Ended and used ones as well. */
  async findToken(hash: Buffer, kind: StoredToken['kind']): Promise<StoredToken | null> {
    const found = await database
      .selectFrom('app_token')
      .select([
        'kind',
        'grant_id as grantId',
        'scopes',
        'detail',
        'created_at as createdAt',
        'expires_at as expiresAt',
        'consumed_at as consumedAt',
      ])
      .where('hash', '=', hash)
      .where('kind', '=', kind)
      .executeTakeFirst()
    // The column holds what the adapter writes.
    return found ? { ...found, detail: found.detail as StoredToken['detail'] } : null
  },

  /** Marks a code or refresh token as used: false when a concurrent request did. */
  async consumeToken(hash: Buffer, at: Date): Promise<boolean> {
    const { numUpdatedRows } = await database
      .updateTable('app_token')
      .set({ consumed_at: at })
      .where('hash', '=', hash)
      .where('consumed_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  },

  async deleteToken(hash: Buffer): Promise<void> {
    await database.deleteFrom('app_token').where('hash', '=', hash).execute()
  },

  async saveSignIn(
    hash: Buffer,
    signIn: { readonly kind: 'session' | 'request'; readonly sealed: Buffer; readonly expiresAt: Date },
  ) {
    const row = { kind: signIn.kind, sealed: signIn.sealed, expires_at: signIn.expiresAt }
    await database
      .insertInto('app_sign_in')
      .values({ hash, ...row })
      .onConflict((conflict) => conflict.column('hash').doUpdateSet(row))
      .execute()
  },

  async findSignIn(hash: Buffer, kind: 'session' | 'request'): Promise<Buffer | null> {
    const found = await database
      .selectFrom('app_sign_in')
      .select('sealed')
      .where('hash', '=', hash)
      .where('kind', '=', kind)
      .executeTakeFirst()
    return found?.sealed ?? null
  },

  async deleteSignIn(hash: Buffer): Promise<void> {
    await database.deleteFrom('app_sign_in').where('hash', '=', hash).execute()
  },

  /**
   * Ends every session of the console, every sign-in and everything that waits for an answer; with
   * `apps`, every consent with its tokens as well. How many there were.
   */
  async endAll({ apps, at }: { readonly apps: boolean; readonly at: Date }): Promise<{
    readonly consoleSessions: number
    readonly signIns: number
    readonly consents: number
  }> {
    const { numDeletedRows: consoleSessions } = await database.deleteFrom('console_session').executeTakeFirst()
    const { numDeletedRows: signIns } = await database.deleteFrom('app_sign_in').executeTakeFirst()
    const ended = { consoleSessions: Number(consoleSessions), signIns: Number(signIns) }
    if (!apps) return { ...ended, consents: 0 }
    const { numDeletedRows: consents } = await transaction(database, async (query) => {
      await openAuditLog(query, { ...OPERATOR, at, operation: 'secrets emergency', requestId: null })
      return query.deleteFrom('app_authorization').executeTakeFirst()
    })
    return { ...ended, consents: Number(consents) }
  },

  /** Forgets what ended a day ago, and consents that nothing is left of. */
  async sweep(now: Date): Promise<void> {
    const before = new Date(now.getTime() - RETENTION_MS)
    await database.deleteFrom('app_sign_in').where('expires_at', '<', now).execute()
    await database.deleteFrom('app_token').where('expires_at', '<', before).execute()
    await database
      .deleteFrom('app_authorization')
      .where('created_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('app_token').select('hash').whereRef('app_token.grant_id', '=', 'app_authorization.grant_id'))),
      )
      .execute()
  },

  /** App and scopes of a valid access token; null for any other text. */
  async accessOf(hash: Buffer, at: Date) {
    const found = await database
      .selectFrom('app_token')
      .innerJoin('app_authorization', 'app_authorization.grant_id', 'app_token.grant_id')
      .innerJoin('app', 'app.id', 'app_authorization.app_id')
      .select([
        'app_authorization.store_id as storeId',
        'app.code as appCode',
        'app_token.scopes',
        'app_token.created_at as createdAt',
        'app_token.expires_at as expiresAt',
      ])
      .where('app_token.hash', '=', hash)
      .where('app_token.kind', '=', 'access')
      .where('app_token.expires_at', '>', at)
      .executeTakeFirst()
    return found ?? null
  },
})
