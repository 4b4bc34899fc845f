import { closeSync, openSync, writeSync } from 'node:fs'
import * as kafka from '@platformatic/kafka'
import {
  AclOperations,
  AclPermissionTypes,
  Consumer,
  Producer,
  ResourcePatternTypes,
  ResourceTypes,
  stringSerializers,
} from '@platformatic/kafka'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { kafkaClient } from '../../../gateway/event-sources/kafka-client.ts'
import { readingConnections } from '../../../gateway/event-sources/kafka-fetch-response.ts'
import { createKafkaTopics, type FetchedTopics } from '../../../gateway/event-sources/kafka-topics.ts'
import { hasKafka, KAFKA_USER, kafkaServer } from '../support/kafka.ts'

const GONE = 'gone'
/** Where the records of a batch begin, in bytes. */
const RECORDS_AT = 61

test('records that were fetched for an earlier subscription do not move a newer one back', async () => {
  const partitions = [{ leader: 1 }]
  const reader = {
    metadata: async () => ({ topics: new Map([['busy', { id: 'id', partitions }]]) }),
    listOffsets: async () => new Map([['busy', [10n]]]),
  }
  const topics = createKafkaTopics(reader, { track() {}, untrack() {} })
  const received: string[] = []
  await topics.add('busy', { onMessage: (text) => received.push(text), onGone() {} })
  const batch = (firstOffset: bigint, values: readonly string[]) => ({
    ...{ firstOffset, lastOffsetDelta: values.length - 1, attributes: 0, producerId: -1n },
    records: values.map((value, offsetDelta) => ({ offsetDelta, key: null, value: Buffer.from(value) })),
  })
  const deliver = (...records: ReturnType<typeof batch>[]) =>
    topics.deliver({
      responses: [{ topicId: 'id', partitions: [{ partitionIndex: 0, errorCode: 0, records, abortedTransactions: null }] }],
    })
  deliver(batch(5n, ['5', '6', '7']))
  expect(topics.wantedFrom(1)[0]?.partitions[0]?.fetchOffset).toBe(10n)
  deliver(batch(8n, ['8', '9', '10']), batch(11n, ['11']))
  expect(received).toEqual(['10', '11'])
  expect(topics.wantedFrom(1)[0]?.partitions[0]?.fetchOffset).toBe(12n)
})

test('a topic without a leader is not looked up with others, is read again with one, and ends after 30 seconds', async () => {
  const leaders: Record<string, number> = { well: 1, lost: 2 }
  const reader = {
    metadata: async ({ topics: [name = ''] }: { topics: string[] }) => {
      const leader = leaders[name] ?? -1
      if (leader >= 0) return { topics: new Map([[name, { id: name, partitions: [{ leader }] }]]) }
      const response = { topics: [{ name, topicId: name, errorCode: 0, partitions: [{ partitionIndex: 0, leaderId: -1 }] }] }
      throw new AggregateError([Object.assign(new Error('no leader'), { response })])
    },
    listOffsets: async ({ topics: [name = ''] }: { topics: string[] }) => new Map([[name, [0n]]]),
  }
  const tracked = new Set<string>()
  const names = { track: (name: string) => tracked.add(name), untrack: (name: string) => tracked.delete(name) }
  const topics = createKafkaTopics(reader, names)
  const gone: string[] = []
  for (const name of ['well', 'lost']) await topics.add(name, { onMessage() {}, onGone: () => gone.push(name) })
  const lookAt = (second: number) => topics.refresh(() => false, second * 1_000)
  leaders.lost = -1
  await expect(topics.add('lost', { onMessage() {}, onGone() {} })).rejects.toThrow()
  await lookAt(0)
  expect([[...tracked], [...topics.leaders()]]).toEqual([['well'], [1]])
  leaders.lost = 3
  await lookAt(20)
  expect([[...tracked], [...topics.leaders()]]).toEqual([
    ['well', 'lost'],
    [1, 3],
  ])
  leaders.lost = -1
  await lookAt(21)
  await lookAt(50)
  expect(gone).toEqual([])
  await lookAt(51)
  expect([gone, [...topics.leaders()]]).toEqual([['lost'], [1]])
})

describe.skipIf(!hasKafka)('a Kafka broker', () => {
  let server: Awaited<ReturnType<typeof kafkaServer>>
  const opened: (() => Promise<void>)[] = []
  beforeAll(async () => {
    server = await kafkaServer()
  })
  afterAll(() => server.stop())
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })

  async function create(topic: string, configs: { name: string; value: string }[] = []): Promise<void> {
    await server.admin.createTopics({ topics: [topic], partitions: 1, replicas: 1, configs })
    // The controller answers before the broker knows the topic.
    await expect.poll(() => server.admin.listTopics()).toContain(topic)
  }

  /** A client whose messages are collected. */
  async function listening(url = server.url) {
    const connections: boolean[] = []
    const client = await kafkaClient(url, (isConnected) => {
      if (connections.at(-1) !== isConnected) connections.push(isConnected)
    })
    opened.push(() => client.close())
    const subscribe = async (topic: string) => {
      const received: string[] = []
      const stop = await client.subscribe(
        topic,
        (text) => received.push(text),
        () => received.push(GONE),
      )
      return { received, stop }
    }
    return { connections, subscribe }
  }

  test('a subscription begins at the end of its topic, and keeps the order', async () => {
    await create('order')
    await server.publish('order', 'before')
    const { subscribe } = await listening()
    const { received, stop } = await subscribe('order')
    for (const text of ['1', '2', '3']) await server.publish('order', text)
    await expect.poll(() => received).toEqual(['1', '2', '3'])
    stop()
    const { received: again } = await subscribe('order')
    await server.publish('order', '4')
    await expect.poll(() => again).toEqual(['4'])
    expect(received).toEqual(['1', '2', '3'])
  })

  test('records without a value, of 10 MB and of other types arrive, and those behind them', async () => {
    await create('poison', [{ name: 'max.message.bytes', value: '20000000' }])
    const { received } = await (await listening()).subscribe('poison')
    const producer = new Producer({ ...server.bootstrap })
    await producer.send({ messages: [{ topic: 'poison', key: Buffer.from('k') } as never], acks: -1 }) // a tombstone
    await producer.send({ messages: [{ topic: 'poison', value: Buffer.alloc(10_000_000, 'x') }], acks: -1 })
    await producer.send({ messages: [{ topic: 'poison', value: Buffer.from([0xff, 0xfe, 0]) }], acks: -1 })
    await producer.close()
    await server.publish('poison', '{"__proto__": {"id": "x"}}')
    await server.publish('poison', 'last')
    await expect.poll(() => received.map(({ length }) => length), { timeout: 20_000 }).toEqual([0, 10_000_000, 3, 26, 4])
  })

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
    'records with compression %s arrive in order',
    async (compression) => {
      const topic = `with-${compression}`
      await create(topic)
      const { received } = await (await listening()).subscribe(topic)
      const messages = ['1', 'ü'.repeat(200_000), '3'].map((value) => ({ topic, value: Buffer.from(value) }))
      const producer = new Producer({ ...server.bootstrap })
      await producer.send({ messages, compression, acks: -1 })
      await producer.close()
      await server.publish(topic, 'after')
      await expect.poll(() => received.map(({ length }) => length)).toEqual([1, 200_000, 1, 5])
    },
  )

  test.each(['gzip', 'snappy', 'lz4', 'zstd'] as const)(
    'a batch of %s that would be 40 MB is one event without a value, and other records arrive',
    async (compression) => {
      const [topic, other] = [`bomb-${compression}`, `beside-${compression}`]
      await create(topic, [{ name: 'max.message.bytes', value: '20000000' }])
      await create(other)
      const { subscribe, connections } = await listening()
      const [bombed, beside] = [await subscribe(topic), await subscribe(other)]
      const producer = new Producer({ ...server.bootstrap })
      await producer.send({ messages: [{ topic, value: Buffer.alloc(40_000_000, 'x') }], compression, acks: -1 })
      await producer.close()
      for (const each of [topic, other]) await server.publish(each, 'after')
      await expect.poll(() => [bombed.received, beside.received], { timeout: 20_000 }).toEqual([['', 'after'], ['after']])
      expect(connections).toEqual([true])
    },
  )

  test('a batch that cannot be decoded is one event without a value, and other records arrive', async () => {
    await create('damaged')
    await create('whole')
    const consumer = new Consumer({ ...server.bootstrap, groupId: 'none', retries: 0 })
    opened.push(() => consumer.close())
    const topics = createKafkaTopics(consumer, consumer.topics)
    const received: Record<string, string[]> = { damaged: [], whole: [] }
    for (const [name, texts] of Object.entries(received)) {
      await topics.add(name, { onMessage: (text) => texts.push(text), onGone: () => texts.push(GONE) })
    }
    const producer = new Producer({ ...server.bootstrap })
    opened.push(() => producer.close())
    const value = Buffer.from('x'.repeat(10_000))
    await producer.send({ messages: [{ topic: 'damaged', value }], compression: 'gzip', acks: -1 })
    const file = openSync(server.segmentOf('damaged'), 'r+')
    writeSync(file, Buffer.alloc(16, 0xff), 0, 16, RECORDS_AT)
    closeSync(file)
    for (const name of Object.keys(received)) await server.publish(name, 'after')
    const connectionPool = readingConnections(kafka, consumer.connections)
    for (let tries = 0; tries < 20 && !Object.values(received).every((texts) => texts.includes('after')); tries++) {
      topics.deliver(await consumer.fetch({ node: 1, topics: topics.wantedFrom(1), maxWaitTime: 500, connectionPool }))
    }
    expect(received).toEqual({ damaged: ['', 'after'], whole: ['after'] })
  })

  test('a topic that does not exist is refused, and not created', async () => {
    const { subscribe, connections } = await listening()
    for (const topic of ['missing', 'not a topic', 'a~b']) await expect(subscribe(topic)).rejects.toThrow()
    expect(await server.admin.listTopics()).not.toContain('missing')
    expect(connections).toEqual([true])
  })

  test('a topic that is deleted ends its subscription, and no other', async () => {
    await create('deleted')
    await create('stays')
    const { subscribe, connections } = await listening()
    const [deleted, other] = [await subscribe('deleted'), await subscribe('stays')]
    await server.admin.deleteTopics({ topics: ['deleted'] })
    await expect.poll(() => deleted.received, { timeout: 20_000 }).toEqual([GONE])
    await server.publish('stays', 'on')
    await expect.poll(() => other.received).toEqual(['on'])
    expect(connections).toEqual([true])
  })

  test('a partition that is added is read from its beginning', async () => {
    await create('grows')
    const { received } = await (await listening()).subscribe('grows')
    await server.admin.createPartitions({ topics: [{ name: 'grows', count: 2, assignments: [{ brokerIds: [1] }] }] })
    await server.publish('grows', 'first of the new', 1)
    await expect.poll(() => received, { timeout: 20_000 }).toEqual(['first of the new'])
  })

  test('a position whose records were deleted moves to the oldest that is left', async () => {
    await create('trimmed')
    const consumer = new Consumer({ ...server.bootstrap, groupId: 'none', retries: 0 })
    opened.push(() => consumer.close())
    const topics = createKafkaTopics(consumer, consumer.topics)
    const received: string[] = []
    await topics.add('trimmed', { onMessage: (text) => received.push(text), onGone: () => received.push(GONE) })
    for (const text of ['1', '2', '3']) await server.publish('trimmed', text)
    await server.admin.deleteRecords({ topics: [{ name: 'trimmed', partitions: [{ partition: 0, offset: 2n }] }] })
    const fetch = () => consumer.fetch({ node: 1, topics: topics.wantedFrom(1), maxWaitTime: 100 })
    const error = await fetch().catch((reason: { readonly response: FetchedTopics }) => reason)
    if (!('response' in error)) throw new Error('Expected an offset out of range.')
    await topics.deliverPart(error.response)
    topics.deliver(await fetch())
    expect(received).toEqual(['3'])
  })

  test('of several transactions in one response, the aborted ones are not delivered', async () => {
    await create('transactions')
    const consumer = new Consumer({ ...server.bootstrap, groupId: 'none', retries: 0 })
    opened.push(() => consumer.close())
    const topics = createKafkaTopics(consumer, consumer.topics)
    const received: string[] = []
    await topics.add('transactions', { onMessage: (text) => received.push(text), onGone: () => received.push(GONE) })
    const producer = new Producer({
      ...server.bootstrap,
      serializers: stringSerializers,
      idempotent: true,
      transactionalId: 'tx',
    })
    for (const [text, isCommitted] of [
      ['aborted 1', false],
      ['committed', true],
      ['aborted 2', false],
    ] as const) {
      const transaction = await producer.beginTransaction()
      await transaction.send({ messages: [{ topic: 'transactions', value: text }] })
      await (isCommitted ? transaction.commit() : transaction.abort())
    }
    await producer.close()
    await server.publish('transactions', 'after')
    for (let tries = 0; tries < 20 && !received.includes('after'); tries++) {
      topics.deliver(await consumer.fetch({ node: 1, topics: topics.wantedFrom(1), maxWaitTime: 500 }))
    }
    expect(received).toEqual(['committed', 'after'])
  })

  test('a user may read what its access control list allows; another topic ends alone', async () => {
    await create('open')
    await create('closed')
    const allow = (resourceName: string, operation: 3 | 8) => ({
      resourceType: ResourceTypes.TOPIC,
      resourceName,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${KAFKA_USER.name}`,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    })
    await server.admin.createAcls({
      creations: [
        allow('open', AclOperations.READ),
        allow('open', AclOperations.DESCRIBE),
        allow('closed', AclOperations.DESCRIBE),
      ],
    })
    const { subscribe, connections } = await listening(server.saslUrl)
    const open = await subscribe('open')
    const closed = await subscribe('closed')
    await expect.poll(() => closed.received).toEqual([GONE])
    await server.publish('open', 'allowed')
    await expect.poll(() => open.received).toEqual(['allowed'])
    expect(connections).toEqual([true])
    const wrong = await listening(server.saslUrl.replace(/:[^:@]*@/, ':wrong@'))
    await expect(wrong.subscribe('open')).rejects.toThrow()
    expect(wrong.connections).toEqual([false])
  })

  test('a broker that was gone is read on from the position before', async () => {
    await create('resumed')
    const { subscribe, connections } = await listening()
    const { received } = await subscribe('resumed')
    await server.publish('resumed', 'before')
    await expect.poll(() => received).toEqual(['before'])
    await server.kill()
    await expect.poll(() => connections).toEqual([true, false])
    await expect(subscribe('order')).rejects.toThrow()
    await server.start()
    await server.publish('resumed', 'once')
    await expect.poll(() => received, { timeout: 20_000 }).toEqual(['before', 'once'])
    await expect.poll(() => connections).toEqual([true, false, true])
  })

  test('a topic whose broker is gone leaves other topics their records and new partitions', async () => {
    const stopSecond = await server.startSecond()
    opened.push(stopSecond)
    await create('here')
    const assignments = [{ partition: 0, brokers: [2] }]
    await server.admin.createTopics({ topics: ['elsewhere'], partitions: -1, replicas: -1, assignments })
    const { subscribe, connections } = await listening()
    const here = await subscribe('here')
    // The new broker may not lead its topic yet.
    async function isSubscribed(): Promise<boolean> {
      const open = await subscribe('elsewhere').catch(() => null)
      return open !== null
    }
    await expect.poll(isSubscribed, { timeout: 20_000 }).toBe(true)
    await stopSecond()
    await server.admin.createPartitions({ topics: [{ name: 'here', count: 2, assignments: [{ brokerIds: [1] }] }] })
    await server.publish('here', 'in the new partition', 1)
    await expect.poll(() => here.received, { timeout: 20_000 }).toEqual(['in the new partition'])
    await expect.poll(() => connections.at(-1), { timeout: 20_000 }).toBe(true)
  })
})
