import type { Logger } from 'pino'
import { type Level, levelOf } from '../../subgraphs/runtime/token-buckets.ts'
import { BUDGETS_PER_ADDRESS, type Budget, memoryBudget, pursesOf } from './budget.ts'

/** How long one count may take unless told otherwise, and for how long Redis is left alone after one that failed. */
const COMMAND_MILLISECONDS = 250
const CONNECT_MILLISECONDS = 1_000
const PAUSE_MILLISECONDS = 1_000

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
  commandMilliseconds = COMMAND_MILLISECONDS,
}: {
  readonly url: string
  readonly perMinute: number
  readonly log: Logger
  /** How long one count may take. */
  readonly commandMilliseconds?: number
}): Promise<Budget> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MILLISECONDS,
    commandTimeout: commandMilliseconds,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 2_000),
  })
  const own = memoryBudget(perMinute)
  let isDown = false
  let pausedUntil = 0

  redis.on('error', lost)
  await redis.connect().catch(lost)

  return {
    perMinute,
    spend(caller, points) {
      if (redis.status !== 'ready' || Date.now() < pausedUntil) return own.spend(caller, points)
      const { client, address } = pursesOf(caller)
      const sizes = [perMinute, perMinute * BUDGETS_PER_ADDRESS]
      return redis.eval(TAKE, 2, `atrium:cost:${client}`, `atrium:cost:${address}`, points, ...sizes).then(
        (answer) => {
          found()
          return levelIn(answer, points, perMinute)
        },
        (error: unknown) => {
          lost(error)
          pausedUntil = Date.now() + PAUSE_MILLISECONDS
          return own.spend(caller, points)
        },
      )
    },
    close: async () => redis.disconnect(),
  }

  function lost(error: unknown): void {
    if (isDown) return
    isDown = true
    // Not the error itself: it may quote the address, which may hold a password.
    log.warn({ reason: reasonOf(error) }, 'Redis cannot be reached: this process counts the cost budget by itself')
  }

  function found(): void {
    if (!isDown) return
    isDown = false
    log.info('Redis can be reached again: the cost budget is shared')
  }
}

/** Which of the two buckets is the problem when there is one; otherwise the client's own. */
function levelIn(answer: unknown, points: number, perMinute: number): Level {
  const [granted, client, address] = (answer as readonly unknown[]).map(Number) as [number, number, number]
  if (granted === 1) return levelOf(client, 0, perMinute)
  return client < points ? levelOf(client, points, perMinute) : levelOf(address, points, perMinute * BUDGETS_PER_ADDRESS)
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? ('code' in error && typeof error.code === 'string' ? error.code : error.name) : 'unknown'
