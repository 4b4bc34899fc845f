import type { Resolvers } from '#generated/store/resolvers.ts'
import { permissionsOf } from '../access/permissions.ts'
import { answer, leave, requestWith, signIn } from './actions.ts'
import { destinationOf } from './authorization-request.ts'

export const authorizationRequestResolvers = {
  Query: {
    authorizationRequest: (_, { id }, desk) => requestWith(id, desk),
  },
  Mutation: {
    signInToAuthorize: async (_, { request }, context) => signIn(request, await context.storeId(), context),
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
