import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { buildSchema, parse, validate } from 'graphql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { usageRecorderFromConfig } from '../../../composition/usage/configured-usage.ts'
import { readUsage } from '../../../composition/usage/usage-report.ts'
import { createUsageStore, type UsageStoreOptions } from '../../../composition/usage/usage-store.ts'
import { createExternalClient } from '../../../gateway/client.ts'
import { startGateway } from '../../../gateway/gateway.ts'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { serveGateway } from '../../../gateway/library/serve-gateway.ts'
import { readCostWeights } from '../../../gateway/limits/cost-weights.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { validateOperation } from '../../../gateway/operations/document-cache.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { streamOperations } from '../../../gateway/transports/event-stream.ts'
import { describeUsage } from '../../../gateway/usage/signature.ts'
import type { UsageBatch, UsageSink } from '../../../gateway/usage/usage-batch.ts'
import { createUsageRecorder } from '../../../gateway/usage/usage-recorder.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { recordingLog, requestContext, reviewSubgraph, shopSubgraph, supergraphSdl } from '../support/graph.ts'

let database: FreshDatabase
let observer: pg.Client
beforeAll(async () => {
  database = await freshDatabase()
  observer = new pg.Client(database.connection)
  await observer.connect()
})
afterAll(async () => {
  await observer.end()
  await database.drop()
})

function aStore(options: Partial<UsageStoreOptions> = {}) {
  const store = createUsageStore(database.connection, { retentionDays: 30, onError() {}, ...options })
  onTestFinished(store.close)
  return store
}

/** A server over HTTP that reports to `record`. */
async function served(record: UsageSink['record'], options: Partial<CreateGatewayOptions> = {}) {
  const gateway = await createGateway({
    supergraph: supergraphSdl({ shop: 'http://shop.invalid/', review: 'http://review.invalid/' }),
    subgraphs: { shop: { schema: shopSubgraph().schema }, review: { schema: reviewSubgraph().schema } },
    log: recordingLog().log,
    usage: { record },
    ...options,
  })
  const server = await serveGateway(gateway, { port: 0, log: recordingLog().log })
  const stop = async () => {
    await server.close()
    await gateway.close()
  }
  const ask = async (query: string, client: string | null = null, variables: object = {}) => {
    const [name, version = ''] = client?.split('@') ?? []
    const identity = name === undefined ? {} : { 'apollographql-client-name': name, 'apollographql-client-version': version }
    const headers = { 'content-type': 'application/json', ...identity }
    return (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) })).json()
  }
  return { ask, stop }
}

/** Everything that the tables have, as text. */
async function tables(): Promise<string> {
  const { rows: operations } = await observer.query('SELECT * FROM gateway.usage_operation')
  const { rows: counts } = await observer.query('SELECT * FROM gateway.usage_count')
  const { rows: batches } = await observer.query('SELECT * FROM gateway.usage_batch')
  return JSON.stringify({ operations, counts, batches })
}

const aBatch = (changes: Partial<UsageBatch> & Pick<UsageBatch, 'id'>): UsageBatch => ({ operations: [], counts: [], ...changes })
const anOperation = (hash: string, coordinates: readonly string[] = ['Query.product']) => ({
  hash,
  name: hash,
  kind: 'query' as const,
  signature: '{product{id}}',
  coordinates,
})
const today = new Date().toISOString()
const aCount = (operation: string, clientName = 'web', lastSeenAt = today) => ({
  day: lastSeenAt.slice(0, 10),
  operation,
  clientName,
  clientVersion: '1',
  requests: 1,
  errors: 0,
  milliseconds: 2,
  lastSeenAt,
})
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

describe('an operation in the report', () => {
  const schema = buildSchema(`
    scalar JSON
    enum Color { RED GREEN }
    input Filter { color: Color, name: String, tags: [String!], inner: Filter }
    interface Node { id: ID! }
    type Product implements Node { id: ID! name(upper: Boolean): String color: Color }
    union Found = Product
    type Query { product(id: ID!, max: Int): Product find(filter: Filter, extra: JSON): [Found] node: Node }`)
  function described(text: string) {
    const rules = { schema, weights: readCostWeights(parse('scalar X')), limits: { depth: 0, cost: 0 }, introspection: true }
    const result = validateOperation(text, undefined, rules)
    if (result.kind === 'rejected') throw new Error(JSON.stringify(result.errors))
    return describeUsage(result.validated, schema)
  }

  test('has no literals, aliases and order of names: equal operations have one hash', () => {
    const one = described(
      'query A($n: String = "secret") { b: product(max: 7, id: "secret") { name id } find(filter: {name: $n, color: RED, tags: ["secret", "s2"]}) { __typename } }',
    )
    const other = described(
      'query A($n: String = "x") { find(filter: {color: RED, tags: ["y"], name: $n}) { __typename } product(id: 5, max: 1) { id x: name } }',
    )
    expect(one.signature).toBe(
      'query A($n:String=""){find(filter:{color:RED name:$n tags:[""]}){__typename} product(id:"" max:0){id name}}',
    )
    expect(other.signature).toBe(one.signature?.replace('id:""', 'id:0'))
    expect(validate(schema, parse(one.signature ?? ''))).toEqual([])
    expect(described('query A { product(id: "1") { name } }').hash).toBe(
      described('query A { p: product(id: "2") { n: name } }').hash,
    )
  })

  test('keeps nothing of what a custom scalar is made of', () => {
    const { signature } = described('{ find(extra: {secretKey: ["secret", SECRET, 12345]}) { __typename } }')
    expect(signature).toBe('query {find(extra:{}){__typename}}')
    expect(described('{ find(extra: [{secret: 1}, SECRET]) { __typename } }').signature).toBe(
      'query {find(extra:["" {}]){__typename}}',
    )
  })

  test('names fields, arguments, input fields, enum values, and whole input types of variables', () => {
    const text = `query ($f: Filter) {
      product(id: "1") { name(upper: true) color } a: find(filter: {color: GREEN}) { ... on Product { id } } b: find(filter: $f) { __typename } node { ...N } }
      fragment N on Node { id }`
    expect(described(text).coordinates).toEqual([
      'Color',
      'Color.*',
      'Color.GREEN',
      'Filter.*',
      'Filter.color',
      'Found',
      'Node',
      'Node.id',
      'Product',
      'Product.color',
      'Product.id',
      'Product.name',
      'Product.name(upper:)',
      'Query.find',
      'Query.find(filter:)',
      'Query.node',
      'Query.product',
      'Query.product(id:)',
    ])
  })

  test('is described in time that grows with its size, however deep it is', () => {
    const deep = buildSchema('type Query { q: Query, n: Int }')
    const text = `{${'q{n '.repeat(1_200)}n${'}'.repeat(1_200)}}`
    const document = parse(text, { noLocation: true })
    const [operation] = document.definitions
    if (operation?.kind !== 'OperationDefinition') throw new Error('Expected an operation.')
    const usage = describeUsage({ document, operation, isIntrospection: false }, deep)
    expect(usage).toMatchObject({ coordinates: ['Query', 'Query.n', 'Query.q'], signature: expect.stringContaining('q{n q{n') })
  })
})

describe('usage in PostgreSQL', () => {
  test('counts requests, errors and clients of each operation, and nothing that a client filled in', async () => {
    const { ask, stop } = await served(aStore().record)
    const get = 'query GetProduct($id: ID!) { product(id: $id) { name } }'
    await ask(get, 'web@1.4', { id: 'variable-secret-1' })
    await ask(get, 'web@1.4', { id: 'a' })
    await ask(get, 'ios@2', { id: 'a' })
    await ask('{ echo(representations: ["literal-secret-2"]) tooOften(seconds: 424242) }')
    await ask('query Intro { __schema { queryType { name } } }', 'web@1.4')
    await ask('{ product(id: "a") { name } }', 'bad\u00e9\u009bclient@3')
    await stop()

    const { operations, firstDay } = await readUsage(database.connection, 30)
    // At midnight another day begins.
    expect([today.slice(0, 10), new Date().toISOString().slice(0, 10)]).toContain(firstDay)
    const [getProduct] = operations
    expect(getProduct).toMatchObject({
      name: 'GetProduct',
      signature: 'query GetProduct($id:ID!){product(id:$id){name}}',
      coordinates: ['Product', 'Product.name', 'Query.product', 'Query.product(id:)'],
      uses: [
        { clientName: 'web', clientVersion: '1.4', requests: 2, errors: 0, lastSeenAt: expect.any(Date) },
        { clientName: 'ios', clientVersion: '2', requests: 1, errors: 0 },
      ],
    })
    expect(operations.find(({ coordinates }) => coordinates.includes('Query.tooOften'))?.uses).toMatchObject([
      { clientName: '', requests: 1, errors: 1 },
    ])
    expect(operations.some(({ name }) => name === 'Intro')).toBe(false)
    expect(operations.flatMap(({ uses }) => uses).map(({ clientName }) => clientName)).toContain('invalid')
    const text = await tables()
    expect(text).toContain('GetProduct')
    expect(text).not.toMatch(/secret|\b424242\b/)
  })

  test('two processes add up, and a batch that is sent twice counts once', async () => {
    const query = '{ products { totalCount } }'
    const [one, other] = await Promise.all([served(aStore().record), served(aStore().record)])
    await Promise.all([one, other].map(({ ask }) => Promise.all([ask(query, 'sum'), ask(query, 'sum')])))
    await Promise.all([one.stop(), other.stop()])
    const usesOf = async (client: string) =>
      (await readUsage(database.connection, 1)).operations.flatMap(({ uses }) => uses.filter((use) => use.clientName === client))
    expect(await usesOf('sum')).toMatchObject([{ requests: 4 }])

    const batch = aBatch({ id: uuid(1), operations: [anOperation('twice')], counts: [aCount('twice', 'twice')] })
    const store = aStore()
    await Promise.all([store.record(batch), aStore().record(batch), aStore().record({ ...batch, id: uuid(2) })])
    expect(await usesOf('twice')).toMatchObject([{ requests: 2, milliseconds: 4 }])
  })

  test('requests are answered while the database is away, and what was counted meanwhile arrives', async () => {
    const own = await freshDatabase()
    onTestFinished(own.drop)
    const store = createUsageStore(own.connection, { retentionDays: 30, onError() {} })
    onTestFinished(store.close)
    const failed = Promise.withResolvers<void>()
    const record: UsageSink['record'] = (batch) =>
      store.record(batch).catch((error) => {
        failed.resolve()
        throw error
      })
    const { ask, stop } = await served(record, { usage: { record, flushSeconds: 1 } })
    const allow = (isAllowed: boolean) => observer.query(`ALTER DATABASE ${own.name} ALLOW_CONNECTIONS ${isAllowed}`)
    await allow(false)
    await observer.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [own.name])
    const query = '{ products { totalCount } }'
    const answer = { data: { products: { totalCount: expect.anything() } } }
    expect(await ask(query, 'away')).toMatchObject(answer)
    await failed.promise
    expect(await ask(query, 'away')).toMatchObject(answer)
    await allow(true)
    await stop()
    expect((await readUsage(own.connection, 1)).operations).toMatchObject([{ uses: [{ clientName: 'away', requests: 2 }] }])
  })

  test('what exceeds a bound of the day is one operation with all coordinates, or one client of its operation', async () => {
    const own = await freshDatabase()
    onTestFinished(own.drop)
    const store = createUsageStore(own.connection, { retentionDays: 30, maxNewOperations: 2, maxCounts: 4, onError() {} })
    onTestFinished(store.close)
    const coordinatesOf = (hash: string) => [`Query.${hash}`]
    const record = (id: number, hashes: readonly string[], clients = ['web']) =>
      store.record(
        aBatch({
          id: uuid(id),
          operations: hashes.map((hash) => anOperation(hash, coordinatesOf(hash))),
          counts: hashes.flatMap((hash) => clients.map((client) => aCount(hash, client))),
        }),
      )
    await record(1, ['a', 'b', 'c'])
    await record(2, ['a', 'd'])
    await record(3, ['a'], ['web', 'x', 'y', 'z'])
    const { operations } = await readUsage(own.connection, 1)
    const shown = operations.map(({ hash, coordinates, uses }) => [
      hash,
      coordinates,
      uses.map(({ clientName, requests }) => `${clientName} ${requests}`).sort(),
    ])
    expect(shown).toEqual([
      ['a', ['Query.a'], ['other 2', 'web 3', 'x 1']],
      [`other:${today.slice(0, 10)}`, ['Query.c', 'Query.d'], ['web 2']],
      ['b', ['Query.b'], ['web 1']],
    ])
  })

  test('days beyond the retention are deleted', async () => {
    const old = new Date(Date.now() - 40 * 86_400_000).toISOString()
    const batch = (id: number, hash: string, seen: string) =>
      aBatch({ id: uuid(id), operations: [anOperation(hash)], counts: [aCount(hash, 'old', seen)] })
    await aStore({ retentionDays: 60 }).record(batch(11, 'ancient', old))
    expect(await tables()).toContain('ancient')
    await aStore({ retentionDays: 30 }).record(batch(12, 'recent', today))
    const text = await tables()
    expect(text).not.toContain('ancient')
    expect(text).toContain('recent')
  })
})

describe('usage of a process', () => {
  test('USAGE_DAYS=0 records nothing, and deletes what was recorded', async () => {
    const own = await freshDatabase()
    onTestFinished(own.drop)
    const store = createUsageStore(own.connection, { retentionDays: 30, onError() {} })
    await store.record(aBatch({ id: uuid(21), operations: [anOperation('before')], counts: [aCount('before')] }))
    await store.close()
    expect((await readUsage(own.connection, 30)).operations).toHaveLength(1)
    const { log, lines } = recordingLog()
    expect(usageRecorderFromConfig({ USAGE_DAYS: 0 }, own.connection, log)).toBeNull()
    await expect.poll(() => lines).toMatchObject([{ counts: 1, msg: 'recorded usage was deleted, because USAGE_DAYS is 0' }])
    expect((await readUsage(own.connection, 30)).operations).toEqual([])
  })

  test('a gateway without a database says that it records nothing', () => {
    const { log, lines } = recordingLog()
    expect(usageRecorderFromConfig({ USAGE_DAYS: 90 }, null, log)).toBeNull()
    expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining('the role gateway needs DATABASE_URL') }])
    expect(usageRecorderFromConfig({ USAGE_DAYS: 0 }, null, log)).toBeNull()
    expect(lines).toHaveLength(1)
  })

  test('queries and streams of facades are of the client atrium, unless the caller names itself', async () => {
    const batches: UsageBatch[] = []
    const { log } = recordingLog()
    const usage = createUsageRecorder({ record: async (batch) => void batches.push(batch) }, { log, flushIntervalMs: 3_600_000 })
    const gateway = await startGateway({
      supergraphSdl: supergraphSdl(),
      links: [shopSubgraph(), reviewSubgraph()].map(createLocalLink),
      limits: DEFAULT_LIMITS,
      log,
      usage,
    })
    const app = createHttpServer({ log })
    const stream = streamOperations(app, gateway)
    app.get('/stream', (request, reply) => stream(request, reply, { text: '{ counted }', variables: {}, credentials: {} }))
    onTestFinished(async () => {
      await app.close()
      await gateway.close()
      await usage.close()
    })
    const client = createExternalClient(gateway)
    const params = { text: '{ caller }', operationName: undefined, variables: {} }
    const { caller, signal } = requestContext()
    await client.query(params, { caller, signal })
    await client.query(params, { caller: { ...caller, client: { name: 'bot', version: '1' } }, signal })
    expect((await app.inject('/stream')).body).toContain('"counted":null')
    await app.inject({ url: '/stream', headers: { 'graphql-client-name': 'tab' } })
    await usage.flush()
    expect(batches[0]?.counts.map(({ clientName, requests }) => `${clientName} ${requests}`)).toEqual([
      'atrium 1',
      'bot 1',
      'atrium 1',
      'tab 1',
    ])
  })
})

describe('usage of the package', () => {
  test('bounds of a batch: further operations are one with all coordinates, further clients are one', async () => {
    const batches: UsageBatch[] = []
    const options = { log: recordingLog().log, flushIntervalMs: 3_600_000, maxOperations: 2, maxCounts: 3 }
    const recorder = createUsageRecorder({ record: async (batch) => void batches.push(batch) }, options)
    onTestFinished(recorder.close)
    const counter = recorder.forGraph(shopSubgraph().schema)
    for (const text of ['{ counted }', '{ slow }', '{ broken }', '{ refused }']) {
      const document = parse(text, { noLocation: true })
      // One operation.
      const count = counter.operation({ document, operation: document.definitions[0] as never, isIntrospection: false })
      for (const name of ['web', 'ios']) count({ name, version: '1' }, false, 1)
    }
    await recorder.flush()
    const [batch] = batches
    expect(batch?.operations.map(({ hash, coordinates }) => [hash === 'other', coordinates])).toEqual([
      [false, ['Query.counted']],
      [false, ['Query.slow']],
      [true, ['Query.broken', 'Query.refused']],
    ])
    expect(batch?.counts.map(({ clientName, requests }) => `${clientName} ${requests}`)).toEqual([
      'web 1',
      'ios 1',
      'web 1',
      'other 1',
      'other 4',
    ])
  })

  test('"usage" posts batches as JSON, again with the same id after a failure', async () => {
    const received: { readonly token: string | undefined; readonly batch: UsageBatch }[] = []
    const server = createServer(async (request, response) => {
      // Sent by the gateway.
      const batch = (await json(request)) as UsageBatch
      received.push({ token: request.headers.authorization, batch })
      response.writeHead(received.length === 1 ? 503 : 204).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/usage`
    const gateway = await createGateway({
      supergraph: supergraphSdl({ shop: 'http://shop.invalid/', review: 'http://review.invalid/' }),
      subgraphs: { shop: { schema: shopSubgraph().schema }, review: { schema: reviewSubgraph().schema } },
      log: recordingLog().log,
      usage: { url, headers: { authorization: 'Bearer t' }, flushSeconds: 1 },
    })
    await gateway.execute({ query: '{ counted }' })
    await expect.poll(() => received.length).toBe(2)
    await gateway.close()
    const [first, second] = received
    expect(first?.token).toBe('Bearer t')
    expect(second).toEqual(first)
    expect(first?.batch).toMatchObject({
      operations: [{ kind: 'query', coordinates: ['Query.counted'] }],
      counts: [{ clientName: '', requests: 1 }],
    })
  })

  test('wrong options are refused by their path', async () => {
    const given = { supergraph: 'x', usage: { url: 'ftp://x', headers: { 'bad name': '1' } } }
    await expect(createGateway(given as never)).rejects.toThrow(/"usage\.url" to be an http or https URL/)
    await expect(createGateway({ supergraph: 'x', usage: { record: 5 } } as never)).rejects.toThrow(
      /"usage\.record" to be a function/,
    )
  })
})
