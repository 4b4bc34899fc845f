import type { Resolvers } from '#generated/store/resolvers.ts'
import { missing } from '../../../platform/graphql/errors.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { App } from '../app/app.ts'
import { findVisibleApp, visibleApp } from '../app/visible-app.ts'
import { billingCycleOn, currentSubscription } from '../app-subscription/current-billing.ts'
import type { Context } from '../context.ts'
import { decodeId, present } from '../ids.ts'
import { installBySubscription, uninstallApp } from './actions.ts'
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
      if (storeId != null && decodeId(storeId, 'Store') !== access.storeId)
        throw missing('There is no other store here than the one of the credentials.')
      return installationOf(context, await visibleApp(context.apps, access, code))
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
    subscribeToApp: async (_, { input }, { access, apps, write }) => {
      const app = await findVisibleApp(apps, await access(), input.code)
      return app
        ? write('subscribeToApp', input, (unit) => installBySubscription(unit, app, input.plan))
        : notFoundError('app', input.code)
    },
    uninstallApp: async (_, given, { access, apps, write }) => {
      const app = await findVisibleApp(apps, await access(), given.code)
      return app ? write('uninstallApp', given, (unit) => uninstallApp(unit, app)) : notFoundError('app', given.code)
    },
  },
  AppInstallation: {
    isInstalled: ({ installedAt }) => installedAt !== null,
    store: ({ storeId }, _, { load }) => present(load.storeById.load(storeId), 'store'),
    subscription: ({ app }, _, context) => currentSubscription(context, app.id),
    billingCycle: ({ app }, { date }, context) => billingCycleOn(context, app.id, date ?? null),
  },
  SubscribeToAppSuccess: {
    installation: async ({ app }, _, context) => installationOf(context, await present(context.load.appById.load(app), 'app')),
  },
  CancelAppSubscriptionSuccess: {
    installation: async ({ app }, _, context) => installationOf(context, await present(context.load.appById.load(app), 'app')),
  },
  UninstallAppSuccess: {
    installation: async ({ app }, _, context) => installationOf(context, await present(context.load.appById.load(app), 'app')),
  },
} satisfies Resolvers
