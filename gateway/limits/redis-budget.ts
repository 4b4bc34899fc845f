import type { Logger } from 'pino'
import { type Level, levelOf } from '../../subgraphs/runtime/token-buckets.ts'
import { redisScripts } from '../redis.ts'
import { BUDGETS_PER_ADDRESS, type Budget, memoryBudget, pursesOf } from './budget.ts'

/**
 * Takes ARGV[1] points out of all buckets of KEYS, or out of none; ARGV[2…] are their sizes. Answers whether it did, and what is left in each, by the
 * clock of Redis: those of several gateways differ. A bucket that is full again needs no memory.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points = tonumber(ARGV[1])
local granted = 1
local left = {}
for i, key in ipairs(KEYS) do
  local size = tonumber(ARGV[i + 1])
  local bucket = redis.call('HMGET', key, 'left', 'at')
  left[i] = size
  if bucket[1] then left[i] = math.min(size, bucket[1] + math.max(0, now - bucket[2]) * size / 60000) end
  if left[i] < points then granted = 0 end
end
for i, key in ipairs(KEYS) do
  if granted == 1 then
    left[i] = left[i] - points
    redis.call('HSET', key, 'left', left[i], 'at', now)
    redis.call('PEXPIRE', key, 60000)
  end
  left[i] = tostring(left[i])
end
return {granted, unpack(left)}`

/** The budget that an environment asks for; null for none. */
export async function budgetOf(
  { COST_BUDGET: perMinute, REDIS_URL: url }: { readonly COST_BUDGET: number; readonly REDIS_URL?: string | undefined },
  log: Logger,
): Promise<Budget | null> {
  if (perMinute === 0) return null
  return url === undefined ? memoryBudget(perMinute) : redisBudget({ url, perMinute, log })
}

/**
 * Budgets that all gateways count together, in Redis. While Redis cannot be reached, this process counts by itself: neither does a client wait for it, nor
 * is anybody let through uncounted.
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
  /** How long one count may take. */
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
      const { client, address } = pursesOf(caller)
      const sizes = [perMinute, perMinute * BUDGETS_PER_ADDRESS]
      const taken = scripts.run(TAKE, [`atrium:cost:${client}`, `atrium:cost:${address}`], [points, ...sizes])
      return taken === null
        ? own.spend(caller, points)
        : taken.then((answer) => (answer === null ? own.spend(caller, points) : levelIn(answer, points, perMinute)))
    },
    close: scripts.close,
  }
}

/** Which of the two buckets is the problem when there is one; otherwise the client's own. */
function levelIn(answer: unknown, points: number, perMinute: number): Level {
  const [granted, client, address] = (answer as readonly unknown[]).map(Number) as [number, number, number]
  if (granted === 1) return levelOf(client, 0, perMinute)
  return client < points ? levelOf(client, points, perMinute) : levelOf(address, points, perMinute * BUDGETS_PER_ADDRESS)
}
