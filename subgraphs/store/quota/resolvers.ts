import type { Resolvers } from '#generated/store/resolvers.ts'
import { levelsOf } from './quota.ts'

export const quotaResolvers = {
  Store: {
    quota: async ({ id }, _, { quota }) => levelsOf(quota.quotas, await quota.usageOf(id)),
  },
} satisfies Resolvers
