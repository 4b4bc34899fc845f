import type { Resolvers } from '#generated/social/resolvers.ts'

export const userResolvers = {} satisfies Resolvers
