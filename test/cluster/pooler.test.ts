import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../platform/secrets/cipher.ts'
import { paidByOperator, setUpStore } from '../../subgraphs/store/store/set-up.ts'
import type { Tables } from '../../subgraphs/store/tables.ts'
import { HAS_PGBOUNCER, startPgbouncer } from '../platform/database/support/pgbouncer.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { startMain } from '../support/program.ts'

/** Connections of the server that the pooler has for each subgraph: fewer than the statements at once. */
const POOL_SIZE = 2
/** One to listen for each of social, store, directory and trust, and one for the store's jobs. */
const LISTENING_CONNECTIONS = 5
/** The one that writes usage reports, while it is in use. */
const USAGE = 'atrium gateway'

describe.skipIf(!HAS_PGBOUNCER)('Atrium behind a pooler in transaction mode', () => {
  let database: FreshDatabase
  let pgbouncer: Awaited<ReturnType<typeof startPgbouncer>>
  let receiver: HttpServer
  let atrium: Awaited<ReturnType<typeof startMain>>
  let authorization: string
  const delivered: string[] = []

  beforeAll(async () => {
    database = await freshDatabase()
    const { query, close } = openDatabase<Tables>(database.connection, { schema: 'store', onError: () => {} })
    const at = new Date()
    const wanted = { name: 'Shop', country: 'PT', theme: null, paidSince: paidByOperator(at), createdBy: null, at }
    const store = await query.transaction().execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
    await close()
    authorization = `Basic ${Buffer.from(`${store.login}:${store.authtoken}`).toString('base64')}`
    receiver = await startHttpServer({
      '*': (request, response) => {
        delivered.push(String(request.headers['jumpseller-event']))
        request.resume()
        response.end()
      },
    })
    const schemas = ['directory', 'social', 'store', 'trust']
    pgbouncer = await startPgbouncer(database.connection, { schemas, size: POOL_SIZE })
    const { connectionString } = database.connection as { connectionString: string }
    atrium = await startMain({
      ...process.env,
      DATABASE_URL: connectionString,
      DATABASE_POOLER_URL: pgbouncer.url,
      WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
    })
  })
  afterAll(async () => {
    await atrium?.kill('SIGTERM')
    await pgbouncer?.close()
    await receiver?.close()
    await database?.drop()
  })

  async function rest(method: string, path: string, body?: object) {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${atrium.base}/v1${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    const answer: unknown = await response.json()
    expect([path, response.status, answer]).toEqual([path, 200, expect.anything()])
    return answer
  }

  async function graph(query: string) {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${atrium.base}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return await response.json()
  }

  test('products are written side by side and read again, and webhooks of them are delivered', async () => {
    await rest('POST', '/hooks.json', { hook: { event: 'product_created', url: `${receiver.url}/hook` } })
    const names = Array.from({ length: 12 }, (_, index) => `Product ${index}`)
    await Promise.all(names.map((name) => rest('POST', '/products.json', { product: { name, price: 1, stock: 5 } })))
    const listed = await rest('GET', '/products.json')
    expect(listed).toHaveLength(names.length)

    await expect.poll(() => delivered.length, { timeout: 20_000 }).toBe(names.length)
  })

  test('a subscription gets the events of what is written', async () => {
    const events = await fetch(`${atrium.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: 'subscription { userCreated { name } }' }),
    })
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
    // Whatever the subscription says first, it is open then.
    await reader?.read()
    const input = '{email: "ann@example.org", name: "Ann", password: "correct horse"}'
    expect(await graph(`mutation { createUser(input: ${input}) { errors { message } } }`)).toEqual({
      data: { createUser: { errors: [] } },
    })
    let heard = ''
    while (!heard.includes('"userCreated":{"name":"Ann"}')) heard += (await reader?.read())?.value ?? expect.fail(heard)
    await reader?.cancel()
  })

  test('the directory answers, and the server has the connections of the pooler and those that listen', async () => {
    expect(await graph('{ mcpServers(first: 1) { edges { node { name } } } }')).toMatchObject({
      data: { mcpServers: { edges: [{}] } },
    })
    const client = new pg.Client(database.connection)
    await client.connect()
    const direct = async () => {
      const { rows } = await client.query<{ name: string }>(
        'SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      )
      const ofUsage = rows.filter(({ name }) => name === USAGE).length
      return { ofUsage, listening: rows.length - ofUsage - pgbouncer.connections() }
    }
    expect(pgbouncer.connections()).toBeLessThanOrEqual(4 * POOL_SIZE)
    await expect.poll(direct, { timeout: 30_000 }).toEqual({ ofUsage: 1, listening: LISTENING_CONNECTIONS })
    await client.end()
    expect(atrium.said()).not.toMatch(/prepared statement|jobs of webhooks could/)
  })
})
