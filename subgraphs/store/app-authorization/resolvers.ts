import type { Resolvers } from '#generated/store/resolvers.ts'
import { permissionsOf } from '../access/permissions.ts'
import { gone, identified, present } from '../ids.ts'
import { revokeAppAuthorization } from './actions.ts'

export const appAuthorizationResolvers = {
  Query: {
    appAuthorizations: async (_, __, { storeId, appAuthorizations }) => appAuthorizations.list(await storeId()),
  },
  Mutation: {
    revokeAppAuthorization: (_, given, { write }) =>
      write('revokeAppAuthorization', given, (unit) => revokeAppAuthorization(unit, given.id)),
  },
  AppAuthorization: {
    ...identified('AppAuthorization'),
    app: ({ appId }, _, { load }) => present(load.appById.load(appId), 'app'),
    permissions: ({ scopes }) => permissionsOf(scopes),
  },
  RevokeAppAuthorizationSuccess: gone('AppAuthorization'),
} satisfies Resolvers
