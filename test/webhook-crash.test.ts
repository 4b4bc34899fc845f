import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../platform/database/database.ts'
import { PLAIN_SECRETS } from '../platform/secrets/cipher.ts'
import { paidByOperator, setUpStore } from '../subgraphs/store/store/set-up.ts'
import type { Tables } from '../subgraphs/store/tables.ts'
import { type FreshDatabase, freshDatabase } from './support/database.ts'
import { type HttpServer, startHttpServer } from './support/http-server.ts'
import { startMain } from './support/program.ts'

const PRODUCTS = 20
const NAMES = ['first', 'second', 'third']

/** A whole Atrium in a process of its own. */
type Atrium = Awaited<ReturnType<typeof startMain>>
type Received = { readonly id: string; readonly event: string; readonly body: string }

let database: FreshDatabase
let receiver: HttpServer
let credentials: string
const running: Atrium[] = []
const received: Received[] = []

beforeAll(async () => {
  database = await freshDatabase()
  const { query, close } = openDatabase<Tables>(database.connection, { schema: 'store', onError: () => {} })
  const at = new Date()
  const wanted = { name: 'Shop', country: 'PT', theme: null, paidSince: paidByOperator(at), createdBy: null, at }
  const store = await query.transaction().execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
  await close()
  credentials = `Basic ${Buffer.from(`${store.login}:${store.authtoken}`).toString('base64')}`
  receiver = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { headers } = request
        received.push({
          id: String(headers['atrium-delivery-id']),
          event: String(headers['jumpseller-event']),
          body: Buffer.concat(chunks).toString(),
        })
        // Slow enough that deliveries are under way whenever a process is killed.
        setTimeout(() => response.end(), 50)
      })
    },
  })
})
afterAll(async () => {
  await Promise.all(running.map(({ kill }) => kill('SIGKILL')))
  await receiver.close()
  await database.drop()
})

async function start(): Promise<Atrium> {
  const { connectionString } = database.connection as { connectionString: string }
  const own = { DATABASE_URL: connectionString, WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'silent' }
  const atrium = await startMain({ ...process.env, ...own })
  running.push(atrium)
  return atrium
}

async function send({ base }: Atrium, method: string, path: string, body: object) {
  const headers = { authorization: credentials, 'content-type': 'application/json' }
  const once = () => fetch(`${base}/v1${path}`, { method, headers, body: JSON.stringify(body) })
  let response = await once()
  // A quick machine asks more often than a client may.
  while (response.status === 429) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    response = await once()
  }
  const answer = await response.text()
  expect([path, response.status, answer]).toEqual([path, 200, expect.any(String)])
  return JSON.parse(answer)
}

const nameIn = ({ body }: Received): string => JSON.parse(body).product.name

test('a process that is killed while it delivers loses nothing: every event arrives, in order, and what arrives twice has the same id and bytes', async () => {
  const [one, other] = await Promise.all([start(), start()])
  for (const event of ['product_created', 'product_updated']) {
    await send(one, 'POST', '/hooks.json', { hook: { event, url: `${receiver.url}/hook` } })
  }

  const killed = (async () => {
    while (received.length < 15) await sleep(5)
    await one.kill('SIGKILL')
  })()
  for (let n = 0; n < PRODUCTS; n += 1) {
    const { product } = await send(other, 'POST', '/products.json', { product: { name: NAMES[0], price: 1 } })
    for (const name of NAMES.slice(1)) await send(other, 'PUT', `/products/${product.id}.json`, { product: { name } })
  }
  await killed
  const expected = PRODUCTS * NAMES.length
  while (new Set(received.map(({ id }) => id)).size < expected) await sleep(50)
  // Whatever comes twice comes by now: what the dead process had begun was before what arrived
  // last.
  const byProduct = Map.groupBy(received, ({ body }) => JSON.parse(body).product.id as number)
  expect(byProduct.size).toBe(PRODUCTS)
  for (const own of byProduct.values()) {
    const once = own.filter(({ id }, index) => own[index - 1]?.id !== id)
    expect(once.map(({ event }) => event)).toEqual(['product_created', 'product_updated', 'product_updated'])
    expect(new Set(own.map(({ id }) => id)).size).toBe(NAMES.length)
    for (const { id, body } of own) expect(own.filter((each) => each.id === id).every((each) => each.body === body)).toBe(true)
    expect(once.map(nameIn).at(-1)).toBe('third')
  }
}, 240_000)
