import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startGateway } from '../../gateway/gateway.ts'
import { compose } from '../../gateway/planning/composition.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { emptyDatabase, type FreshDatabase } from '../support/database.ts'
import { recordingLog } from './support/graph.ts'
import { openTransports, type Transports } from './support/transports.ts'

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { nap(seconds: Float!): Int napInTransaction(seconds: Float!): Int napTwice(seconds: Float!): Int }
  type Mutation { napAndWrite(seconds: Float!, text: String!): Int }
`

let fresh: FreshDatabase
let database: Database<object>
let transports: Transports
let observer: pg.Client
const { log, lines } = recordingLog()
let begun = 0

beforeAll(async () => {
  fresh = await emptyDatabase()
  observer = new pg.Client(fresh.connection)
  await observer.connect()
  await observer.query('CREATE TABLE written (text text)')
  // Two connections: what is freed is used by the next at once.
  database = openDatabase<object>(fresh.connection, { schema: 'public', max: 2, onError: () => {} })
  const nap = async (seconds: number, on = database.query) => {
    begun++
    await sql`SELECT pg_sleep(${seconds})`.execute(on)
    return 1
  }
  const subgraph = {
    name: 'naps',
    schema: buildSubgraphSchema([
      {
        typeDefs: parse(SDL),
        resolvers: {
          Query: {
            nap: (_: unknown, { seconds }: { seconds: number }) => nap(seconds),
            napInTransaction: (_: unknown, { seconds }: { seconds: number }) =>
              database.query.transaction().execute(async (transaction) => {
                await sql`INSERT INTO written VALUES ('in a transaction')`.execute(transaction)
                return nap(seconds, transaction)
              }),
            napTwice: async (_: unknown, { seconds }: { seconds: number }) => (await nap(seconds)) + (await nap(seconds)),
          },
          Mutation: {
            napAndWrite: async (_: unknown, { seconds, text }: { seconds: number; text: string }) => {
              await nap(seconds)
              await sql`INSERT INTO written VALUES (${text})`.execute(database.query)
              return 1
            },
          },
        },
      },
    ]),
    context: () => ({}),
    ready: async () => {},
    close: async () => {},
  }
  const gateway = await startGateway({
    supergraphSdl: compose([{ name: 'naps', typeDefs: parse(SDL) }]),
    links: [createLocalLink(subgraph)],
    limits: { depth: 10, cost: 1000 },
    log,
  })
  transports = await openTransports(gateway)
})
afterAll(async () => {
  await transports?.close()
  await database?.close()
  await observer?.end()
  await fresh?.drop()
})
beforeEach(() => {
  begun = 0
})

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const statements = async () => {
  const { rows } = await observer.query<{ query: string }>(
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()",
  )
  return rows.length
}
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10)
}
const written = async (text: string) => (await observer.query('SELECT 1 FROM written WHERE text = $1', [text])).rowCount

const LONG = '{ nap(seconds: 600) }'
const post = (query: string, init: RequestInit = {}) =>
  fetch(`${transports.base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...init.headers },
    body: JSON.stringify({ query }),
    ...(init.signal && { signal: init.signal }),
  })

/** Each begins a statement and returns how its client leaves. */
const departures: readonly { transport: string; begin: (query: string) => Promise<() => void> }[] = [
  {
    transport: 'an HTTP client that hangs up',
    begin: async (query) => {
      const client = new AbortController()
      post(query, { signal: client.signal }).catch(() => {})
      return () => client.abort()
    },
  },
  {
    transport: 'a reader of an event stream who hangs up',
    begin: async (query) => {
      const client = new AbortController()
      post(query, { signal: client.signal, headers: { accept: 'text/event-stream' } }).catch(() => {})
      return () => client.abort()
    },
  },
  {
    transport: 'a WebSocket that completes its operation',
    begin: async (query) => {
      const { socket } = await transports.socket()
      socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query } }))
      return () => socket.send(JSON.stringify({ id: 'a', type: 'complete' }))
    },
  },
  {
    transport: 'a WebSocket that breaks',
    begin: async (query) => {
      const { socket } = await transports.socket()
      socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query } }))
      return () => socket.terminate()
    },
  },
]

test.each(departures)('the statement of $transport is cancelled in the database', async ({ begin }) => {
  const leave = await begin(LONG)
  await until(async () => (await statements()) === 1)
  leave()
  await until(async () => (await statements()) === 0)
  // The connection is as good as before.
  expect(await (await post('{ nap(seconds: 0) }')).json()).toEqual({ data: { nap: 1 } })
})

test('an operation whose time is up is answered, and its statement is cancelled', async () => {
  const answer = await post(LONG)
  expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'TIMEOUT' } }] })
  await until(async () => (await statements()) === 0)
})

test('a transaction is rolled back, and its connection used again', async () => {
  const leave = await departures[0]?.begin('{ napInTransaction(seconds: 600) }')
  await until(async () => (await statements()) === 1)
  leave?.()
  await until(async () => (await statements()) === 0)
  expect(await written('in a transaction')).toBe(0)
  const both = await Promise.all([1, 2].map(async () => (await post('{ nap(seconds: 0) }')).json()))
  expect(both).toEqual([{ data: { nap: 1 } }, { data: { nap: 1 } }])
})

test('statements that have not started do not start: later ones, and those that wait for a connection', async () => {
  const leaving = await Promise.all(Array.from({ length: 4 }, () => departures[0]?.begin('{ napTwice(seconds: 600) }')))
  await until(async () => (await statements()) === 2)
  for (const leave of leaving) leave?.()
  await until(async () => (await statements()) === 0)
  await post('{ nap(seconds: 0) }')
  expect([begun, await statements()]).toEqual([4 + 1, 0])
})

test('a mutation continues when its client disconnects', async () => {
  const leave = await departures[0]?.begin('mutation { napAndWrite(seconds: 2, text: "whole") }')
  await until(async () => (await statements()) === 1)
  leave?.()
  await until(async () => (await written('whole')) === 1)
})

test('of statements on two connections only those of disconnected clients are cancelled', async () => {
  const results = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const client = new AbortController()
      const answer = post(`{ nap(seconds: 0.00${index % 10}) }`, { signal: client.signal })
      if (index % 3 === 0) setTimeout(() => client.abort(), index % 17)
      return answer.then(
        async (given) => JSON.stringify(await given.json()),
        () => 'left',
      )
    }),
  )
  const stayed = results.filter((_, index) => index % 3 !== 0)
  expect(new Set(stayed)).toEqual(new Set(['{"data":{"nap":1}}']))
  expect(results.filter((result) => result === 'left').length).toBeGreaterThan(0)
})

test('none of it is a fault in the log', () => {
  expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([])
})

test('the database ends a statement that was not cancelled, by its timeout', async () => {
  const bounded = openDatabase<object>(fresh.connection, { schema: 'public', statementTimeoutMs: 50, onError: () => {} })
  await expect(sql`SELECT pg_sleep(600)`.execute(bounded.query)).rejects.toThrow('statement timeout')
  await bounded.close()
})
