import type { Resolvers } from '#generated/social/resolvers.ts'

export const messageResolvers = {} satisfies Resolvers
