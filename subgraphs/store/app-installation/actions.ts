import { notFoundError } from '../../toolkit/validation.ts'
import type { App } from '../app/app.ts'
import { endSubscription } from '../app-subscription/actions.ts'
import type { Unit } from '../write.ts'
import { appInstallationRepository } from './repository.ts'

/** Takes back all that a store has agreed to with an app. */
export async function uninstallApp(unit: Unit, app: App) {
  const isGone = await uninstall(unit, app.id)
  return isGone ? { __typename: 'UninstallAppSuccess' as const, app: app.id } : notFoundError('app that is installed', app.code)
}

/** The same by its row; false when the app is not installed. */
export async function uninstall(unit: Unit, appId: number): Promise<boolean> {
  const installations = appInstallationRepository(unit.query)
  if (!(await installations.lock(unit.storeId, appId))) return false
  await endSubscription(unit, appId)
  await installations.uninstall(unit.storeId, appId)
  return true
}
