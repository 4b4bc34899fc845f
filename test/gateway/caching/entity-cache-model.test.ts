import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Invalidation } from '../../../gateway/caching/entity-cache-tags.ts'
import type { EntityCacheOptions } from '../../../gateway/options/entity-cache-options.ts'
import { entityGraph } from '../support/entity-graph.ts'
import { hasRedis, type RedisServer, redisServer } from '../support/redis.ts'

const IDS = ['a', 'b', 'c', 'd', 'e']
const CALLERS = ['ann', 'bob', undefined]
const STEPS = 400

/** A generator of numbers below `bound` that gives the same ones for the same seed. */
function randomNumbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * bound)
  }
}

/**
 * Random reads, changes and invalidations, some at the same time. A read must return a value that
 * was there after the last invalidation of its entity before the read began, and private values of
 * its caller only.
 */
async function runModel(
  entityCache: EntityCacheOptions,
  seed: number,
): Promise<{ readonly reads: number; readonly fetched: number }> {
  const random = randomNumbers(seed)
  const { gateway, details, items } = await entityGraph({ entityCache })
  details.extensions = (ids) => ({ apolloEntityCacheTags: ids.map((id) => [`tag-${id}`]) })
  /** The number of changes of each item so far, and at its last invalidation. */
  const current = new Map(IDS.map((id) => [id, 0]))
  const oldest = new Map(IDS.map((id) => [id, 0]))
  for (const id of IDS) details.names.set(id, '0')
  let reads = 0
  const running = new Set<Promise<void>>()

  for (let step = 0; step < STEPS; step++) {
    const [id, kind] = [IDS[random(IDS.length)] as string, random(10)]
    if (kind < 2) {
      const next = (current.get(id) ?? 0) + 1
      current.set(id, next)
      details.names.set(id, String(next))
    } else if (kind === 2) await invalidate(id)
    else {
      const wanted = IDS.filter(() => random(2) === 0)
      const reading = read(wanted, ['name', 'secret', 'text(size: 1)'][random(3)] as string, CALLERS[random(CALLERS.length)])
      running.add(reading.finally(() => running.delete(reading)))
      if (random(3) > 0) await reading
    }
  }
  await Promise.all(running)
  return { reads, fetched: details.requestedIds.flat().length }

  async function invalidate(id: string): Promise<void> {
    const all: readonly (readonly [Invalidation, readonly string[]])[] = [
      [{ kind: 'entity', subgraph: 'details', type: 'Item', key: { id } }, [id]],
      [{ kind: 'cache_tag', subgraphs: ['details'], cache_tag: `tag-${id}` }, [id]],
      [{ kind: 'type', subgraph: 'details', type: 'Item' }, IDS],
      [{ kind: 'subgraph', subgraph: 'details' }, IDS],
    ]
    const [invalidation, concerned] = all[random(all.length)] as (typeof all)[number]
    const before = new Map(current)
    expect(await gateway.invalidateEntities([invalidation])).toBe(true)
    for (const each of concerned) oldest.set(each, Math.max(oldest.get(each) ?? 0, before.get(each) ?? 0))
  }

  async function read(ids: readonly string[], field: string, who: string | undefined): Promise<void> {
    const floor = new Map(oldest)
    reads += ids.length
    const { data, errors } = await items(ids, field, who)
    expect(errors).toBeUndefined()
    const found = (data as { items: Record<string, string>[] }).items
    expect(found.map(({ id }) => id)).toEqual(ids)
    for (const item of found) {
      const id = item.id as string
      const value = item[field.replace(/\(.*/, '')] as string
      if (field === 'secret') expect(value).toMatch(new RegExp(` of ${who ?? 'nobody'}$`))
      const version = Number.parseInt(value, 10)
      expect(version).toBeGreaterThanOrEqual(floor.get(id) ?? 0)
      expect(version).toBeLessThanOrEqual(current.get(id) ?? 0)
    }
  }
}

const subgraphs = { details: { types: { Item: { ttlSeconds: 600, scope: 'PUBLIC' as const } } } }

describe('entities are never older than their last invalidation, and never of another caller', () => {
  test.each([1, 2, 3])('in memory, seed %i', async (seed) => {
    const { reads, fetched } = await runModel({ maxBytes: 1_000_000, subgraphs }, seed)
    expect(fetched).toBeLessThan(reads * 0.8)
  })

  test('in memory with room for few, seed 4', async () => {
    const { reads, fetched } = await runModel({ maxBytes: 2_000, subgraphs }, 4)
    expect(fetched).toBeLessThan(reads)
  })

  describe.runIf(hasRedis)('in Redis', () => {
    let redis: RedisServer
    beforeAll(async () => {
      redis = await redisServer()
    })
    afterEach(async () => {
      const client = new Redis(redis.url)
      await client.flushall()
      client.disconnect()
    })
    afterAll(() => redis.stop())

    test.each([5, 6])('seed %i', async (seed) => {
      const { reads, fetched } = await runModel({ redisUrl: redis.url, redisTimeoutMilliseconds: 10_000, subgraphs }, seed)
      expect(fetched).toBeLessThan(reads * 0.8)
    })
  })
})
