import type { Resolvers } from '#generated/social/resolvers.ts'

/** The directory knows whether the item exists; here it has posts. */
export const directoryItemResolvers = {
  DirectoryItem: { __resolveReference: ({ id }) => ({ id }) },
} satisfies Resolvers
