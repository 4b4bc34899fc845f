import { TestClock } from 'pg-boss'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts'
import { mailClock, mailServerAt } from './support/mail.ts'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

const HOUR_MS = 3_600_000
/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * HOUR_MS)
const logged: string[] = []
let smtp: TestSmtpServer
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let mails: ReturnType<typeof mailClock>
let stop: () => Promise<void>
beforeAll(async () => {
  smtp = await startSmtpServer()
  stack = await startStore(() => new Date(clock.now()), {
    mailServer: mailServerAt(smtp.port),
    log: pino({ level: 'warn' }, { write: (line) => logged.push(line) }),
    webhooks: { jobClock: clock },
  })
  shop = await stack.aStore({ name: 'Pots & <Pans>' })
  shopper = storefrontShopper(stack, shop)
  mails = mailClock(stack, clock)
  await shopper.merchant('mutation { updateStore(input: { languages: ["en"] }) { __typename } }')
  stop = await stack.subgraph.deliverMail()
})
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
})
beforeEach(async () => {
  // An address gets five confirmations an hour.
  await clock.setTime(clock.now() + HOUR_MS)
  smtp.received.length = 0
  smtp.faults.length = 0
})

async function anOrder(paymentMethodId: string | null = null) {
  const product = await shopper.aProduct({ name: 'Cup "big"', stock: 3, shippingRequired: false })
  const { token, cart } = await shopper.ready([{ productId: product, quantity: 2 }])
  if (paymentMethodId !== null) await shopper.update(token, { paymentMethodId })
  const done = await shopper.complete(token, cart.totals.total)
  expect(done.__typename).toBe('CompleteStorefrontCheckoutSuccess')
  return { token, total: cart.totals.total as string, number: done.order.number as number }
}
const setting = async (input: object) =>
  (
    await shopper.merchant(
      `mutation ($input: UpdateStoreInput!) { outcome: updateStore(input: $input) { __typename
        ... on UpdateStoreSuccess { store { sendsOrderConfirmations } } ... on ValidationError { message } } }`,
      { input },
    )
  ).outcome

test('an order is confirmed to its shopper, with what was bought, how it is paid and where it is shown', async () => {
  await setting({ email: 'hello@pottery.example' })
  const { number } = await anOrder()
  await mails.finished()
  expect(smtp.received).toHaveLength(1)
  const [mail] = smtp.received
  const [{ token: secret = '', email = '' } = {}] = await stack.sql(
    `SELECT token, customer->>'email' AS email FROM "order" WHERE store_id = $1 AND id = $2`,
    [shop.storeId, number],
  )
  expect(mail?.to).toEqual([email])
  expect(mail?.headers).toEqual(
    expect.arrayContaining([`Subject: Your order ${number} at Pots & <Pans>`, 'Reply-To: hello@pottery.example']),
  )
  expect(mail?.text).toContain(`2 × Cup "big": €20.00`)
  expect(mail?.text).toContain('Payment is pending.')
  expect(mail?.text).toContain('How you pay: Transfer it to PT50.')
  expect(mail?.text).toContain(`https://atrium.example/shops/${shop.code}/orders/${secret}`)
  expect(mail?.html).toContain('2 × Cup &quot;big&quot;')
  expect(mail?.html).toContain('Pots &amp; &lt;Pans&gt;')
})

test('an order that is completed again, and one that fails, are not confirmed', async () => {
  const { token, total } = await anOrder()
  await Promise.all([shopper.complete(token, total, 'again'), shopper.complete(token, total, 'and again')])
  const product = await shopper.aProduct({ stock: 1, shippingRequired: false })
  const { token: other } = await shopper.ready([{ productId: product }])
  expect((await shopper.complete(other, '1')).__typename).toBe('StorefrontTotalChanged')
  await mails.finished()
  expect(smtp.received).toHaveLength(1)
})

test('drafts that name their customers by id are confirmed to each of them', async () => {
  const addresses = Array.from({ length: 6 }, (_, index) => `customer-${index}@example.org`)
  for (const email of addresses) {
    const { made } = await shopper.merchant(
      'mutation ($input: CreateCustomerInput!) { made: createCustomer(input: $input) { ... on CreateCustomerSuccess { customer { id } } } }',
      { input: { email } },
    )
    const contents = { customer: { id: made.customer.id }, lines: [{ name: 'Repair', price: '12' }] }
    const { draft } = await shopper.merchant(
      'mutation ($input: CreateDraftOrderInput!) { draft: createDraftOrder(input: $input) { ... on DraftOrderSuccess { draftOrder { id } } } }',
      { input: { contents } },
    )
    const { done } = await shopper.merchant(
      'mutation ($id: ID!) { done: completeDraftOrder(id: $id, input: {sendsConfirmation: true}) { __typename } }',
      { id: draft.draftOrder.id },
    )
    expect(done.__typename).toBe('DraftOrderSuccess')
  }
  await mails.finished()
  expect(smtp.received.flatMap(({ to }) => to).toSorted()).toEqual(addresses)
})

test('what waits in the queue names an order, and no person', async () => {
  await stop()
  const { number } = await anOrder()
  const [{ data = {} } = {}] = await stack.sql(`SELECT data FROM store_jobs.job WHERE name = 'mail' AND state = 'created'`)
  expect(data).toEqual({
    kind: 'order-confirmation',
    subjectId: number,
    storeId: shop.storeId,
    requestedAt: new Date(clock.now()).toISOString(),
  })
  stop = await stack.subgraph.deliverMail()
  await mails.finished()
  expect(smtp.received).toHaveLength(1)
})

test.each(['busy', 'drop'] as const)('a server that is "%s" gets it later, once', async (fault) => {
  smtp.faults.push(fault, fault, fault)
  const { number } = await anOrder()
  const before = clock.now()
  await mails.finished(10_000)
  expect(smtp.received.map(({ headers }) => headers.find((header) => header.startsWith('Subject')))).toEqual([
    `Subject: Your order ${number} at Pots & <Pans>`,
  ])
  // Pauses of 30, 60 and 120 seconds, of which the library takes half to all.
  expect(clock.now() - before).toBeGreaterThan(100_000)
})

test('a message whose answer was lost is sent again under the same id, so that a mailbox can tell', async () => {
  smtp.faults.push('drop-late')
  await anOrder()
  await mails.finished(10_000)
  const ids = smtp.received.map(({ headers }) => headers.find((header) => header.startsWith('Message-ID')))
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
})

test('a receiver that the server refuses is not tried again', async () => {
  smtp.faults.push('unknown')
  await anOrder()
  const before = clock.now()
  await mails.finished()
  expect(smtp.received).toEqual([])
  expect([await mails.givenUp(), clock.now() - before < 30_000]).toEqual([0, true])
})

test('a server that is never free is given up after 16 attempts and about a day, with growing pauses', async () => {
  const first = smtp.attempts()
  smtp.faults.push(...Array.from({ length: 100 }, () => 'busy' as const))
  await anOrder()
  const pauses: number[] = []
  for (let attempt = 0; attempt < 16; attempt += 1) {
    await mails.isTried(smtp.attempts, first + attempt)
    const pause = await mails.skipPause()
    if (pause !== null) pauses.push(pause)
  }
  await mails.finished()
  expect([smtp.received.length, smtp.attempts() - first, await mails.givenUp(), pauses.length]).toEqual([0, 16, 1, 15])
  expect(pauses[0]).toBeLessThan(61_000)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(4 * HOUR_MS)
  const total = pauses.reduce((sum, pause) => sum + pause, 0)
  expect([total > 12 * HOUR_MS, total < 40 * HOUR_MS]).toEqual([true, true])
})

test('a store switches confirmations off, and an order that ended before its e-mail gets none', async () => {
  expect(await setting({ sendsOrderConfirmations: null })).toMatchObject({ __typename: 'ValidationError' })
  expect(await setting({ sendsOrderConfirmations: false })).toMatchObject({ store: { sendsOrderConfirmations: false } })
  await anOrder()
  await mails.finished()
  expect(smtp.received).toEqual([])
  expect(await setting({ sendsOrderConfirmations: true })).toMatchObject({ store: { sendsOrderConfirmations: true } })

  await stop()
  const { number } = await anOrder()
  await shopper.cancel(number)
  stop = await stack.subgraph.deliverMail()
  await mails.finished()
  expect(smtp.received).toEqual([])
})

test('an address gets five confirmations an hour; the orders are placed all the same, and it is logged once', async () => {
  const placed: number[] = []
  for (let order = 0; order < 7; order += 1) placed.push((await anOrder()).number)
  expect(new Set(placed).size).toBe(7)
  await mails.finished()
  expect(smtp.received).toHaveLength(5)
  expect(logged.filter((line) => line.includes('orders are not confirmed by e-mail'))).toHaveLength(1)
  await clock.setTime(clock.now() + HOUR_MS)
  await anOrder()
  await mails.finished()
  expect(smtp.received).toHaveLength(6)
})

test('a confirmation has at most 500 characters of how it is paid', async () => {
  await anOrder(await shopper.aPaymentMethod('Transfer', 'x'.repeat(3_000)))
  await mails.finished()
  expect(/Howyoupay:(x+…)/.exec(smtp.received[0]?.text.replaceAll(/\s/g, '') ?? '')?.[1]).toHaveLength(501)
})

test('an e-mail about a refund lists the units that were received, and no line of which none were', async () => {
  const [cup, bowl] = [
    await shopper.aProduct({ name: 'Cup', shippingRequired: false }),
    await shopper.aProduct({ name: 'Bowl', shippingRequired: false }),
  ]
  const { token, cart } = await shopper.ready([
    { productId: cup, quantity: 2 },
    { productId: bowl, quantity: 1 },
  ])
  const { order } = await shopper.complete(token, cart.totals.total)
  await shopper.pay(order.number)
  const id = String(order.number)
  await shopper.merchant('mutation ($id: ID!) { updateOrder(id: $id, input: { shipmentStatus: REQUESTED }) { __typename } }', {
    id,
  })
  const { sold } = await shopper.merchant('query ($id: ID!) { sold: order(id: $id) { lines { id name } } }', { id })
  const lines = sold.lines.map((line: { id: string; name: string }) => ({
    lineId: line.id,
    quantity: line.name === 'Cup' ? 2 : 1,
  }))
  const { made } = await shopper.merchant(
    'mutation ($input: CreateOrderReturnInput!) { made: createOrderReturn(input: $input) { __typename ... on CreateOrderReturnSuccess { orderReturn { id number } } } }',
    { input: { orderId: id, lines } },
  )
  // Returns of the merchant are not written about.
  await stack.sql(`UPDATE order_return SET requested_by = 'CUSTOMER' WHERE store_id = $1 AND id = $2`, [
    shop.storeId,
    made.orderReturn.number,
  ])
  const received = sold.lines.map((line: { id: string; name: string }) => ({
    lineId: line.id,
    quantity: line.name === 'Cup' ? 1 : 0,
  }))
  const move = (field: string, input: object) =>
    shopper.merchant(
      `mutation ($id: ID!, $input: ${field === 'receive' ? 'Receive' : 'Refund'}OrderReturnInput!) { moved: ${field}OrderReturn(id: $id, input: $input) { __typename } }`,
      { id: made.orderReturn.id, input },
    )
  expect(await move('receive', { lines: received })).toEqual({ moved: { __typename: 'OrderReturnSuccess' } })
  await mails.finished()
  smtp.received.length = 0
  expect(await move('refund', {})).toEqual({ moved: { __typename: 'OrderReturnSuccess' } })
  await mails.finished()
  const [mail] = smtp.received
  expect(mail?.headers.join(' ').replaceAll(/\s+/g, ' ')).toContain('was refunded')
  expect([mail?.text.includes('Cup: 1'), mail?.text.includes('Bowl')]).toEqual([true, false])
})
