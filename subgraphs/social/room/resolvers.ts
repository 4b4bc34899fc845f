import type { Resolvers } from '#generated/social/resolvers.ts'

export const roomResolvers = {} satisfies Resolvers
