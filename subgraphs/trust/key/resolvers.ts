import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upper } from '../words.ts'
import { usageOf } from './usage.ts'

export const keyResolvers = {
  Query: {
    trustUsage: async (_, __, { key, keys, now }) => usageOf(await key(), now(), keys),
  },
  TrustUsage: {
    plan: ({ plan }) => upper(plan),
  },
} satisfies Resolvers
