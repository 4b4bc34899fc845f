import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openEntityCache } from '../../../gateway/caching/open-entity-cache.ts'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { entityGraph } from '../support/entity-graph.ts'
import { recordingLog } from '../support/graph.ts'
import { hasRedis, type RedisServer, redisServer } from '../support/redis.ts'

const subgraphs = { details: { ttlSeconds: 600 } }
const ITEM_A = { kind: 'entity' as const, subgraph: 'details', type: 'Item', key: { id: 'a' } }

test('hits, misses, bytes, entries and evictions are metrics', async () => {
  const metrics = createMetrics()
  await openEntityCache({ maxBytes: 1_000 }, recordingLog().log, metrics)
  const text = await metrics.text()
  for (const name of ['lookups_total', 'evictions_total', 'bytes', 'entries'])
    expect(text).toContain(`atrium_entity_cache_${name}`)
})

describe.runIf(hasRedis)('entities in Redis', () => {
  let redis: RedisServer
  let client: Redis
  beforeAll(async () => {
    redis = await redisServer()
    client = new Redis(redis.url, { maxRetriesPerRequest: null })
    client.on('error', () => {})
  })
  afterEach(() => client.flushall())
  afterAll(async () => {
    client.disconnect()
    await redis.stop()
  })
  /** Waits long for Redis, unless a test is about that: the machine may be busy. */
  const aCopy = (redisTimeoutMilliseconds = 10_000) =>
    entityGraph({ entityCache: { redisUrl: redis.url, redisTimeoutMilliseconds, subgraphs } })

  test('are shared by copies, and invalidated for all of them', async () => {
    const [one, other] = [await aCopy(), await aCopy()]
    one.details.names.set('a', 'One')
    other.details.names.set('a', 'Other')
    expect([await one.names(['a']), await other.names(['a'])]).toEqual([['One'], ['One']])
    expect(await other.names(['a'], 'ann')).toEqual(['Other'])
    expect(await one.gateway.invalidateEntities([ITEM_A])).toBe(true)
    expect([await other.names(['a']), await one.names(['a'])]).toEqual([['Other'], ['Other']])
  })

  test('neither representations nor credentials stand in Redis as they are, and all entries end', async () => {
    const { names, details } = await aCopy()
    details.names.set('a@example.org', 'A')
    await names(['a@example.org'], 'Bearer secret')
    const keys = await client.keys('atrium:entity:*')
    expect(keys).toHaveLength(1)
    expect(keys.join()).not.toMatch(/example|secret/)
    expect(await client.pttl(keys[0] as string)).toBeGreaterThan(500_000)
  })

  test('are fetched where Redis holds garbage', async () => {
    const { names, details } = await aCopy()
    details.names.set('a', 'A')
    await names(['a'])
    const [key = ''] = await client.keys('atrium:entity:*')
    const good = (await client.get(key)) ?? ''
    for (const garbage of ['', 'x', '\n\n\n', good.replace('{', '['), `${good.slice(0, -4)}`, '"'.repeat(10)]) {
      await client.set(key, garbage)
      expect(await names(['a'])).toEqual(['A'])
    }
    await client.del(key)
    await client.lpush(key, 'a list')
    expect(await names(['a'])).toEqual(['A'])
  })

  test('are all invalid when the invalidation records are lost', async () => {
    const { names, details } = await aCopy()
    await names(['a'])
    await client.del('atrium:entities:invalidated')
    await names(['a'])
    expect(details.requestedIds).toHaveLength(2)
    await names(['a'])
    expect(details.requestedIds).toHaveLength(2)
  })

  test('are fetched while Redis hangs, and an invalidation of that time counts when it is back', async () => {
    const { gateway, names, details } = await aCopy(250)
    details.names.set('a', 'Old')
    await names(['a'])
    redis.freeze()
    details.names.set('a', 'New')
    expect(await names(['a'])).toEqual(['New'])
    expect(await gateway.invalidateEntities([ITEM_A])).toBe(false)
    redis.resume()
    // One that only reads again a second after a failed command.
    await expect.poll(() => gateway.invalidateEntities([{ kind: 'subgraph', subgraph: 'none' }])).toBe(true)
    expect(await names(['a'])).toEqual(['New'])
  })

  test('are fetched while Redis is gone, and cached again when it is back', async () => {
    const { names, details, lines } = await aCopy()
    await redis.stop()
    for (const _ of [1, 2, 3]) expect(await names(['a'])).toEqual([null])
    details.names.set('a', 'A')
    expect(await names(['a'])).toEqual(['A'])
    await expect.poll(() => lines.filter(({ msg }) => String(msg).includes('cached entities')).length).toBe(1)
    await redis.start()
    await expect
      .poll(async () => {
        const before = details.requestedIds.length
        await names(['a'])
        return details.requestedIds.length - before
      })
      .toBe(0)
  })
})
