import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import { redisScripts } from '../../../platform/redis/redis-scripts.ts'
import { memoryRateLimit, NO_STORE, type RequestCounter } from '../../../rest-facade/store/caller/rate-limit.ts'
import { redisRateLimit } from '../../../rest-facade/store/caller/redis-rate-limit.ts'
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

test('the 21st request of a second is 429 with the time to wait, and the next second is open again', async () => {
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

test('another store has separate limits', async () => {
  await statuses(21)
  const other = await stack.aStore()
  expect((await statuses(1, other))[0]?.headers['jumpseller-perminuteratelimit-remaining']).toBe('799')
})

test('the 801st request of a minute is 429 until the minute ends', () => {
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

test('a ban neither ends because windows of others are remembered, nor is one of many forgotten before the newest', () => {
  let now = 0
  const { count, banEndsIn, uses } = memoryRateLimit(() => now)
  for (let time = 0; time < 2_020; time++) void count('1.2.3.4', 'shop')
  for (let client = 0; client < 25_000; client++) void count(`2.${client >> 16}.${(client >> 8) & 255}.${client & 255}`, 'shop')
  for (let client = 0; client < 25_000; client++) void count(`3.${client >> 16}.${(client >> 8) & 255}.${client & 255}`, NO_STORE)
  expect(banEndsIn('1.2.3.4', 'shop')).toBe(3_600_000)
  expect(count('1.2.3.4', 'shop')).toMatchObject({ minute: 1, banEndsIn: 3_600_000 })
  now = 3_599_999
  expect([banEndsIn('1.2.3.4', 'shop'), banEndsIn('1.2.3.4', 'other'), banEndsIn('1.2.3.5', 'shop')]).toEqual([1, 0, 0])
  now = 3_600_000
  expect([banEndsIn('1.2.3.4', 'shop'), count('1.2.3.4', 'shop')]).toMatchObject([0, { banEndsIn: 0 }])
  return expect(uses('shop')).resolves.toEqual([{ address: '1.2.3.4', minute: 1, banEndsIn: 0 }])
})

test('requests without credentials do not evict the windows of a store', () => {
  const { count } = memoryRateLimit(() => 0)
  void count('1.2.3.4', 'shop')
  for (let client = 0; client < 25_000; client++) void count(`3.${client >> 16}.${(client >> 8) & 255}.${client & 255}`, NO_STORE)
  expect(count('1.2.3.4', 'shop')).toMatchObject({ minute: 2 })
})

describe('answers to unknown callers, and about unknown paths', () => {
  const HEADERS = [
    'jumpseller-perminuteratelimit-limit',
    'jumpseller-perminuteratelimit-remaining',
    'jumpseller-persecondratelimit-limit',
    'jumpseller-persecondratelimit-remaining',
  ]

  test('have the headers of the limits, of the address alone where no store is known', async () => {
    at += 60_000
    const wrong = { ...stack.own, authtoken: 'wrong' }
    const requests: [number, Awaited<ReturnType<typeof stack.ask>>][] = [
      [401, await stack.ask('GET /categories.json', { as: null })],
      [401, await stack.ask('GET /categories.json', { as: wrong })],
      [404, await stack.ask('GET /nothing.json', { as: null })],
      [404, await stack.ask('GET /nothing.json', { as: wrong })],
      [405, await stack.ask('DELETE /categories.json', { as: null })],
      [414, await stack.ask(`GET /nothing.json?x=${'x'.repeat(9_000)}`, { as: null })],
    ]
    const left = requests.map(([status, reply], index) => {
      expect([index, reply.status, ...HEADERS.map((name) => reply.headers[name] !== undefined)]).toEqual([
        index,
        status,
        ...HEADERS.map(() => true),
      ])
      return reply.headers['jumpseller-perminuteratelimit-remaining']
    })
    expect(left).toEqual(['799', '798', '797', '796', '795', '794'])
  })

  test('count for the store whose credentials are sent', async () => {
    at += 60_000
    const left = []
    for (const on of ['GET /nothing.json', 'DELETE /categories.json', 'GET /store/languages.json']) {
      left.push((await stack.ask(on)).headers['jumpseller-perminuteratelimit-remaining'])
    }
    expect(left).toEqual(['799', '798', '797'])
    for (let time = 0; time < 17; time++) await stack.ask('GET /nothing.json')
    expect((await stack.ask('GET /nothing.json')).status).toBe(429)
    expect((await stack.ask('GET /nothing.json', { as: null })).status).toBe(404)
  })

  test('a page of another origin may read them', async () => {
    const { headers } = await stack.ask('GET /nothing.json', { as: null, headers: { origin: 'https://shop.example' } })
    for (const name of HEADERS) expect(headers['access-control-expose-headers']?.toLowerCase()).toContain(name)
  })
})

test('networks of IPv6 count as one address', async () => {
  const seen: string[] = []
  const counts = memoryRateLimit(() => at)
  const count = (address: string, code: string) => {
    seen.push(address)
    return counts.count(address, code)
  }
  const noting = { ...counts, count }
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'))
  const noted = await startStoreStack({ rateLimit: noting })
  try {
    await noted.ask('GET /store/languages.json')
    expect(seen).toEqual([networkOf('127.0.0.1')])
  } finally {
    await noted.close()
  }
  await counts.count(networkOf('2001:db8:1:2::9'), 'shop')
  expect(await counts.uses('shop')).toMatchObject([{ address: '2001:db8:1:2::/64' }])
})

describe.skipIf(!hasRedis)(`limits in Redis (skipped where ${REDIS} is not installed)`, () => {
  test('are counted together by all processes, and by each alone while Redis is away', async () => {
    const redis = await redisServer()
    const log = pino({ level: 'silent' })
    const scripts = await Promise.all(
      [1, 2].map(() => redisScripts({ url: redis.url, purpose: 'rate limits', log, commandMilliseconds: 10_000 })),
    )
    try {
      const limits = scripts.map(redisRateLimit) as [RequestCounter, RequestCounter]
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
      expect(await other.banEndsIn('::1', 'busy')).toBeGreaterThan(3_500_000)
      expect([await other.banEndsIn('::1', 'shop'), await other.banEndsIn('::2', 'busy')]).toEqual([0, 0])

      await redis.stop()
      expect(await one.count('::1', 'shop')).toMatchObject({ minute: 1 })
      expect(await one.count('::1', 'shop')).toMatchObject({ minute: 2 })
      for (let time = 0; time < 2_020; time++) await one.count('::3', 'busy')
      expect(await one.banEndsIn('::3', 'busy')).toBeGreaterThan(3_500_000)
    } finally {
      await Promise.all(scripts.map(({ close }) => close()))
      await redis.stop()
    }
  })
})
