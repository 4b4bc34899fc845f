import type { Resolvers } from '#generated/social/resolvers.ts'
import { quotaLevel } from '../../toolkit/quota.ts'

export const quotaResolvers = {
  User: {
    writeQuota: async ({ id }, _, { viewer, quota }) => {
      if ((await viewer())?.user.id !== id) return null
      const { remainingWrites, remainingBytes } = await quota.remaining(id)
      return {
        writesPerMinute: quotaLevel(quota.quotas.writes, remainingWrites),
        bytesPerDay: quotaLevel(quota.quotas.bytes, remainingBytes),
      }
    },
  },
} satisfies Resolvers
