import type { Logger } from 'pino'
import { takeFromRedis } from '../../platform/rate-limit/rate-limit-store.ts'
import { type RateLimitResult, toRateLimitResult } from '../../platform/rate-limit/token-buckets.ts'
import { redisScripts } from '../../platform/redis/redis-scripts.ts'
import { BUDGETS_PER_ADDRESS, type Budget, budgetKeys, memoryBudget } from './budget.ts'

/** Budget by configuration; null for none. */
export async function budgetFromConfig(
  { COST_BUDGET: perMinute, REDIS_URL: url }: { readonly COST_BUDGET: number; readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<Budget | null> {
  if (perMinute === 0) return null
  return url === undefined ? memoryBudget(perMinute) : redisBudget({ url, perMinute, log })
}

/**
 * Budgets shared by all gateways through Redis. While Redis is unavailable, this process counts
 * locally: clients neither wait nor get unlimited budgets.
 */
export async function redisBudget({
  url,
  perMinute,
  log,
  commandMilliseconds,
}: {
  readonly url: string
  readonly perMinute: number
  readonly log: Logger
  /** Timeout of a Redis command. */
  readonly commandMilliseconds?: number
}): Promise<Budget> {
  const scripts = await redisScripts({
    url,
    purpose: 'the cost budget',
    log,
    ...(commandMilliseconds && { commandMilliseconds }),
  })
  const own = memoryBudget(perMinute)

  return {
    perMinute,
    spend(caller, points) {
      const { client, address } = budgetKeys(caller)
      const sizes = [perMinute, perMinute * BUDGETS_PER_ADDRESS]
      const taking = takeFromRedis(scripts, [`atrium:cost:${client}`, `atrium:cost:${address}`], sizes, points)
      return taking === null
        ? own.spend(caller, points)
        : taking.then((taken) => (taken === null ? own.spend(caller, points) : levelIn(taken, points, perMinute)))
    },
    close: scripts.close,
  }
}

/** Level to report: of the exhausted bucket, otherwise the client's. */
function levelIn(
  { isGranted, left: [client = 0, address = 0] }: { readonly isGranted: boolean; readonly left: readonly number[] },
  points: number,
  perMinute: number,
): RateLimitResult {
  if (isGranted) return toRateLimitResult(client, 0, perMinute)
  return client < points
    ? toRateLimitResult(client, points, perMinute)
    : toRateLimitResult(address, points, perMinute * BUDGETS_PER_ADDRESS)
}
