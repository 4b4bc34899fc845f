import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryRateLimit } from '../../../rest-facade/store/caller/rate-limit.ts'
import { agreedApp } from '../../subgraphs/store/support/app.ts'
import { operations } from './contract.ts'
import { attempts, type Cast } from './failures.ts'
import { BEYOND, GROWING, operationOf, pathValues, requestOf, type Seen, SHRINKING, type Step } from './journey.ts'
import { type StoreRestStack, startStoreStack, UNLIMITED } from './stack.ts'

/** Full for ever, once it is: its clock stands. */
const exhausted = memoryRateLimit(() => 0)
let isLimited = false

let stack: StoreRestStack
let seen: Seen
const succeeded = new Set<string>()
beforeAll(async () => {
  stack = await startStoreStack({
    rateLimit: { ...UNLIMITED, count: (...asker) => (isLimited ? exhausted : UNLIMITED).count(...asker) },
  })
  for (let n = 0; n <= 20; n += 1) await exhausted.count('127.0.0.1', stack.own.code)
  seen = { store: stack.own.storeId }
})
afterAll(() => stack.close())

/** Sends requests one after the other; each has to succeed, and to be answered as documented. */
async function walk(steps: readonly Step[]): Promise<void> {
  for (const { operation: id, query, body, learns, from } of steps) {
    const operation = operationOf(id)
    const on = requestOf(operation, pathValues(operation, seen), query?.(seen))
    const reply = await stack.ask(on, body && { body: body(seen) })
    expect([on, reply.status, reply.text]).toEqual([on, operation.status, expect.any(String)])
    succeeded.add(id)
    if (learns === undefined) continue
    const things: Record<string, { id?: number; public_id?: string }> = reply.json
    const found = from ? from(reply.json as never) : Object.values(things)[0]
    const value = typeof found === 'object' ? (found.public_id ?? found.id) : found
    if (value === undefined) throw new Error(`Expected the answer of ${id} to have an id.`)
    seen = { ...seen, [learns]: value }
  }
}

/** What the tables hold, as sums; but for one that says which processes are alive. */
async function contents(): Promise<Readonly<Record<string, unknown>>> {
  const tables = await stack.sql(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'store'::regnamespace AND relkind = 'r' AND relname <> 'event_process'`,
  )
  const sums = tables.map(async ({ name }) => {
    const [row] = await stack.sql(`SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) AS sum FROM "${name}" t`)
    return [name, row]
  })
  return Object.fromEntries(await Promise.all(sums))
}

test('a store that begins empty is filled through the API alone', async () => {
  await walk(GROWING)
  expect(succeeded.size).toBeGreaterThanOrEqual(130)
})

test('resources without a create operation are read: prices of apps, and reviews of customers', async () => {
  const { data } = await stack.graph(stack.own, '{ apps { id code } }')
  const [{ id, code }] = data.apps
  const subscribed = await stack.graph(
    stack.own,
    `mutation ($id: ID!, $code: String!) {
      setAppPlans(id: $id, input: { plans: [{ name: "Basic", currency: "EUR", monthlyPrice: 1, freeOrders: 0 }] }) { __typename }
      subscribeToApp(input: { code: $code, plan: "Basic" }) { __typename }
    }`,
    { id, code },
  )
  expect(subscribed.data.subscribeToApp.__typename).toBe('SubscribeToAppSuccess')
  await stack.sql(
    `INSERT INTO product_review (store_id, product_id, product_name, rating, review, customer_email, created_at)
     VALUES ($1, $2, 'Linen shirt', 5, 'Cool', 'ana@example.org', now())`,
    [stack.own.storeId, seen.products],
  )
  seen = { ...seen, code }
  await walk(BEYOND)
})

test('every failure that is documented can be met, is answered as documented, and changes nothing', {
  timeout: 120_000,
}, async () => {
  const { caller } = await agreedApp(stack, stack.own, { scopes: ['read_countries'] })
  const cast: Cast = {
    scopeless: { as: null, headers: { authorization: caller.credentials.authorization ?? '' } },
    unpaid: { as: await stack.aStore({ isPaid: false }) },
    empty: { as: await stack.aStore() },
    usedKey: 'used',
  }
  const hook = { event: 'order_paid', url: 'https://example.com/once' }
  await stack.ask('POST /hooks.json', { body: { hook }, headers: { 'idempotency-key': cast.usedKey } })

  const steps = new Map([...GROWING, ...BEYOND, ...SHRINKING].map((each) => [each.operation, each]))
  const before = await contents()
  const wrong: unknown[] = []
  for (const operation of operations.values()) {
    for (const status of operation.failures.keys()) {
      const tried = attempts(operation, status, steps.get(operation.operationId) ?? {}, seen, cast)
      if (tried.length === 0) wrong.push(`nobody knows how ${operation.operationId} could answer ${status}`)
      isLimited = status === 429
      for (const { on, why, ...attempt } of tried) {
        const { status: got, text } = await stack.ask(on, attempt)
        if (got !== status) wrong.push({ on, why, status, got, text })
      }
      isLimited = false
    }
  }
  expect(wrong).toEqual([])
  expect(await contents()).toEqual(before)
})

test('everything can be deleted again', () => walk(SHRINKING))

test('every operation of the contract was called', () => {
  expect([...operations.keys()].filter((id) => !succeeded.has(id))).toEqual([])
})
