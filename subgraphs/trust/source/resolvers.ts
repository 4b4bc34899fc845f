import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upperCase } from '../../../platform/text/case.ts'

export const sourceResolvers = {
  Query: {
    trustSources: async (_, __, { sources }) =>
      (await sources.status()).map(({ name, state, reason }) => ({ name, state: upperCase(state), reason })),
  },
} satisfies Resolvers
