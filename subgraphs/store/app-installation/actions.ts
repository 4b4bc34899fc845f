import { notFoundError } from '../../toolkit/validation.ts'
import type { App } from '../app/app.ts'
import { endSubscription, subscribeToApp } from '../app-subscription/actions.ts'
import type { UnitOfWork } from '../write.ts'
import { appInstallationRepository } from './repository.ts'

/** Subscribes to an app from today on, which installs it. */
export async function installBySubscription(unit: UnitOfWork, app: App, planName: string) {
  const result = await subscribeToApp(unit, app, planName)
  if (result.__typename === 'SubscribeToAppSuccess') {
    await appInstallationRepository(unit.query).install(unit.storeId, app.id, unit.now)
  }
  return result
}

/** Takes back all that a store has agreed to with an app. */
export async function uninstallApp(unit: UnitOfWork, app: App) {
  const isGone = await uninstall(unit, app.id)
  return isGone ? { __typename: 'UninstallAppSuccess' as const, app: app.id } : notFoundError('app that is installed', app.code)
}

/** The same by its row; false when the app is not installed. */
export async function uninstall(unit: UnitOfWork, appId: number): Promise<boolean> {
  const installations = appInstallationRepository(unit.query)
  if (!(await installations.lock(unit.storeId, appId))) return false
  await endSubscription(unit, appId)
  await installations.uninstall(unit.storeId, appId)
  return true
}
