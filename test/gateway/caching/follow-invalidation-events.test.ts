import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { followInvalidationEvents } from '../../../gateway/caching/follow-invalidation-events.ts'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { entityGraph, SUPERGRAPH } from '../support/entity-graph.ts'
import { recordingLog } from '../support/graph.ts'
import { hasRedis, redisServer } from '../support/redis.ts'

const CACHE = {
  maxBytes: 1_000_000,
  subgraphs: { details: { ttlSeconds: 60 } },
  invalidationEvents: [{ source: 'default', channel: 'changes' }],
}
const ITEM = (id: string) => ({ kind: 'entity', subgraph: 'details', type: 'Item', key: { id } })

describe.runIf(hasRedis)('messages of a broker invalidate entities', () => {
  let server: Awaited<ReturnType<typeof redisServer>>
  let publisher: Redis
  beforeAll(async () => {
    server = await redisServer()
    publisher = new Redis(server.url, { maxRetriesPerRequest: null })
    publisher.on('error', () => {})
  })
  afterAll(async () => {
    publisher.disconnect()
    await server.stop()
  })

  /** A gateway that listens; what a message makes it fetch again of a, b and c. */
  async function listening() {
    const graph = await entityGraph({ entityCache: CACHE, eventSources: { default: { url: server.url } } })
    const { details, names } = graph
    await expect.poll(async () => (await publisher.pubsub('NUMSUB', 'changes'))[1]).toBe(1)
    await names(['a', 'b', 'c'])
    details.requestedIds.length = 0
    const fetchedNow = async () => {
      await names(['a', 'b', 'c'])
      return details.requestedIds.splice(0).flat()
    }
    const publish = (message: unknown) =>
      publisher.publish('changes', typeof message === 'string' ? message : JSON.stringify(message))
    return { ...graph, fetchedNow, publish }
  }

  test('one of them, or a list, in the format of the endpoint', async () => {
    const { fetchedNow, publish } = await listening()
    expect(await fetchedNow()).toEqual([])
    await publish(ITEM('b'))
    await expect.poll(fetchedNow).toEqual(['b'])
    await publish([ITEM('a'), ITEM('c')])
    await expect.poll(fetchedNow).toEqual(['a', 'c'])
    await publish([{ kind: 'type', subgraph: 'details', type: 'Item' }])
    await expect.poll(fetchedNow).toEqual(['a', 'b', 'c'])
    expect(await fetchedNow()).toEqual([])
  })

  test('others are logged once in a while, and change nothing', async () => {
    const { fetchedNow, publish, lines } = await listening()
    for (const message of ['{', '7', '[]', '{"kind":"all"}', [ITEM('a'), { kind: 'entity' }]]) await publish(message)
    await expect.poll(() => lines.filter(({ msg }) => String(msg).includes('no invalidation of entities')).length).toBe(1)
    expect(await fetchedNow()).toEqual([])
    await publish(ITEM('a'))
    await expect.poll(fetchedNow).toEqual(['a'])
  })

  test('when the broker was gone, all entities are fetched again, and later messages count', async () => {
    const { fetchedNow, publish } = await listening()
    await server.stop()
    expect(await fetchedNow()).toEqual([])
    await server.start()
    await expect.poll(fetchedNow, { timeout: 15_000, interval: 20 }).toEqual(['a', 'b', 'c'])
    // All of them once more meanwhile: what is fetched again is b alone at last.
    const ofMessage = async () => {
      await publish(ITEM('b'))
      return fetchedNow()
    }
    await expect.poll(ofMessage, { timeout: 15_000 }).toEqual(['b'])
  }, 30_000)

  test('a broker that is not there at the start is listened to when it is', async () => {
    await server.stop()
    const { details, names } = await entityGraph({ entityCache: CACHE, eventSources: { default: { url: server.url } } })
    await names(['a'])
    await names(['a'])
    expect(details.requestedIds.splice(0)).toEqual([['a']])
    await server.start()
    const fetches = async () => {
      await names(['a'])
      return details.requestedIds.length
    }
    await expect.poll(fetches, { timeout: 15_000 }).toBe(1)
  }, 30_000)
})

test('a broker that is back invalidates at once, and again for what was published before it resubscribed', async () => {
  const back = Promise.withResolvers<() => void>()
  const broker = {
    listen: async (_: string, { onReconnected }: { readonly onReconnected?: () => void }) => {
      back.resolve(onReconnected ?? (() => {}))
      return () => {}
    },
    close: async () => {},
  }
  let invalidations = 0
  const invalidateAll = async () => {
    invalidations += 1
    return true
  }
  const cache = { invalidate: async () => true, invalidateAll }
  const { log } = recordingLog()
  const followed = followInvalidationEvents([{ source: 'a', channel: 'b' }], () => broker, { cache, log })
  onTestFinished(followed.close)
  const reconnect = await back.promise
  reconnect()
  expect(invalidations).toBe(1)
  await expect.poll(() => invalidations).toBe(2)
})

test('a broker that never answers does not hold up the end', async () => {
  const subscribing = Promise.withResolvers<() => void>()
  const broker = { listen: () => subscribing.promise, close: async () => {} }
  const cache = { invalidate: async () => true, invalidateAll: async () => true }
  const { log } = recordingLog()
  const followed = followInvalidationEvents([{ source: 'a', channel: 'b' }], () => broker, { cache, log })
  await followed.close()
  const stopped = Promise.withResolvers<void>()
  subscribing.resolve(stopped.resolve)
  await stopped.promise
})

test.each([
  [
    [{ source: 'none', channel: 'changes' }],
    'Expected "entityCache.invalidationEvents[0].source" to be a name in "eventSources", got "none".',
  ],
  [[{ source: 'none' }], 'Expected "entityCache.invalidationEvents[0].channel" to be the name of a channel, got nothing.'],
  [
    Array.from({ length: 21 }, () => ({ source: 'a', channel: 'b' })),
    'Expected "entityCache.invalidationEvents" to be a list of at most 20 channels, got a list of 21.',
  ],
])('%j stops the start', async (invalidationEvents, says) => {
  const begun = createGateway({ supergraph: SUPERGRAPH, entityCache: { maxBytes: 1_000, invalidationEvents } as never })
  onTestFinished(() => begun.then((gateway) => gateway.close()).catch(() => {}))
  await expect(begun).rejects.toThrow(says)
})
