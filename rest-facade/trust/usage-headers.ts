import type { WireUsageFragment } from '#generated/operations.ts'
import type { ProblemDetails } from '../http/problem.ts'

/** The headers of draft-ietf-httpapi-ratelimit-headers-10; none for keys without a limit. */
export function usageHeaders({
  limit,
  remaining,
  periodStart,
  resetsAt,
  secondsUntilReset,
}: WireUsageFragment): Readonly<Record<string, string>> {
  if (limit === null || remaining === null) return {}
  const window = Math.round((Date.parse(resetsAt) - Date.parse(periodStart)) / 1000)
  return {
    'ratelimit-policy': `"scans";q=${limit};w=${window}`,
    ratelimit: `"scans";r=${remaining};t=${secondsUntilReset}`,
  }
}

/** The scans of the period are used up. */
export const quotaExceeded = (message: string, { limit, resetsAt, secondsUntilReset }: WireUsageFragment): ProblemDetails => ({
  status: 429,
  code: 'QUOTA_EXCEEDED',
  message,
  details: { limit, used: limit, resets_at: resetsAt },
  headers: { 'retry-after': String(secondsUntilReset) },
})
