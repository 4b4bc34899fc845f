import type { Resolvers } from '#generated/social/resolvers.ts'

/** The directory knows whether there is such an item; here it is what posts are about. */
export const directoryItemResolvers = {
  DirectoryItem: { __resolveReference: ({ id }) => ({ id }) },
} satisfies Resolvers
