import type { Resolvers } from '#generated/store/resolvers.ts'
import { missing } from '../../../platform/graphql/errors.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { App } from '../app/app.ts'
import { findKnownApp, knownApp } from '../app/known.ts'
import { billingCycleOn, currentSubscription } from '../app-subscription/billing.ts'
import type { Context } from '../context.ts'
import { present, rowOf } from '../ids.ts'
import { uninstallApp } from './actions.ts'
import type { AppInstallation } from './app-installation.ts'

/** How the caller's store stands to an app. */
export async function installationOf({ storeId, appInstallations }: Context, app: App): Promise<AppInstallation> {
  const store = await storeId()
  return { storeId: store, app, installedAt: await appInstallations.installedAt(store, app.id) }
}

export const appInstallationResolvers = {
  Query: {
    appInstallation: async (_, { code, storeId }, context) => {
      const access = await context.access()
      if (storeId != null && rowOf(storeId, 'Store') !== access.storeId)
        throw missing('There is no other store here than the one of the credentials.')
      return installationOf(context, await knownApp(context.apps, access, code))
    },
    appInstallations: async (_, __, { storeId, appInstallations, load }) => {
      const store = await storeId()
      const installed = await appInstallations.list(store)
      return Promise.all(
        installed.map(async ({ appId, installedAt }) => ({
          storeId: store,
          app: await present(load.appById.load(appId), 'app'),
          installedAt,
        })),
      )
    },
  },
  Mutation: {
    uninstallApp: async (_, given, { access, apps, write }) => {
      const app = await findKnownApp(apps, await access(), given.code)
      return app ? write('uninstallApp', given, (unit) => uninstallApp(unit, app)) : notFoundError('app', given.code)
    },
  },
  AppInstallation: {
    isInstalled: ({ installedAt }) => installedAt !== null,
    store: ({ storeId }, _, { load }) => present(load.storeById.load(storeId), 'store'),
    subscription: ({ app }, _, context) => currentSubscription(context, app.id),
    billingCycle: ({ app }, { date }, context) => billingCycleOn(context, app.id, date ?? null),
  },
  UninstallAppSuccess: {
    installation: async ({ app }, _, context) => installationOf(context, await present(context.load.appById.load(app), 'app')),
  },
} satisfies Resolvers
