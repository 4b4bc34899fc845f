import type { Resolvers } from '#generated/social/resolvers.ts'

export const directoryItemResolvers = {} satisfies Resolvers
