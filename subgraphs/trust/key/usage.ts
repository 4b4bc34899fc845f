import { type ApiKey, monthRange, SCANS_PER_MONTH, type Usage } from './key.ts'
import type { ApiKeyRepository } from './repository.ts'

/**
 * Remaining usage of a key at `at`. `counted`: its scans, where they are known; plans without a
 * limit are counted on request only.
 */
export async function usageOf(
  { id, plan }: ApiKey,
  at: Date,
  keys: Pick<ApiKeyRepository, 'counted' | 'decided'>,
  counted?: number,
): Promise<Usage> {
  const limit = SCANS_PER_MONTH[plan]
  const { start, end } = monthRange(at)
  const month = {
    periodStart: start,
    resetsAt: end,
    secondsUntilReset: Math.max(1, Math.ceil((end.getTime() - at.getTime()) / 1000)),
  }
  if (limit === null) return { plan, limit, remaining: null, used: () => keys.decided(id, at), ...month }
  const used = counted ?? (await keys.counted(id, at))
  return { plan, limit, remaining: Math.max(0, limit - used), used: async () => used, ...month }
}
