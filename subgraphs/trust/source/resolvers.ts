import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upper } from '../words.ts'

export const sourceResolvers = {
  Query: {
    trustSources: async (_, __, { sources }) =>
      (await sources.status()).map(({ name, state, reason }) => ({ name, state: upper(state), reason })),
  },
} satisfies Resolvers
