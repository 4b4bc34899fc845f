import { GetUsageDocument } from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import { route } from '../../http/route.ts'
import { usageHeaders } from '../usage-headers.ts'

export const keyRoutes = [
  route({
    on: 'GET /v1/usage',
    aliases: ['/api/v1/usage'],
    run: GetUsageDocument,
    variables: () => ({}),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ usage }) => ({
      plan: lowerCase(usage.plan),
      limit: usage.limit,
      used: usage.used,
      remaining: usage.remaining,
      period_start: usage.periodStart,
      resets_at: usage.resetsAt,
    }),
  }),
]
