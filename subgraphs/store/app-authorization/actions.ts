import { notFoundError } from '../../runtime/validation.ts'
import { rowOf } from '../ids.ts'
import type { Unit } from '../write.ts'
import { appAuthorizationRepository } from './repository.ts'

/** Takes a consent back. */
export async function revokeAppAuthorization({ query, storeId }: Unit, id: string) {
  const row = rowOf(id, 'AppAuthorization')
  const isGone = row !== null && (await appAuthorizationRepository(query).delete(storeId, row))
  return isGone ? { __typename: 'RevokeAppAuthorizationSuccess' as const, row } : notFoundError('authorization of an app', id)
}
