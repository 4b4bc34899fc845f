import type { UnitOfWork } from '../write.ts'
import { OUT_OF_BAND } from './app.ts'
import { appRepository } from './repository.ts'
import { newAppCode, newAppSecret } from './secret.ts'

/**
 * The app that belongs to whoever has the store's authtoken, made when it is first needed. Nobody
 * knows its secret, so nobody can ask for tokens as it, until the store resets that. The row of the
 * store is locked meanwhile.
 */
export async function appOfStoreItself({ query, storeId, now }: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>): Promise<number> {
  const apps = appRepository(query)
  await apps.countLocked(storeId)
  const known = await apps.storeItself(storeId)
  if (known) return known.id
  return apps.insert({
    storeId,
    code: newAppCode(),
    name: 'The store itself',
    redirectUris: [OUT_OF_BAND],
    scopes: ['read_apps'],
    secretHash: newAppSecret().hash,
    isStoreItself: true,
    at: now,
  })
}
