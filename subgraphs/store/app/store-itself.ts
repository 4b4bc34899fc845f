import type { UnitOfWork } from '../write.ts'
import { OUT_OF_BAND } from './app.ts'
import { appRepository } from './repository.ts'
import { newAppCode, newAppSecret } from './secret.ts'

/**
 * The app that stands for the holder of the store's authtoken, created on first use. Its secret is
 * unknown until the store resets it, so no client can request tokens as it. Locks the row of the
 * store.
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
