import type { Resolvers } from '#generated/store/resolvers.ts'
import { unauthenticated } from '../../runtime/errors.ts'
import { permissionsOf } from '../access/permissions.ts'
import { answer, leave, requestWith, signIn, signInOwner } from './actions.ts'
import { destinationOf, isFresh } from './authorization-request.ts'

const HOW_OWNERS_SIGN_IN = 'Expected the token of a user whose password was given in the last ten minutes: use login.'

export const authorizationRequestResolvers = {
  Query: {
    authorizationRequest: (_, { id }, desk) => requestWith(id, desk),
  },
  Mutation: {
    signInToAuthorize: async (_, { request }, context) => signIn(request, await context.storeId(), context),
    signInOwnerToAuthorize: async (_, { request, store = null }, context) => {
      const user = await context.presented()
      if (!user || !isFresh(user, context.now())) throw unauthenticated(HOW_OWNERS_SIGN_IN)
      return signInOwner(request, await context.load.storesOfOwner.load(user.id), store, context)
    },
    answerAuthorizationRequest: (_, { request, isGranted }, desk) => answer(request, isGranted, desk),
    leaveAuthorizationRequest: (_, { request }, desk) => leave(request, desk),
  },
  AuthorizationRequest: {
    storeName: async ({ storeId }, _, { load }) =>
      storeId === null ? null : ((await load.storeById.load(storeId))?.name ?? null),
    permissions: ({ scopes }) => permissionsOf(scopes),
    returnsTo: ({ redirectUri }) => destinationOf(redirectUri),
  },
} satisfies Resolvers
