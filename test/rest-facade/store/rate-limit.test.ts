import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryRateLimit, type RateLimit } from '../../../rest-facade/store/caller/rate-limit.ts'
import { redisRateLimit } from '../../../rest-facade/store/caller/redis-rate-limit.ts'
import { redisScripts } from '../../../subgraphs/runtime/redis.ts'
import { hasRedis, REDIS, redisServer } from '../../gateway/support/redis.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

/** A clock that stands still unless a test moves it. */
let at = Date.parse('2026-11-20T12:00:00Z')
let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack({ rateLimit: memoryRateLimit(() => at) })
})
afterAll(() => stack.close())

const statuses = async (times: number, as = stack.own) => {
  const replies = []
  for (let time = 0; time < times; time++) replies.push(await stack.ask('GET /store/languages.json', { as }))
  return replies
}

test('the 21st request of a second is 429, says when to come back, and the next second is open again', async () => {
  const replies = await statuses(21)
  expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429])
  expect(replies[0]?.headers).toMatchObject({
    'jumpseller-perminuteratelimit-limit': '800',
    'jumpseller-perminuteratelimit-remaining': '799',
    'jumpseller-persecondratelimit-limit': '20',
    'jumpseller-persecondratelimit-remaining': '19',
  })
  expect(replies[20]?.json).toEqual({ message: 'Too Many Requests (Rate Limit Exceeded)' })
  expect(replies[20]?.headers).toMatchObject({ 'retry-after': '1', 'jumpseller-persecondratelimit-remaining': '0' })
  expect(replies[20]?.headers['jumpseller-bannedbyratelimit-reset']).toBeUndefined()
  at += 1_000
  expect((await statuses(1))[0]?.status).toBe(200)
})

test('another store has limits of its own', async () => {
  await statuses(21)
  const other = await stack.aStore()
  expect((await statuses(1, other))[0]?.headers['jumpseller-perminuteratelimit-remaining']).toBe('799')
})

test('the 801st request of a minute is 429 until the minute is over', () => {
  let now = 0
  const { count } = memoryRateLimit(() => now)
  const seen = Array.from({ length: 801 }, (_, index) => {
    now = index * 60
    return count('1.2.3.4', 'shop')
  })
  expect(seen.at(-1)).toMatchObject({ minute: 801, minuteEndsIn: 60_000 - 800 * 60, banEndsIn: 0 })
  now = 60_000
  expect(count('1.2.3.4', 'shop')).toMatchObject({ minute: 1 })
})

test('2,000 requests over the limit are a ban of an hour, with the time at which it ends', async () => {
  at += 60_000
  const limit = memoryRateLimit(() => at)
  const banned = await startStoreStack({ rateLimit: limit })
  try {
    for (let time = 0; time < 2_020; time++) await limit.count('127.0.0.1', banned.own.code)
    at += 60_000
    const { status, headers } = await banned.ask('GET /store/languages.json')
    expect([status, headers['retry-after']]).toEqual([429, '3540'])
    expect(headers['jumpseller-bannedbyratelimit-reset']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
    expect((await banned.ask('GET /store/languages.json', { as: await banned.aStore({ name: 'Another' }) })).status).toBe(200)
    at += 3_540_000
    expect((await banned.ask('GET /store/languages.json')).status).toBe(200)
  } finally {
    await banned.close()
  }
})

describe.skipIf(!hasRedis)(`limits in Redis (skipped where ${REDIS} is not installed)`, () => {
  test('are counted together by all processes, and by each alone while Redis is away', async () => {
    const redis = await redisServer()
    const log = pino({ level: 'silent' })
    const scripts = await Promise.all(
      [1, 2].map(() => redisScripts({ url: redis.url, purpose: 'rate limits', log, commandMilliseconds: 10_000 })),
    )
    try {
      const limits = scripts.map(redisRateLimit) as [RateLimit, RateLimit]
      const [one, other] = limits
      const standings = await Promise.all(
        Array.from({ length: 30 }, (_, index) => (index % 2 ? one : other).count('::1', 'shop')),
      )
      const minutes = standings.map(({ minute }) => minute).sort((a, b) => a - b)
      expect(minutes).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
      expect(
        standings.every(({ minuteEndsIn, banEndsIn }) => minuteEndsIn > 0 && minuteEndsIn <= 60_000 && banEndsIn === 0),
      ).toBe(true)

      const many = await Promise.all(Array.from({ length: 4_000 }, () => one.count('::1', 'busy')))
      expect(many.at(-1)?.banEndsIn).toBeGreaterThan(3_500_000)
      expect((await other.count('::1', 'busy')).banEndsIn).toBeGreaterThan(3_500_000)

      await redis.stop()
      expect(await one.count('::1', 'shop')).toMatchObject({ minute: 1 })
      expect(await one.count('::1', 'shop')).toMatchObject({ minute: 2 })
    } finally {
      await Promise.all(scripts.map(({ close }) => close()))
      await redis.stop()
    }
  })
})
