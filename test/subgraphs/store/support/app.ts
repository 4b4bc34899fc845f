import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../../../platform/database/database.ts'
import { hashOf } from '../../../../subgraphs/store/access/access.ts'
import { SCOPES } from '../../../../subgraphs/store/access/scopes.ts'
import { oauthRepository } from '../../../../subgraphs/store/oauth/repository.ts'
import { withApps } from '../../../../subgraphs/store/operator/apps.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { ANONYMOUS, type StoreStack, type TestStore } from './store.ts'

/** An app that a store has agreed to, with its token. */
export type TestApp = { readonly code: string; readonly token: string; readonly caller: typeof ANONYMOUS }

/** Registers an app that every store can use; its code. */
export const anApp = async ({ database }: Pick<StoreStack, 'database'>): Promise<string> => {
  const { clientId } = await withApps(database.connection, (apps) =>
    apps.create({ name: 'Script Keeper', redirectUris: ['https://app.example/callback'], scopes: null, isPublic: false }),
  )
  return clientId
}

/**
 * What the protocol leaves behind when a store agrees to an app; `oauth.test.ts` goes all the way.
 */
export async function agreedApp(
  stack: Pick<StoreStack, 'database'>,
  { storeId }: Pick<TestStore, 'storeId'>,
  { scopes = SCOPES, code }: { readonly scopes?: readonly string[]; readonly code?: string } = {},
): Promise<TestApp> {
  const appCode = code ?? (await anApp(stack))
  const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
  const [grantId, text] = [randomBytes(16).toString('hex'), randomBytes(32).toString('base64url')]
  const createdAt = new Date()
  const oauth = oauthRepository(query)
  await oauth.insertGrant(grantId, { storeId, appCode, scopes, createdAt })
  const expiresAt = new Date(createdAt.getTime() + 100 * 365 * 86_400_000)
  await oauth.insertToken(hashOf(`sat_${text}`), { kind: 'access', grantId, scopes, detail: {}, createdAt, expiresAt })
  await close()
  const authorization = `Bearer sat_${text}`
  return { code: appCode, token: `sat_${text}`, caller: { ...ANONYMOUS, credentials: { authorization } } }
}
