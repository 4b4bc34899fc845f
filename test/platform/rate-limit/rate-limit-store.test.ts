import { afterEach, describe, expect, test } from 'vitest'
import { addressRateLimit } from '../../../platform/rate-limit/address-rate-limit.ts'
import {
  localRateLimitStore,
  type RateLimitStore,
  rateLimitStoreOf,
  redisRateLimitStore,
} from '../../../platform/rate-limit/rate-limit-store.ts'
import { redisScripts } from '../../../platform/redis/redis-scripts.ts'
import { keyRate } from '../../../subgraphs/trust/key/rate.ts'
import { trialLimit } from '../../../subgraphs/trust/trial/limit.ts'
import { recordingLog } from '../../gateway/support/graph.ts'
import { hasRedis, type RedisServer, redisServer } from '../../gateway/support/redis.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

const LIMITED = { extensions: { code: 'RATE_LIMITED' } }

/** How many of these were refused; fails when one failed in another way. */
async function refusedOf(attempts: readonly Promise<unknown>[]): Promise<number> {
  const refused = (await Promise.allSettled(attempts)).filter((each) => each.status === 'rejected')
  for (const { reason } of refused) expect(reason).toMatchObject(LIMITED)
  return refused.length
}

test('without Redis a process counts by itself', async () => {
  const [one, other] = await Promise.all([1, 2].map(() => rateLimitStoreOf({}, recordingLog().log)))
  const take = [one, other].map((rateLimits) => (rateLimits as RateLimitStore).buckets('things', 3))
  expect(await take[0]?.('a', 3)).toMatchObject({ isGranted: true, left: 0 })
  expect(await take[0]?.('a', 1)).toMatchObject({ isGranted: false })
  expect(await take[1]?.('a', 3)).toMatchObject({ isGranted: true })
})

test('an exceeded limit is an error with the time to wait', async () => {
  const limit = addressRateLimit('log-ins', 2, localRateLimitStore())
  await limit('1.2.3.4')
  await limit('1.2.3.4')
  await expect(limit('1.2.3.4')).rejects.toMatchObject({ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 30 } })
  await limit('1.2.3.5')
})

describe.skipIf(!hasRedis)('two processes (needs redis-server)', () => {
  /** On a busy machine an answer may take longer than a process should wait for it. */
  const patient: typeof rateLimitStoreOf = async ({ REDIS_URL: url = '' }, log) =>
    redisRateLimitStore(await redisScripts({ url, purpose: 'limits', log, commandMilliseconds: 10_000 }))

  async function two(
    rateLimits = patient,
  ): Promise<{ redis: RedisServer; both: readonly [RateLimitStore, RateLimitStore]; lines: unknown[] }> {
    const redis = await redisServer()
    cleanups.push(redis.stop)
    const { log, lines } = recordingLog()
    const both = await Promise.all([rateLimits({ REDIS_URL: redis.url }, log), rateLimits({ REDIS_URL: redis.url }, log)])
    for (const { close } of both) cleanups.push(close)
    return { redis, both, lines }
  }

  test('count addresses together, and to the point', async () => {
    const { both, lines } = await two()
    const limits = both.map((rateLimits) => addressRateLimit('log-ins', 60, rateLimits))
    const attempts = Array.from({ length: 100 }, (_, index) => limits[index % 2]?.('1.2.3.4') as Promise<void>)
    // One comes back each second, so one or two more at most.
    expect([38, 39, 40]).toContain(await refusedOf(attempts))
    await limits[0]?.('1.2.3.5')
    // Networks of IPv6 are one address, and other limits have buckets of their own.
    const refreshes = addressRateLimit('refreshes', 1, both[1])
    await refreshes('2001:db8::1')
    await expect(addressRateLimit('refreshes', 1, both[0])('2001:db8::2')).rejects.toMatchObject(LIMITED)
    expect(lines).toEqual([])
  })

  test('count questions of keys together, by their plans', async () => {
    const { both } = await two()
    const rates = both.map((rateLimits) => keyRate({ free: 10, unlimited: 0 }, rateLimits))
    const attempts = Array.from({ length: 8 }, (_, index) => rates[index % 2]?.({ id: '7', plan: 'free' }, 3) as Promise<void>)
    expect(await refusedOf(attempts)).toBe(5)
    // More at once than there ever are is the whole bucket.
    await expect(rates[0]?.({ id: '7', plan: 'free' }, 100)).rejects.toMatchObject(LIMITED)
    await rates[1]?.({ id: '8', plan: 'free' }, 100)
    await rates[1]?.({ id: '7', plan: 'unlimited' }, 100)
  })

  test('give back what others used up', async () => {
    const { both } = await two()
    const trials = both.map(trialLimit)
    const addresses = Array.from({ length: 14 }, (_, index) => `10.0.0.${index}`)
    const attempts = addresses.flatMap((address) =>
      Array.from({ length: 5 }, (_, index) => trials[index % 2]?.(address) as Promise<number>),
    )
    // Of all together there are 60 in a minute; whose turn they took from has it again.
    const refused = await refusedOf(attempts)
    expect([8, 9, 10]).toContain(refused)
    const left = await Promise.all(addresses.map((address) => both[0].buckets('trials', 5)(address, 0)))
    expect(left.reduce((sum, each) => sum + each.left, 0)).toBe(refused)
  })

  test('count by themselves while Redis is away, and together again when it is back', async () => {
    const { redis, both, lines } = await two(rateLimitStoreOf)
    const take = both.map(({ buckets }) => buckets('things', 3))
    expect(await take[0]?.('a', 3)).toMatchObject({ isGranted: true })
    expect(await take[1]?.('a', 1)).toMatchObject({ isGranted: false })
    await redis.stop()
    await expect.poll(async () => (await take[1]?.('a', 3))?.isGranted).toBe(true)
    expect(await take[1]?.('a', 1)).toMatchObject({ isGranted: false })
    await expect.poll(() => JSON.stringify(lines)).toContain('limits of addresses and keys')
    await redis.start()
    // It has forgotten everything, as a Redis without a disk does.
    await expect
      .poll(async () => {
        await take[0]?.('b', 3)
        return (await take[1]?.('b', 1))?.isGranted
      })
      .toBe(false)
  })
})
