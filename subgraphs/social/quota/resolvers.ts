import type { Resolvers } from '#generated/social/resolvers.ts'
import { quotaLevel } from '../../toolkit/quota.ts'

export const quotaResolvers = {
  User: {
    writeQuota: async ({ id }, _, { viewer, quota }) => {
      if ((await viewer())?.user.id !== id) return null
      const { writesLeft, bytesLeft } = await quota.left(id)
      return {
        writesPerMinute: quotaLevel(quota.quotas.writes, writesLeft),
        bytesPerDay: quotaLevel(quota.quotas.bytes, bytesLeft),
      }
    },
  },
} satisfies Resolvers
