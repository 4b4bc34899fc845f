import { storeRepository } from '../store/repository.ts'
import { conflictError, type UnitOfWork } from '../write.ts'

/** Makes a user the owner of a store that has none; whose it is already, it stays. */
export async function claimStore({ query, storeId, now }: UnitOfWork, user: string) {
  const stores = storeRepository(query)
  const { ownerId } = await stores.lock(storeId)
  if (ownerId !== null && ownerId !== user) {
    return conflictError('Another user owns this store. The operator of this installation can change that: `atrium store owner`.')
  }
  if (ownerId === null) await stores.setOwner(storeId, user, now)
  return { __typename: 'ClaimStoreSuccess' as const, store: storeId }
}
