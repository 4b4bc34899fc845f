import type { Resolvers } from '#generated/social/resolvers.ts'

export const sessionResolvers = {} satisfies Resolvers
