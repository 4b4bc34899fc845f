import type { Resolvers } from '#generated/social/resolvers.ts'

export const commentResolvers = {} satisfies Resolvers
