import { notFoundError } from '../../toolkit/validation.ts'
import { uninstall } from '../app-installation/actions.ts'
import { rowOf } from '../ids.ts'
import type { Unit } from '../write.ts'
import { appAuthorizationRepository } from './repository.ts'

/** Takes a consent back; with the last one, all else that the app has in the store. */
export async function revokeAppAuthorization(unit: Unit, id: string) {
  const row = rowOf(id, 'AppAuthorization')
  const authorizations = appAuthorizationRepository(unit.query)
  const appId = row === null ? null : await authorizations.delete(unit.storeId, row)
  if (row === null || appId === null) return notFoundError('authorization of an app', id)
  if (!(await authorizations.hasAny(unit.storeId, appId))) await uninstall(unit, appId)
  return { __typename: 'RevokeAppAuthorizationSuccess' as const, row }
}
