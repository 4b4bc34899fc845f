import type { Resolvers } from '#generated/social/resolvers.ts'

export const postResolvers = {} satisfies Resolvers
