import { randomBytes, randomUUID } from 'node:crypto'
import { hashOf } from '../../../subgraphs/store/access/access.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import type { StoreRestStack } from './stack.ts'

/**
 * An access token with these scopes, for an app of the shop's own, as a consent leaves it behind.
 */
export async function aToken(
  { sql }: Pick<StoreRestStack, 'sql'>,
  { storeId }: TestStore,
  scopes: readonly string[],
): Promise<string> {
  const token = `sat_${randomBytes(32).toString('base64url')}`
  const grant = randomUUID()
  await sql(
    `WITH made AS (
       INSERT INTO app (store_id, code, name, redirect_uris, scopes, created_at, updated_at)
       VALUES ($1, $2, 'App', '{https://app.example/callback}', $3, now(), now()) RETURNING id
     ), installed AS (
       INSERT INTO app_installation (store_id, app_id, installed_at) SELECT $1, id, now() FROM made
     )
     INSERT INTO app_authorization (store_id, grant_id, app_id, scopes, created_at) SELECT $1, $2, id, $3, now() FROM made`,
    [storeId, grant, scopes],
  )
  await sql(
    `INSERT INTO app_token (hash, kind, grant_id, scopes, detail, created_at, expires_at)
     VALUES ($1, 'access', $2, $3, '{}', now(), now() + interval '1 hour')`,
    [hashOf(token), grant, scopes],
  )
  return token
}
