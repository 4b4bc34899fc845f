import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { TestClock } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { webhookSender } from '../../../subgraphs/toolkit/webhook-sender.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type HttpServer, startHttpServer } from '../../support/http-server.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string; readonly at: number }

const MINUTE = 60_000

/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * 60 * MINUTE)
let stack: StoreRestStack
let receiver: HttpServer
let shop: TestStore
const received: Received[] = []
/** What the receiver answers, by path; 200 where nothing is said. */
const answers = new Map<string, (response: ServerResponse, sent: Received) => void>()

beforeAll(async () => {
  receiver = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const path = request.url ?? ''
        const sent = { path, headers: request.headers, body: Buffer.concat(chunks).toString(), at: clock.now() }
        received.push(sent)
        const answer = answers.get(path) ?? status(200)
        answer(response, sent)
      })
    },
  })
  stack = await startStoreStack({
    now: () => new Date(clock.now()),
    webhooks: {
      jobClock: clock,
      webhookNetwork: { resolvers: [], allow: ({ address, port }) => address === '127.0.0.1' && port === receiver.port },
    },
  })
})
afterAll(async () => {
  await stack.close()
  await receiver.close()
})
beforeEach(async () => {
  shop = await stack.aStore()
  received.length = 0
  answers.clear()
})

const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end(body)

/**
 * What there is to do for webhooks of the shop, besides tests: what is being sent, and what is due
 * and next for its thing and URL, unless its webhook is paused. The clock of the test begins what
 * is due; what is being sent ends in the time of the machine.
 */
async function toDo(): Promise<{ readonly sending: number; readonly due: number }> {
  const heads = await stack.sql(
    `SELECT DISTINCT ON (url, entity, entity_id) due_at, taken_run FROM webhook_delivery AS delivery
    WHERE store_id = $1 AND status = 'waiting' AND NOT is_test AND (taken_run IS NOT NULL OR NOT EXISTS (
      SELECT FROM webhook_subscription WHERE store_id = $1 AND id = delivery.subscription_id AND paused_at IS NOT NULL))
    ORDER BY url, entity, entity_id, id`,
    [shop.storeId],
  )
  const sending = heads.filter(({ taken_run: run }) => run !== null).length
  const due = heads.filter(({ taken_run: run, due_at: at }) => run === null && Number(at) <= clock.now()).length
  return { sending, due }
}

/**
 * How long a delivery may be under way before time passes all the same: what was begun and lost is
 * done again in the time of the store. Milliseconds.
 */
const SENDING = 5_000

/** Lets time pass, a second of the store's at once, but none while something is being sent. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  let idleAt = performance.now()
  while (!(await holds())) {
    const isSending = (await toDo()).sending > 0
    if (!isSending) idleAt = performance.now()
    if (!isSending || performance.now() - idleAt > SENDING) await clock.tick(1_000)
    await sleep(2)
  }
}
/**
 * Lets so much time pass, and then as much as is needed for everything that is due to be done with.
 */
async function pass(minutes: number): Promise<void> {
  await clock.setTime(clock.now() + minutes * MINUTE)
  // What comes although it is not due is given the time to.
  for (let second = 0; second < 12; second += 1) {
    await clock.tick(1_000)
    await sleep(10)
    await until(async () => (await toDo()).sending === 0)
  }
  await until(async () => Object.values(await toDo()).every((many) => many === 0))
}

const url = (path: string) => `${receiver.url}${path}`
const at = (path: string) => received.filter((each) => each.path === path)
const numberIn = ({ body }: Received): number => JSON.parse(body).product.id
const eventOf = ({ headers }: Received) => headers['jumpseller-event']
const idOf = ({ headers }: Received) => headers['atrium-delivery-id']

async function aHook(event: string, path: string): Promise<number> {
  const { json } = await stack.ask('POST /hooks.json', { as: shop, body: { hook: { event, url: url(path) } } })
  return json.hook.id
}
async function aProduct(name = 'Lamp'): Promise<number> {
  return (await stack.ask('POST /products.json', { as: shop, body: { product: { name, price: 10 } } })).json.product.id
}
const rename = (id: number, name: string) => stack.ask(`PUT /products/${id}.json`, { as: shop, body: { product: { name } } })

async function ask(query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await stack.graph(shop, query, variables)
  expect(errors).toBeUndefined()
  return data
}
const HOOK = 'query ($id: ID!) { webhookSubscription(id: $id) { failureCount failingSince pausedAt } }'
const hook = async (id: number) => (await ask(HOOK, { id: String(id) })).webhookSubscription
const DELIVERIES = `query ($filter: WebhookDeliveryFilter) { webhookDeliveries(filter: $filter) { totalCount nodes {
  id event subjectType subjectNumber status dueAt body isTest finishedAt attempts { number status error response } } } }`
const deliveries = async (id: number) =>
  (await ask(DELIVERIES, { filter: { webhookSubscriptionId: String(id) } })).webhookDeliveries.nodes
const isDelivered = ({ status }: { readonly status: string }) => status === 'DELIVERED'
const finished = (id: number) =>
  until(async () => (await deliveries(id)).every((each: { status: string }) => each.status !== 'WAITING'))

test('an event is sent with the resource as the REST API returns it, in its envelope, with the published headers and a signature of the raw body', async () => {
  await aHook('product_created', '/new')
  const before = clock.now()
  const id = await aProduct('Lámpara')
  await until(() => at('/new').length > 0)
  const [sent] = at('/new') as [Received]
  const { json } = await stack.ask('GET /store/info.json', { as: shop })
  expect(sent.body).toBe((await stack.ask(`GET /products/${id}.json`, { as: shop })).text)
  expect(sent.headers).toMatchObject({
    'content-type': 'application/json',
    'jumpseller-event': 'product_created',
    'jumpseller-store-code': shop.code,
    'jumpseller-hmac-sha256': createHmac('sha256', json.hooks_token).update(sent.body).digest('base64'),
  })
  const triggered = String(sent.headers['jumpseller-triggered-at'])
  expect(triggered).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC$/)
  expect(Date.parse(triggered.replace(' UTC', 'Z').replace(' ', 'T'))).toBe(before)
  expect(sent.headers).not.toHaveProperty('atrium-previous-hmac-sha256')
  expect(sent.headers).not.toHaveProperty('atrium-test')
})

test('a deleted resource is sent with its id only', async () => {
  await aHook('product_deleted', '/gone')
  const id = await aProduct()
  await stack.ask(`DELETE /products/${id}.json`, { as: shop })
  await until(() => at('/gone').length > 0)
  expect(at('/gone').map(({ body }) => body)).toEqual([`{"product":{"id":${id}}}`])
})

test('an integration for e-mail gets the handover of a parcel and each of its shipment states', async () => {
  await aHook('fulfillment_created', '/handed-over')
  await aHook('fulfillment_updated', '/on-its-way')
  const { json: location } = await stack.ask('POST /locations.json', {
    as: shop,
    body: { location: { name: 'Store room', address: 'Rua A', city: 'Braga', country: 'PT' } },
  })
  const fulfillment = { type: 'manual', location_id: location.location.id, shipping_address: { city: 'Porto', country: 'PT' } }
  const { json } = await stack.ask('POST /fulfillments.json', { as: shop, body: { fulfillment } })
  const { id } = json.fulfillment
  await until(() => at('/handed-over').length > 0)
  expect(at('/handed-over').map(({ body }) => body)).toEqual([
    (await stack.ask(`GET /fulfillments/${id}.json`, { as: shop })).text,
  ])
  await stack.ask(`PUT /fulfillments/${id}.json`, { as: shop, body: { fulfillment: { shipment_status: 'in_transit' } } })
  await until(() => at('/on-its-way').length > 0)
  expect(JSON.parse(at('/on-its-way')[0]?.body ?? '')).toMatchObject({ fulfillment: { id, shipment_status: 'in_transit' } })
})

test('a subscription gets no earlier events, no other events, and none of other stores', async () => {
  const early = await aProduct()
  await aHook('product_created', '/mine')
  await rename(early, 'Other')
  const other = await stack.aStore()
  await stack.ask('POST /products.json', { as: other, body: { product: { name: 'Theirs', price: 1 } } })
  const mine = await aProduct()
  await until(() => at('/mine').length > 0)
  await pass(1)
  expect(at('/mine').map(numberIn)).toEqual([mine])
})

test('many events of one store are sent one after the other, however few may be under way at once, without waiting for a poll', async () => {
  await aHook('product_created', '/burst')
  const held: ServerResponse[] = []
  answers.set('/burst', (response) => void held.push(response))
  const made = await Promise.all(Array.from({ length: 14 }, () => aProduct()))
  await expect.poll(() => held.length).toBe(4)
  answers.delete('/burst')
  for (const response of held) response.end()
  // The clock that polls wait for stands still.
  await expect.poll(() => at('/burst').length, { timeout: 20_000 }).toBe(made.length)
})

test('a receiver that is down gets every event afterwards, in order for each product, with the same ids and the same bytes', async () => {
  const [created, updated] = [await aHook('product_created', '/down'), await aHook('product_updated', '/down')]
  answers.set('/down', status(503))
  const [one, other] = [await aProduct('One'), await aProduct('Other')]
  for (const name of ['a', 'b']) for (const id of [one, other]) await rename(id, `${id} ${name}`)
  for (const minutes of [0, 1, 16, 81]) await pass(minutes)
  // Two products, each tried four times; what came after their first events waited for those, until
  // their webhook was paused.
  const first = at('/down').slice(0, 8)
  expect([new Set(first.map(eventOf)), new Set(first.map(idOf)).size]).toEqual([new Set(['product_created']), 2])
  expect(new Set(at('/down').slice(8).map(eventOf))).toEqual(new Set(['product_updated']))
  expect((await hook(created)).pausedAt).not.toBeNull()
  for (const minutes of [1, 16, 81]) await pass(minutes)
  expect((await hook(updated)).pausedAt).not.toBeNull()
  await rename(one, 'last')
  const failed = [...received]
  await pass(600)
  expect(received).toHaveLength(failed.length)

  answers.clear()
  await ask(
    'mutation ($a: ID!, $b: ID!) { a: resumeWebhookSubscription(id: $a) { __typename } b: resumeWebhookSubscription(id: $b) { __typename } }',
    {
      a: String(created),
      b: String(updated),
    },
  )
  await finished(created)
  await finished(updated)
  const arrived = at('/down').slice(failed.length)
  for (const [id, names] of [
    [one, [undefined, 'a', 'b', 'last']],
    [other, [undefined, 'a', 'b']],
  ] as const) {
    const own = arrived.filter((each) => numberIn(each) === id)
    expect(own.map(eventOf)).toEqual(names.map((name) => (name ? 'product_updated' : 'product_created')))
    expect(new Set(own.map(idOf)).size).toBe(own.length)
  }
  for (const { headers, body } of failed) {
    const again = arrived.find((each) => idOf(each) === headers['atrium-delivery-id'])
    expect([again?.body, again?.headers['jumpseller-hmac-sha256']]).toEqual([body, headers['jumpseller-hmac-sha256']])
  }
  expect(await hook(created)).toEqual({ failureCount: 0, failingSince: null, pausedAt: null })
}, 60_000)

test('what waits for a webhook is sent when that is resumed while the delivery before it is being recorded', async () => {
  const [created, updated] = [await aHook('product_created', '/both'), await aHook('product_updated', '/both')]
  for (const each of [created, updated])
    await ask('mutation ($id: ID!) { pauseWebhookSubscription(id: $id) { __typename } }', { id: String(each) })
  const [held, free] = [await aProduct(), await aProduct()]
  for (const id of [held, free]) await rename(id, 'Renamed')
  const holding = Promise.withResolvers<() => void>()
  answers.set('/both', (response, sent) => {
    const answer = () => response.writeHead(200).end()
    if (numberIn(sent) === held && eventOf(sent) === 'product_created') holding.resolve(answer)
    else answer()
  })
  const resume = (id: number) =>
    ask('mutation ($id: ID!) { resumeWebhookSubscription(id: $id) { __typename } }', { id: String(id) })
  await resume(created)
  await until(async () => at('/both').length === 2 && (await deliveries(created)).some(isDelivered))
  const answer = await holding.promise

  // Who resumes has seen that the one before is being sent, and cannot commit yet.
  const blocker = new pg.Client(stack.database.connection)
  await blocker.connect()
  // Not by the connection that blocks: within a transaction what others do stays as it was first
  // seen.
  const finds = async (from: string) => (await stack.sql(`SELECT FROM ${from}`)).length > 0
  await blocker.query('BEGIN; LOCK TABLE store_jobs.job IN SHARE MODE')
  const resuming = resume(updated)
  await expect
    .poll(() =>
      finds(
        "pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database() AND query ~* '^\\s*(with|insert)[^;]* into '",
      ),
    )
    .toBe(true)
  answer()
  const isAwaited = () =>
    finds(
      "pg_locks JOIN pg_database ON pg_database.oid = database WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()",
    )
  await expect.poll(async () => (await deliveries(created)).every(isDelivered) || (await isAwaited())).toBe(true)
  await blocker.query('ROLLBACK')
  await blocker.end()
  await resuming
  await finished(updated)
  expect(at('/both').map((each) => [numberIn(each), eventOf(each)])).toEqual(
    expect.arrayContaining(
      [held, free].flatMap((id) => [
        [id, 'product_created'],
        [id, 'product_updated'],
      ]),
    ),
  )
})

test('a paused webhook is sent nothing until it is resumed, then the events of each resource in order; other webhooks of the same receiver do not wait', async () => {
  const PAUSE = 'mutation ($id: ID!) { done: pauseWebhookSubscription(id: $id) { __typename } }'
  const [paused, running] = [await aHook('product_created', '/rest'), await aHook('product_updated', '/rest')]
  const later = await aHook('product_updated', '/later')
  for (const each of [paused, paused, later])
    expect((await ask(PAUSE, { id: String(each) })).done.__typename).toBe('PauseWebhookSubscriptionSuccess')
  const { pausedAt, failureCount } = await hook(paused)
  expect([pausedAt, failureCount]).toEqual([expect.any(String), 0])
  const id = await aProduct()
  await rename(id, 'Renamed')
  await until(() => at('/rest').length > 0)
  await pass(5)
  expect(received.map(eventOf)).toEqual(['product_updated'])
  expect((await hook(running)).pausedAt).toBeNull()
  await rename(id, 'Renamed again')
  const second = await aProduct()
  const RESUME = 'mutation ($id: ID!) { done: resumeWebhookSubscription(id: $id) { __typename } }'
  for (const each of [paused, later]) await ask(RESUME, { id: String(each) })
  for (const each of [paused, later]) await finished(each)
  const created = at('/rest').filter((each) => eventOf(each) === 'product_created')
  expect(created.map(numberIn).sort()).toEqual([id, second])
  const newestFirst = (await deliveries(later)).map((each: { id: string }) => each.id)
  expect(newestFirst).toHaveLength(2)
  expect(at('/later').map(idOf)).toEqual(newestFirst.reverse())
  expect((await ask(PAUSE, { id: '999999' })).done.__typename).toBe('NotFoundError')
})

test('an attempt that failed is repeated 1, 16, 81 and 256 minutes later, and given up; a replay begins again with the same id', async () => {
  const id = await aHook('product_created', '/five')
  answers.set('/five', status(500, {}, 'Broken here'))
  await aProduct()
  await pass(0)
  for (const [index, minutes] of [1, 16, 81, 256].entries()) {
    const [{ dueAt }] = await deliveries(id)
    const due = Date.parse(dueAt)
    const last = at('/five').at(-1) as Received
    expect(due - last.at).toBeGreaterThanOrEqual(minutes * MINUTE)
    expect(due - last.at).toBeLessThan(minutes * MINUTE + 15_000)
    await clock.setTime(due - 20_000)
    await pass(0)
    expect(at('/five')).toHaveLength(index + 1)
    await clock.setTime(due)
    await pass(0)
    expect(at('/five')).toHaveLength(index + 2)
  }
  await pass(2_000)
  expect(at('/five')).toHaveLength(5)
  const [delivery] = await deliveries(id)
  expect(delivery).toMatchObject({ status: 'FAILED', dueAt: null, attempts: { length: 5 } })
  expect(delivery.attempts[4]).toEqual({ number: 5, status: 500, error: 'status 500', response: 'Broken here' })
  // What another test has left may become due in these hours, too.
  expect(new Set(at('/five').map(idOf))).toEqual(new Set([delivery.id]))

  // Under way until the second is refused: a quick worker would be done with the first.
  const refused = Promise.withResolvers<void>()
  answers.set('/five', (response) => void refused.promise.then(() => response.end()))
  const REPLAY =
    'mutation ($id: ID!) { replayWebhookDelivery(id: $id) { __typename ... on ReplayWebhookDeliverySuccess { webhookDelivery { status } } ... on ValidationError { message } } }'
  expect((await ask(REPLAY, { id: delivery.id })).replayWebhookDelivery.webhookDelivery.status).toBe('WAITING')
  expect((await ask(REPLAY, { id: delivery.id })).replayWebhookDelivery.__typename).toBe('ValidationError')
  refused.resolve()
  await finished(id)
  expect([at('/five')[5]?.body, idOf(at('/five')[5] as Received)]).toEqual([delivery.body, delivery.id])
  expect(await hook(id)).toEqual({ failureCount: 0, failingSince: null, pausedAt: null })
}, 60_000)

const ORDER_EVENTS = ['order_created', 'order_pending_payment', 'order_paid', 'order_shipped']

/** An order to which each of `ORDER_EVENTS` happens, in their order, once `goOn` is called. */
async function anOrder(product: number) {
  const { json } = await stack.ask('POST /orders.json', { as: shop, body: { order: { products: [{ id: product, qty: 1 }] } } })
  const { id } = json.order
  const change = (order: object) => stack.ask(`PUT /orders/${id}.json`, { as: shop, body: { order } })
  return {
    id,
    goOn: async () => {
      await change({ status: 'Paid' })
      await change({ shipment_status: 'requested' })
      await change({ shipment_status: 'in_transit' })
    },
  }
}
const orderIn = ({ body }: Received): number => JSON.parse(body).order.id
const arrivedFor = (path: string, order: number) => at(path).filter((each) => orderIn(each) === order)

test('while an event of an order is repeated its later events wait, and those of another order do not', async () => {
  for (const event of ORDER_EVENTS) await aHook(event, '/some')
  const product = await aProduct()
  let refusals = 0
  // From the first on, which may come before the order is answered.
  answers.set('/some', (response, sent) => {
    const isRefused = orderIn(sent) === orderIn(at('/some')[0] as Received) && refusals < 2
    refusals += isRefused ? 1 : 0
    status(isRefused ? 503 : 200)(response)
  })
  const slow = await anOrder(product)
  await until(() => at('/some').length > 0)
  const other = await anOrder(product)
  await slow.goOn()
  await other.goOn()
  await pass(0)
  expect(arrivedFor('/some', other.id).map(eventOf)).toEqual(ORDER_EVENTS)
  expect(arrivedFor('/some', slow.id).map(eventOf)).toEqual(['order_created'])
  await pass(1)
  expect(arrivedFor('/some', slow.id).map(eventOf)).toEqual(['order_created', 'order_created'])
  await pass(16)
  const arrived = arrivedFor('/some', slow.id)
  expect(arrived.map(eventOf)).toEqual(['order_created', 'order_created', ...ORDER_EVENTS])
  expect(new Set(arrived.slice(0, 3).map(idOf)).size).toBe(1)
  expect(new Set(arrived.slice(2).map(idOf)).size).toBe(ORDER_EVENTS.length)
})

test('a receiver that is down for five hours gets every event of each order afterwards, in order, the first under the id that it refused', async () => {
  const product = await aProduct()
  // Told of from its payment on, so that neither webhook fails often enough to be paused.
  const early = await anOrder(product)
  for (const event of ORDER_EVENTS) await aHook(event, '/hours')
  answers.set('/hours', status(503))
  const late = await anOrder(product)
  await late.goOn()
  await early.goOn()
  for (const minutes of [0, 1, 16, 81, 200]) await pass(minutes)
  const refused = at('/hours')
  expect(refused).toHaveLength(8)
  answers.clear()
  await pass(60)
  for (const [{ id }, events] of [
    [early, ORDER_EVENTS.slice(2)],
    [late, ORDER_EVENTS],
  ] as const) {
    const [before, after] = [refused, at('/hours').slice(8)].map((all) => all.filter((each) => orderIn(each) === id))
    expect(after?.map(eventOf)).toEqual(events)
    expect(new Set(after?.map(idOf)).size).toBe(events.length)
    const first = after?.[0] as Received
    expect(before?.map((each) => [idOf(each), each.body])).toEqual(Array.from({ length: 4 }, () => [idOf(first), first.body]))
  }
}, 60_000)

test('what was given up while a webhook failed is sent when it is resumed', async () => {
  const id = await aHook('product_created', '/gave-up')
  answers.set('/gave-up', status(500))
  const [first] = [await aProduct('First')]
  for (const minutes of [0, 1, 16, 81, 256]) await pass(minutes)
  expect((await deliveries(id))[0].status).toBe('FAILED')
  const second = await aProduct('Second')
  for (const minutes of [0, 1, 16]) await pass(minutes)
  expect((await hook(id)).pausedAt).not.toBeNull()
  answers.clear()
  // Whoever changes it has repaired it.
  await stack.ask(`PUT /hooks/${id}.json`, { as: shop, body: { hook: { url: url('/moved') } } })
  await finished(id)
  expect(at('/moved').map(numberIn).sort()).toEqual([first, second].sort())
}, 60_000)

test('a test is sent once, whatever the response, and also while the webhook is paused', async () => {
  const id = await aHook('product_updated', '/try')
  const TEST =
    'mutation ($id: ID!) { testWebhookSubscription(id: $id) { ... on TestWebhookSubscriptionSuccess { webhookDelivery { id isTest status } } } }'
  await ask(TEST, { id: String(id) })
  await finished(id)
  expect(at('/try').map(({ body, headers }) => [body, headers['atrium-test']])).toEqual([['{"product":{"id":0}}', 'true']])

  const product = await aProduct()
  await stack.sql('UPDATE webhook_subscription SET paused_at = now() WHERE id = $1', [id])
  answers.set('/try', status(500))
  await ask(TEST, { id: String(id) })
  await finished(id)
  await pass(5)
  expect(at('/try').slice(1).map(numberIn)).toEqual([product])
  expect((await hook(id)).failureCount).toBe(0)
})

test('after a rotation both tokens sign for the requested time', async () => {
  await aHook('product_created', '/rotated')
  const token = async () => (await stack.ask('GET /store/info.json', { as: shop })).json.hooks_token
  const old = await token()
  const ROTATE = `mutation ($hours: Int) { rotateHooksToken(input: { overlapHours: $hours }) {
    ... on RotateHooksTokenSuccess { store { hooksToken previousHooksTokenUntil } } ... on ValidationError { field } } }`
  const { store } = (await ask(ROTATE, { hours: 2 })).rotateHooksToken
  const fresh = await token()
  expect([store.hooksToken, Date.parse(store.previousHooksTokenUntil) - clock.now()]).toEqual([fresh, 120 * MINUTE])
  expect(fresh).not.toBe(old)
  const signed = (key: string, { body }: Received) => createHmac('sha256', key).update(body).digest('base64')
  const both = ({ headers }: Received) => [headers['jumpseller-hmac-sha256'], headers['atrium-previous-hmac-sha256']]

  await aProduct()
  await until(() => at('/rotated').length === 1)
  const [one] = at('/rotated') as [Received]
  expect(both(one)).toEqual([signed(fresh, one), signed(old, one)])
  await pass(121)
  await aProduct()
  await until(() => at('/rotated').length === 2)
  const other = at('/rotated')[1] as Received
  expect(both(other)).toEqual([signed(fresh, other), undefined])
  expect((await ask(ROTATE, { hours: 169 })).rotateHooksToken).toEqual({ field: 'overlapHours' })
})

test.each([
  [
    'a redirect',
    status(302, { location: '/elsewhere' }),
    { status: 302, error: 'status 302: redirects are not followed', response: null },
  ],
  ['an answer without end', endless, { status: 200, error: null }],
  [
    'an answer in a coding that nobody asked for',
    status(200, { 'content-encoding': 'br' }, 'x'),
    { status: 200, error: null, response: null },
  ],
  ['a connection that is cut', (response: ServerResponse) => response.destroy(), { status: null, response: null }],
])('%s is understood', async (_, answer, expected) => {
  const id = await aHook('product_created', '/odd')
  answers.set('/odd', answer)
  await aProduct()
  await until(async () => (await deliveries(id))[0].attempts.length > 0)
  const [{ attempts }] = await deliveries(id)
  expect(attempts[0]).toMatchObject(expected)
  expect((attempts[0].response ?? '').length).toBeLessThanOrEqual(1_000)
  expect(at('/elsewhere')).toEqual([])
})

function endless(response: ServerResponse): void {
  response.writeHead(200)
  const more = setInterval(() => response.write('x'.repeat(10_000)), 1)
  response.on('close', () => clearInterval(more))
}

test('webhooks are listed, read, changed with nothing but a URL, and deleted', async () => {
  const asShop = { as: shop }
  const made = await stack.ask('POST /hooks.json', {
    ...asShop,
    body: { hook: { event: 'order_paid', url: 'https://example.com/a' } },
  })
  const { id, created_at } = made.json.hook
  expect(made.json).toEqual({ hook: { id, name: null, event: 'order_paid', url: 'https://example.com/a', created_at } })
  const put = await stack.ask(`PUT /hooks/${id}.json`, { ...asShop, body: { hook: { url: 'https://example.com/b' } } })
  expect([put.status, put.json.hook.event, put.json.hook.url]).toEqual([200, 'order_paid', 'https://example.com/b'])
  expect((await stack.ask(`GET /hooks/${id}.json`, asShop)).json).toEqual(put.json)
  const other = await stack.ask('POST /hooks.json', {
    ...asShop,
    body: { hook: { event: 'order_created', url: 'https://example.com' } },
  })
  expect((await stack.ask('GET /hooks.json', asShop)).json).toEqual([put.json, other.json])
  expect((await stack.ask('GET /hooks.json?limit=1&page=2', asShop)).json).toEqual([other.json])
  expect((await stack.ask(`DELETE /hooks/${id}.json`, asShop)).text).toBe('"OK"')
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const { status: answered } = await stack.ask(`${method} /hooks/${id}.json`, {
      ...asShop,
      ...(method === 'PUT' && { body: { hook: {} } }),
    })
    expect([method, answered]).toEqual([method, 404])
  }
  expect((await stack.ask(`GET /hooks/${other.json.hook.id}.json`, { as: stack.own })).status).toBe(404)
})

test.each([
  [{ url: 'https://example.com' }, 'hook.event'],
  [{ event: 'order_eaten', url: 'https://example.com' }, 'hook.event'],
  [{ event: 'order_paid' }, 'hook.url'],
  [{ event: 'order_paid', url: '' }, 'hook.url'],
  [{ event: 'order_paid', url: 'ftp://example.com' }, 'hook.url'],
  [{ event: 'order_paid', url: 'https://user@example.com' }, 'hook.url'],
  [{ event: 'order_paid', url: `https://example.com/${'x'.repeat(2_000)}` }, 'hook.url'],
  [{ event: 'order_paid', url: 'http://127.0.0.1/' }, 'hook.url'],
  [{ event: 'order_paid', url: 'http://10.1.2.3/' }, 'hook.url'],
  [{ event: 'order_paid', url: 'http://169.254.169.254/latest/meta-data' }, 'hook.url'],
  [{ event: 'order_paid', url: 'http://[::1]/' }, 'hook.url'],
  [{ event: 'order_paid', url: 'http://0x7f000001/' }, 'hook.url'],
  [{ event: 'order_paid', url: 'https://93.184.216.34:22/' }, 'hook.url'],
])('the webhook %j is refused, and the field is named', async (given, field) => {
  const { status: answered, json } = await stack.ask('POST /hooks.json', { as: shop, body: { hook: given } })
  expect([answered, Object.keys(json.errors)]).toEqual([400, [field]])
})

test('the refusal of a private address names the setting that allows it', async () => {
  const hook = { event: 'order_paid', url: 'http://10.1.2.3/' }
  const { json } = await stack.ask('POST /hooks.json', { as: shop, body: { hook } })
  expect(json.message).toContain('(private), or in a network of WEBHOOK_PRIVATE_NETWORKS')

  const sender = webhookSender({ resolvers: [] })
  const { error } = await sender.send(hook.url, '{}', {}, new AbortController().signal)
  await sender.close()
  expect(error).toBe('blocked: 10.1.2.3: private; networks of WEBHOOK_PRIVATE_NETWORKS are allowed')
})

test('a name that leads to a private address is not connected to', async () => {
  const id = (
    await stack.ask('POST /hooks.json', {
      as: shop,
      body: { hook: { event: 'product_created', url: `http://localhost:${receiver.port}/` } },
    })
  ).json.hook.id
  await aProduct()
  await until(async () => (await deliveries(id))[0].attempts.length > 0)
  const [{ attempts }] = await deliveries(id)
  expect(attempts[0]).toMatchObject({ status: null })
  expect(received).toEqual([])
})

test('a store has one webhook for an event and a URL, and 100 in all', async () => {
  const create = (n: number) =>
    stack.ask('POST /hooks.json', { as: shop, body: { hook: { event: 'order_paid', url: `https://example.com/${n}` } } })
  expect((await create(0)).status).toBe(200)
  const again = await create(0)
  expect([again.status, Object.keys(again.json.errors)]).toEqual([400, ['hook.url']])
  for (let n = 1; n < 100; n += 1) expect((await create(n)).status).toBe(200)
  expect((await create(100)).status).toBe(400)
})
