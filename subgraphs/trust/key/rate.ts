import { rateLimited } from '../../../platform/graphql/errors.ts'
import type { RateLimitStore, TakeTokens } from '../../../platform/rate-limit/rate-limit-store.ts'
import { type ApiKey, PLANS, type Plan } from './key.ts'

/**
 * Counts questions of a key; rejects with RATE_LIMITED, with the seconds to wait, when they are too
 * many at once.
 */
export type KeyRate = (key: Pick<ApiKey, 'id' | 'plan'>, questions: number) => Promise<void>

/**
 * Limits the requests of each key per minute by its plan: a token bucket that refills evenly. 0: no
 * limit. A request for more than a bucket holds counts as a whole bucket.
 */
export function keyRate(perMinute: Readonly<Record<Plan, number>>, { buckets }: RateLimitStore): KeyRate {
  const ofPlans = new Map<Plan, TakeTokens>(
    PLANS.flatMap((plan) =>
      perMinute[plan] > 0 ? [[plan, buckets(`questions of ${plan} keys`, perMinute[plan])] as const] : [],
    ),
  )

  return async ({ id, plan }, questions) => {
    const found = await ofPlans.get(plan)?.(id, Math.min(questions, perMinute[plan]))
    if (found && !found.isGranted) throw rateLimited('questions of this key', found.waitSeconds)
  }
}
