import { buildSubgraphSchema } from '@apollo/subgraph'
import { connect } from '@nats-io/transport-node'
import { parse } from 'graphql'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { channelOf } from '../../../gateway/event-sources/channel-template.ts'
import { compileFilter } from '../../../gateway/event-sources/event-filter.ts'
import { createGateway, type FederatedGateway } from '../../../gateway/library/create-gateway.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { composeOnce } from '../support/compose.ts'
import { recordingLog } from '../support/graph.ts'
import { hasKafka, kafkaServer } from '../support/kafka.ts'
import { hasNats, natsServer } from '../support/nats.ts'
import { hasRedis, redisServer } from '../support/redis.ts'
import { type Followed, followed } from '../support/subscription-reader.ts'

const LISTS = { nats: 'subjects', redis: 'channels', kafka: 'topics' } as const
type Kind = keyof typeof LISTS
const KINDS = Object.keys(LISTS) as Kind[] // of this table
/** Kafka has topics only once they are created. */
const TOPICS = ['item.a', 'item.b', 'item.h', 'all', 'other']

const eventsSdl = (kind: Kind) => `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@composeDirective"])
    @link(url: "https://example.com/edfs/v1.0")
    @link(url: "https://example.com/openfed/v1.0")
    @composeDirective(name: "@edfs__${kind}Subscribe")
    @composeDirective(name: "@openfed__subscriptionFilter")
  directive @edfs__${kind}Subscribe(${LISTS[kind]}: [String!]!, providerId: String! = "default") on FIELD_DEFINITION
  directive @openfed__subscriptionFilter(condition: openfed__SubscriptionFilterCondition!) on FIELD_DEFINITION
  input openfed__SubscriptionFieldCondition { fieldPath: String! values: [String!]! }
  input openfed__SubscriptionFilterCondition {
    AND: [openfed__SubscriptionFilterCondition!]
    IN: openfed__SubscriptionFieldCondition
    NOT: openfed__SubscriptionFilterCondition
    OR: [openfed__SubscriptionFilterCondition!]
  }
  type Subscription {
    itemUpdated(id: ID!): Item! @edfs__${kind}Subscribe(${LISTS[kind]}: ["item.{{ args.id }}"])
    anyUpdated(ids: [ID!] = ["a", "b"]): Item
      @edfs__${kind}Subscribe(${LISTS[kind]}: ["all", "other"])
      @openfed__subscriptionFilter(condition: { IN: { fieldPath: "id", values: ["{{ args.ids }}"] } })
  }
  type Item @key(fields: "id", resolvable: false) { id: ID! }
`
const DETAILS_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { count: Int }
  type Item @key(fields: "id") { id: ID! name: String! who: String }
`

let fetched = 0
const details = buildSubgraphSchema([
  {
    typeDefs: parse(DETAILS_SDL),
    resolvers: {
      Item: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        name: ({ id }: { id: string }) => {
          fetched++
          return `Name ${id}`
        },
        who: (_: unknown, __: unknown, { caller: { credentials, headers } }: { caller: Caller }) =>
          credentials.authorization ?? headers?.['x-user'] ?? 'nobody',
      },
    } as never,
  },
])
const supergraphs = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    composeOnce([
      { name: 'events', typeDefs: parse(eventsSdl(kind)) },
      { name: 'details', typeDefs: parse(DETAILS_SDL) },
    ]),
  ]),
) as Record<Kind, string>

const opened: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
  fetched = 0
})

const gatewayOf = async (kind: Kind, url: string, reconnectSeconds = 30) => {
  const { log, lines } = recordingLog()
  const gateway = await createGateway({
    supergraph: supergraphs[kind],
    subgraphs: { details: { schema: details } },
    eventSources: { default: { url, reconnectSeconds } },
    log,
  })
  opened.push(() => gateway.close())
  return { gateway, lines }
}
async function begin({ gateway }: FederatedGateway, query: string, authorization?: string, headers?: Caller['headers']) {
  const prepared = gateway.prepareText(query, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const credentials = authorization ? { authorization } : {}
  const caller: Caller = { requestId: 'r', address: '127.0.0.1', credentials, ...(headers && { headers }) }
  return prepared.subscribe?.({}, { caller, signal: new AbortController().signal })
}
async function follow(
  gateway: FederatedGateway,
  query: string,
  authorization?: string,
  headers?: Caller['headers'],
): Promise<Followed> {
  const begun = await begin(gateway, query, authorization, headers)
  if (begun?.kind !== 'open') throw new Error(JSON.stringify(begun))
  const reader = followed(begun.source)
  opened.push(reader.return)
  return reader
}

const BROKERS = KINDS.filter((kind) => ({ nats: hasNats, redis: hasRedis, kafka: hasKafka })[kind])
if (!hasKafka) console.warn('Events of Kafka are not tested: KAFKA_LIB names no folder with the jars of a broker.')
if (!hasNats) console.warn('Events of NATS are not tested: nats-server is not installed.')

describe.each(BROKERS)('events of %s', (kind) => {
  let server: { readonly url: string; readonly start: () => Promise<void>; readonly stop: () => Promise<void> | void }
  let publish: (channel: string, message: unknown) => Promise<void>
  let disconnect: () => void | Promise<void>
  beforeAll(async () => {
    if (kind === 'kafka') {
      const kafka = await kafkaServer()
      await kafka.admin.createTopics({ topics: TOPICS, partitions: 1, replicas: 1 })
      publish = kafka.publish
      disconnect = kafka.stop
      server = { url: kafka.url, start: kafka.start, stop: kafka.kill }
      return
    }
    server = kind === 'nats' ? await natsServer() : await redisServer()
    if (kind === 'nats') {
      const connection = await connect({ servers: server.url.slice(7), maxReconnectAttempts: -1, reconnectTimeWait: 100 })
      publish = async (subject, message) => {
        connection.publish(subject, typeof message === 'string' ? message : JSON.stringify(message))
        await connection.flush()
      }
      disconnect = () => connection.close()
    } else {
      const redis = new Redis(server.url, { maxRetriesPerRequest: null })
      redis.on('error', () => {})
      publish = async (channel, message) => {
        await redis.publish(channel, typeof message === 'string' ? message : JSON.stringify(message))
      }
      disconnect = () => redis.disconnect()
    }
  })
  afterAll(async () => {
    await disconnect()
    await server.stop()
  })

  test('a message is an entity, and other subgraphs resolve the rest of the selection', async () => {
    const { gateway } = await gatewayOf(kind, server.url)
    const reader = await follow(gateway, 'subscription { event: itemUpdated(id: "a") { key: id name type: __typename } }')
    await publish('item.b', { id: 'b' })
    await publish('item.a', { id: 'a', name: 'not from here' })
    expect(await reader.next()).toEqual({ data: { event: { key: 'a', name: 'Name a', type: 'Item' } } })
  })

  test('callers who differ by a forwarded header get separate results', async () => {
    const { gateway } = await gatewayOf(kind, server.url)
    const readers = await Promise.all(
      ['ann', 'bob', undefined].map((user) =>
        follow(gateway, 'subscription { itemUpdated(id: "h") { who } }', undefined, user ? { 'x-user': user } : undefined),
      ),
    )
    await publish('item.h', { id: 'h' })
    expect(await Promise.all(readers.map((reader) => reader.next()))).toEqual(
      ['ann', 'bob', 'nobody'].map((who) => ({ data: { itemUpdated: { who } } })),
    )
  })

  test('an event is computed once for callers with equal views, and per caller otherwise', async () => {
    const { gateway } = await gatewayOf(kind, server.url)
    const query = 'subscription { itemUpdated(id: "a") { name who } }'
    const readers = [await follow(gateway, query), await follow(gateway, query), await follow(gateway, query, 'ann')]
    await publish('item.a', { id: 'a' })
    const eventFor = (who: string) => ({ data: { itemUpdated: { name: 'Name a', who } } })
    expect(await Promise.all(readers.map((reader) => reader.next()))).toEqual([
      eventFor('nobody'),
      eventFor('nobody'),
      eventFor('ann'),
    ])
    expect(fetched).toBe(2)
  })

  test('arguments filter events, of several channels', async () => {
    const { gateway } = await gatewayOf(kind, server.url)
    const some = await follow(gateway, 'subscription { anyUpdated { id } }')
    const one = await follow(gateway, 'subscription { anyUpdated(ids: ["c"]) { id } }')
    for (const [channel, id] of [
      ['all', 'c'],
      ['other', 'a'],
      ['all', 'd'],
      ['all', 'b'],
    ] as const)
      await publish(channel, { id })
    const ids = async (reader: Followed) => ((await reader.next()) as { data: { anyUpdated: { id: string } } }).data.anyUpdated.id
    // The order of two channels is nobody's promise.
    expect([[await ids(some), await ids(some)].sort(), await ids(one)]).toEqual([['a', 'b'], 'c'])
  })

  test.each(['a.b', '*', '>', 'a b', '', 'x'.repeat(201), 'a:b'])('an argument cannot lead to other channels: %j', async (id) => {
    const { gateway } = await gatewayOf(kind, server.url)
    expect(await begin(gateway, `subscription { itemUpdated(id: ${JSON.stringify(id)}) { id } }`)).toMatchObject({
      kind: 'refused',
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    })
  })

  test.each(['{', '[1', '"text"', '7', 'null', ''])(
    'a message that is no event is a typed error, and the next one arrives: %s',
    async (garbage) => {
      const { gateway } = await gatewayOf(kind, server.url)
      const reader = await follow(gateway, 'subscription { itemUpdated(id: "a") { id } }')
      await publish('item.a', garbage)
      await publish('item.a', { id: 'a' })
      expect(await reader.next()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }] })
      expect(await reader.next()).toEqual({ data: { itemUpdated: { id: 'a' } } })
    },
  )

  test('an event without its key is null with an error', async () => {
    const { gateway } = await gatewayOf(kind, server.url)
    const reader = await follow(gateway, 'subscription { itemUpdated(id: "a") { name } }')
    await publish('item.a', { other: 1, __proto__: { id: 'x' } })
    expect(await reader.next()).toMatchObject({ data: null, errors: [{}] })
  })

  test('a subscription continues when the broker returns', async () => {
    const { gateway, lines } = await gatewayOf(kind, server.url)
    const reader = await follow(gateway, 'subscription { itemUpdated(id: "a") { id } }')
    await server.stop()
    await expect.poll(() => lines.length).toBe(1)
    await server.start()
    await expect.poll(() => lines.length, { timeout: 20_000 }).toBe(2)
    const publishing = setInterval(() => void publish('item.a', { id: 'a' }).catch(() => {}), 50)
    expect(await reader.next()).toEqual({ data: { itemUpdated: { id: 'a' } } })
    clearInterval(publishing)
  })

  test('a broker that stays away ends subscriptions with a typed error, and refuses new ones', async () => {
    const { gateway } = await gatewayOf(kind, server.url, 0)
    const reader = await follow(gateway, 'subscription { itemUpdated(id: "a") { id } }')
    await server.stop()
    expect(await reader.next()).toMatchObject({ ended: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }] })
    expect(await begin(gateway, 'subscription { itemUpdated(id: "a") { id } }')).toMatchObject({
      kind: 'refused',
      errors: [{ extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }],
    })
    // A gateway starts without it, and is there for everything else.
    const { gateway: another } = await gatewayOf(kind, server.url)
    expect((await another.execute({ query: '{ count }' })).data).toEqual({ count: null })
    await server.start()
  })
})

test('a broker that options do not have, or have as another kind, is named', async () => {
  const options = { supergraph: supergraphs.redis, subgraphs: { details: { schema: details } } }
  await expect(createGateway(options)).rejects.toThrow(
    'Expected "eventSources" to have "default" with a URL of redis, which Subscription.itemUpdated names, got none.',
  )
  await expect(createGateway({ ...options, eventSources: { default: { url: 'http://x' } } })).rejects.toThrow(
    'Expected "eventSources.default.url" to be a redis, rediss, nats, tls, kafka or kafkas URL',
  )
})

test('a directive of another broker is refused, not ignored', async () => {
  const supergraph = supergraphs.redis.replaceAll('edfs__redisSubscribe', 'edfs__natsRequest')
  await expect(createGateway({ supergraph, subgraphs: { details: { schema: details } } })).rejects.toThrow(
    'Subscription.itemUpdated has @edfs__natsRequest, which this gateway does not support.',
  )
})

test('conditions of filters', () => {
  const is = (fieldPath: string, ...values: unknown[]) => ({ IN: { fieldPath, values } })
  const event = { id: 7, inner: { state: 'open' } }
  const matches = (condition: unknown, values = {}) => compileFilter(condition)(event, values)
  expect([
    matches(is('id', '7')),
    matches(is('id', '{{ args.ids }}'), { ids: [1, 7] }),
    matches(is('id', '{{ args.ids }}')),
    matches(is('inner.state', 'open')),
    matches(is('constructor', 'x')),
    matches({ NOT: is('id', 7) }),
    matches({ AND: [is('id', 7), is('inner.state', 'closed')] }),
    matches({ OR: [is('id', 1), is('inner.state', 'open')] }),
  ]).toEqual([true, true, false, true, false, false, false, true])
  for (const wrong of [null, {}, { XOR: [] }, { IN: {} }]) expect(() => compileFilter(wrong)).toThrow('Expected a condition')
  expect(channelOf('a.{{args.in.id}}', { in: { id: 'x' } })).toEqual({ channel: 'a.x' })
  expect(channelOf('a.{{args.toString}}', {})).toHaveProperty('problem')
})
