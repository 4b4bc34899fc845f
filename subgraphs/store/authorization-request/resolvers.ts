import type { Resolvers } from '#generated/store/resolvers.ts'
import { unauthenticated } from '../../../platform/graphql/errors.ts'
import { permissionsOf } from '../access/permissions.ts'
import { auditActorOf } from '../audit-entry/audit-actor.ts'
import { answer, leave, requestWith, signIn, signInOwner } from './actions.ts'
import { destinationOf, isFresh } from './authorization-request.ts'

const HOW_OWNERS_SIGN_IN =
  'Expected the token of a user whose password was given in the last ten minutes: use login, then signInOwnerToAuthorize.'

export const authorizationRequestResolvers = {
  Query: {
    authorizationRequest: (_, { id, browser }, desk) => requestWith({ id, browser }, desk),
  },
  Mutation: {
    signInToAuthorize: async (_, { request: id, browser }, context) => {
      const access = await context.access()
      // A session may be old: owners give their password again.
      if (access.staff) throw unauthenticated(HOW_OWNERS_SIGN_IN)
      return signIn({ id, browser }, { storeId: access.storeId, actor: auditActorOf(access) }, context)
    },
    signInOwnerToAuthorize: async (_, { request: id, store = null, browser }, context) => {
      const user = await context.presented()
      if (!user || !isFresh(user, context.now())) throw unauthenticated(HOW_OWNERS_SIGN_IN)
      const owned = await context.load.storesOfOwner.load(user.id)
      return signInOwner({ id, browser }, { userId: user.id, owned, wanted: store }, context)
    },
    answerAuthorizationRequest: (_, { request: id, isGranted, browser }, desk) => answer({ id, browser }, isGranted, desk),
    leaveAuthorizationRequest: (_, { request: id, browser }, desk) => leave({ id, browser }, desk),
  },
  AuthorizationRequest: {
    storeName: async ({ storeId }, _, { load }) =>
      storeId === null ? null : ((await load.storeById.load(storeId))?.name ?? null),
    permissions: ({ scopes }) => permissionsOf(scopes),
    returnsTo: ({ redirectUri }) => destinationOf(redirectUri),
  },
} satisfies Resolvers
