import { excerpt, forbidden, missing } from '../../../platform/graphql/errors.ts'
import type { Access } from '../access/grant.ts'
import type { App } from './app.ts'
import type { AppRepository } from './repository.ts'

/**
 * The app with this code, if the store may have it: one of its own, or one that every store can
 * use; null for any other.
 */
export async function findVisibleApp(
  apps: AppRepository,
  { storeId }: Pick<Access, 'storeId'>,
  code: string,
): Promise<App | null> {
  const found = await apps.byCode(code)
  return found && (found.storeId === null || found.storeId === storeId) ? found : null
}

/** The same for the caller: an app may read itself only. Throws NOT_FOUND and FORBIDDEN. */
export async function visibleApp(apps: AppRepository, access: Access, code: string): Promise<App> {
  const found = await findVisibleApp(apps, access, code)
  if (!found) throw missing(`App with code ${excerpt(code)} not found.`)
  if (access.app && access.app.id !== found.id) throw forbidden('Not authorized to access another app: the token is not its own.')
  return found
}
