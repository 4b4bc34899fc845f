import type { Resolvers } from '#generated/trust/resolvers.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { usageOf } from './usage.ts'

export const keyResolvers = {
  Query: {
    trustUsage: async (_, __, { key, keys, now }) => usageOf(await key(), now(), keys),
  },
  TrustUsage: {
    plan: ({ plan }) => upperCase(plan),
  },
} satisfies Resolvers
