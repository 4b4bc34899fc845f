import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Access } from './grant.ts'
import type { Scope } from './scopes.ts'
import { ROLE_RIGHTS } from './staff-roles.ts'

export type AccessRepository = ReturnType<typeof accessRepository>

/** Credentials of stores in the database. */
export const accessRepository = (database: Kysely<Tables>) => ({
  /** Access of a login with a token of this hash; null when there is none. */
  async byLogin(login: string, tokenHash: Buffer): Promise<Access | null> {
    // PostgreSQL has no text with this character.
    if (login.includes('\0')) return null
    const found = await database
      .selectFrom('credential')
      .innerJoin('store', 'store.id', 'credential.store_id')
      .select(['store.id as storeId', 'store.code as storeCode'])
      .where('credential.login', '=', login)
      .where('credential.token_hash', '=', tokenHash)
      .executeTakeFirst()
    return found ? { ...found, scopes: 'all', app: null, staff: null } : null
  },

  /**
   * Access of an app's token with this hash at `at`; null when there is none, or it has expired.
   */
  async byToken(tokenHash: Buffer, at: Date): Promise<Access | null> {
    const found = await database
      .selectFrom('app_token')
      .innerJoin('app_authorization', 'app_authorization.grant_id', 'app_token.grant_id')
      .innerJoin('store', 'store.id', 'app_authorization.store_id')
      .innerJoin('app', 'app.id', 'app_authorization.app_id')
      .select(['store.id as storeId', 'store.code as storeCode', 'app_token.scopes', 'app.id as appId', 'app.code as appCode'])
      .where('app_token.hash', '=', tokenHash)
      .where('app_token.kind', '=', 'access')
      .where('app_token.expires_at', '>', at)
      .executeTakeFirst()
    if (!found) return null
    const { scopes, appId, appCode, ...store } = found
    // Written by us, checked.
    return { ...store, scopes: scopes as Scope[], app: { id: appId, code: appCode }, staff: null }
  },

  /** Access of a user to the store with this code; null when the user does not work there. */
  async byUser(userId: string, storeCode: string): Promise<Access | null> {
    // PostgreSQL has no text with this character.
    if (storeCode.includes('\0')) return null
    const found = await database
      .selectFrom('store')
      .leftJoin('staff_member', (join) =>
        join.onRef('staff_member.store_id', '=', 'store.id').on('staff_member.user_id', '=', userId),
      )
      .select(['store.id as storeId', 'store.code as storeCode', 'store.owner_id as ownerId', 'staff_member.role'])
      .where('store.code', '=', storeCode)
      .executeTakeFirst()
    if (!found) return null
    const { ownerId, role: memberRole, ...store } = found
    const role = ownerId === userId ? 'OWNER' : memberRole
    return role === null ? null : { ...store, scopes: ROLE_RIGHTS[role].scopes, app: null, staff: { userId, role } }
  },
})
