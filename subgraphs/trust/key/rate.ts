import { rateLimited } from '../../runtime/errors.ts'
import { type TokenBuckets, tokenBuckets } from '../../runtime/token-buckets.ts'
import { type ApiKey, PLANS, type Plan } from './key.ts'

/** Counts questions of a key; throws RATE_LIMITED, with the seconds to wait, when they are too many at once. */
export type KeyRate = (key: Pick<ApiKey, 'id' | 'plan'>, questions: number) => void

/**
 * Lets each key ask so many questions a minute as its plan says, all at once or spread: a bucket that fills again evenly, in this process only. 0: no
 * bound. Whoever asks more at once than a bucket holds gets the whole bucket's worth counted.
 */
export function keyRate(perMinute: Readonly<Record<Plan, number>>, now: () => Date): KeyRate {
  const buckets = new Map<Plan, TokenBuckets>(
    PLANS.flatMap((plan) => (perMinute[plan] > 0 ? [[plan, tokenBuckets(perMinute[plan], now)] as const] : [])),
  )

  return ({ id, plan }, questions) => {
    const found = buckets.get(plan)?.(id, Math.min(questions, perMinute[plan]))
    if (found && !found.isGranted) throw rateLimited('questions of this key', found.waitSeconds)
  }
}
