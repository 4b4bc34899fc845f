import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mergedPayment, openAmount, refundableAmount } from '../../../subgraphs/store/payment/payment.ts'
import { type Faults, paymentGateway } from './support/payment-gateway.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let now = new Date('2026-11-20T09:00:00Z')
const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }
let stack: StoreStack
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let method: string
/** The HTTP routes of the subgraph, on a socket. */
let routes: { readonly url: string; readonly close: () => void }
beforeAll(async () => {
  gateway = await paymentGateway(CREDENTIALS)
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
  method = await shopper.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS })
  const server = createServer((request, response) =>
    stack.subgraph.httpRoutes?.handle(request, response, { requestId: 'test', address: '127.0.0.1' }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  routes = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
})
afterAll(async () => {
  routes.close()
  await gateway.close()
  await stack.close()
})

/** The shopper orders for this price, and what comes of it. */
async function buy(price: string, stock = 10, faults: Faults = {}) {
  const product = await shopper.aProduct({ price, stock, shippingRequired: false })
  const { token } = await shopper.create([{ productId: product }])
  await shopper.update(token, { email: 'ana@example.org', paymentMethodId: method })
  const before = gateway.ids().length
  Object.assign(gateway.faults, faults)
  const done = await shopper.complete(token, price)
  expect(done.__typename).toBe('CompleteStorefrontCheckoutSuccess')
  const { order, secret } = done
  const reference = gateway.ids()[before] ?? ''
  return { product, number: order.number as number, payment: order.payment, reference, secret: secret as string }
}

/** Pays again what failed. */
const retry = async (secret: string) => {
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    `mutation ($input: RetryStorefrontPaymentInput!) { retried: retryStorefrontPayment(input: $input) { __typename
      ... on RetryStorefrontPaymentSuccess { order { status payment { status } } } } }`,
    { input: { store: shop.code, secret } },
  )
  expect(errors).toBeUndefined()
  return data.retried
}
const orderOf = async (number: number) =>
  (
    await shopper.merchant(
      'query ($id: ID!) { order(id: $id) { status total refunded payments { id status amount authorized captured voided refunded open reference } } }',
      { id: String(number) },
    )
  ).order
const notify = async (reference: string, at = now, by = CREDENTIALS.secret) => {
  const { path, signature, body } = gateway.notification(reference, at, by)
  const response = await fetch(`${routes.url}${path}`, { method: 'POST', headers: { 'payment-signature': signature }, body })
  return response.status
}
const operation = async (field: string, id: string, input: object) =>
  (
    await shopper.merchant(
      `mutation ($id: ID!, $input: PaymentOperationInput!) { done: ${field}(id: $id, input: $input) { __typename
        ... on PaymentOperationSuccess { payment { captured voided refunded open } } ... on ValidationError { field } } }`,
      { id, input },
    )
  ).done
const ledger = async (number: number) =>
  (await stack.sql('SELECT kind, amount::float8 AS amount FROM ledger_entry WHERE order_id = $1 ORDER BY id', [number])).map(
    ({ kind, amount }) => [kind, amount],
  )

/** The books of shop and gateway say the same, and balance. */
async function check() {
  const rows = await stack.sql('SELECT reference, authorized::text, captured::text, voided::text, refunded::text FROM payment')
  for (const row of rows) {
    const { reference, ...amounts } = row as {
      reference: string | null
      authorized: string
      captured: string
      voided: string
      refunded: string
    }
    if (reference === null) continue
    const plain = Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, Number(text)]))
    const { authorized, captured, voided, refunded } = gateway.shown(reference)
    expect(plain).toEqual({
      ...{ authorized: Number(authorized), captured: Number(captured) },
      ...{ voided: Number(voided), refunded: Number(refunded) },
    })
  }
}

test('a payment is authorized, captured, and its order paid, in one request of the shopper', async () => {
  const { number, payment, product } = await buy('12.50')
  expect(payment).toEqual({ status: 'AUTHORIZED', redirectUrl: null })
  expect(await orderOf(number)).toMatchObject({
    status: 'PAID',
    payments: [
      { status: 'AUTHORIZED', amount: '12.5', authorized: '12.5', captured: '12.5', voided: '0', refunded: '0', open: '0' },
    ],
  })
  expect([await ledger(number), await shopper.stockOf(product)]).toEqual([[['PAYMENT', 12.5]], 9])
  await check()
})

test('3-D Secure: the shopper is led to the bank, and the order is paid when the gateway says so, however often', async () => {
  const { number, payment, reference } = await buy('20.03')
  expect(payment).toEqual({ status: 'REQUIRES_ACTION', redirectUrl: `https://bank.example/confirm/${reference}` })
  expect(await notify(reference)).toBe(200)
  expect((await orderOf(number)).status).toBe('PENDING_PAYMENT')
  gateway.confirm(reference)
  await Promise.all(Array.from({ length: 5 }, () => notify(reference)))
  expect(await orderOf(number)).toMatchObject({ status: 'PAID', payments: [{ captured: '20.03' }] })
  expect(await ledger(number)).toEqual([['PAYMENT', 20.03]])
  await check()
})

test('a declined payment leaves the order unpaid, until its stock is freed', async () => {
  const { number, payment, product } = await buy('7.05', 1)
  expect([payment.status, (await orderOf(number)).status, await shopper.stockOf(product)]).toEqual([
    'FAILED',
    'PENDING_PAYMENT',
    0,
  ])
  now = new Date(now.getTime() + 31 * 60_000)
  await stack.subgraph.runCheckoutJobs()
  expect([(await orderOf(number)).status, await shopper.stockOf(product)]).toEqual(['ABANDONED', 1])
})

test('a payment that failed is retried by who has the link, by one of several at once, and not without end', async () => {
  const { number, product, secret } = await buy('8', 1, { refuse: 1 })
  expect(await orderOf(number)).toMatchObject({ status: 'PENDING_PAYMENT', payments: [{ status: 'FAILED' }] })
  expect((await retry('x'.repeat(32))).__typename).toBe('NotFoundError')
  Object.assign(gateway.faults, { refuse: 1 })
  expect(await retry(secret)).toMatchObject({ order: { status: 'PENDING_PAYMENT', payment: { status: 'FAILED' } } })
  const results = await Promise.all([0, 1, 2].map(() => retry(secret)))
  expect(results.map(({ __typename }) => __typename).toSorted()).toEqual([
    ...['ConflictError', 'ConflictError', 'RetryStorefrontPaymentSuccess'],
  ])
  const paid = await orderOf(number)
  expect([paid.status, paid.payments.length, await shopper.stockOf(product)]).toEqual(['PAID', 3, 0])
  expect(await ledger(number)).toEqual([['PAYMENT', 8]])
  expect((await retry(secret)).__typename).toBe('ConflictError')

  const declined = await buy('7.05', 1)
  for (let tried = 1; tried < 10; tried += 1)
    expect((await retry(declined.secret)).__typename).toBe('RetryStorefrontPaymentSuccess')
  expect((await retry(declined.secret)).__typename).toBe('ConflictError')
  await check()
})

test('lost answers, lost notifications and an unavailable gateway: the payment is made once', async () => {
  Object.assign(gateway.faults, { loseAnswer: 1 })
  const { number, payment } = await buy('9')
  expect(payment.status).toBe('PENDING')
  Object.assign(gateway.faults, { unavailable: 1 })
  now = new Date(now.getTime() + 60_000)
  await stack.subgraph.runCheckoutJobs()
  Object.assign(gateway.faults, { loseAnswer: 1 })
  for (let minute = 0; minute < 3; minute += 1) {
    now = new Date(now.getTime() + 60_000)
    await Promise.all([stack.subgraph.runCheckoutJobs(), stack.subgraph.runCheckoutJobs()])
  }
  expect(await orderOf(number)).toMatchObject({ status: 'PAID', payments: [{ authorized: '9', captured: '9' }] })
  expect(await ledger(number)).toEqual([['PAYMENT', 9]])
  await check()
})

test('a payment after the expiry of the order is captured while there is stock, and voided otherwise', async () => {
  const [unpaid, lost] = [await buy('5.03', 1), await buy('6.03', 1)]
  now = new Date(now.getTime() + 31 * 60_000)
  await stack.subgraph.runCheckoutJobs()
  expect((await orderOf(unpaid.number)).status).toBe('ABANDONED')
  await shopper.updateProduct(lost.product, { stock: 0 })
  gateway.confirm(unpaid.reference)
  gateway.confirm(lost.reference)
  expect([await notify(unpaid.reference), await notify(lost.reference)]).toEqual([200, 200])
  expect(await orderOf(unpaid.number)).toMatchObject({ status: 'PAID', payments: [{ captured: '5.03', voided: '0' }] })
  expect(await orderOf(lost.number)).toMatchObject({
    status: 'ABANDONED',
    payments: [{ captured: '0', voided: '6.03', open: '0' }],
  })
  expect([await shopper.stockOf(unpaid.product), await ledger(lost.number)]).toEqual([0, []])
  await check()
})

test('an order that was canceled before captures no money', async () => {
  const { number, reference } = await buy('8.03')
  await shopper.merchant('mutation ($id: ID!) { cancelOrder(id: $id, input: {}) { __typename } }', { id: String(number) })
  gateway.confirm(reference)
  await notify(reference)
  expect(await orderOf(number)).toMatchObject({ status: 'CANCELED', payments: [{ captured: '0', voided: '8.03' }] })
  await check()
})

test('a capture that is refused frees the order', async () => {
  const { number, reference, product } = await buy('11.03', 1)
  gateway.confirm(reference)
  const requests = gateway.requests.length
  // The question how it is passes; the capture does not.
  const { path, signature, body } = gateway.notification(reference, now)
  const answered = fetch(`${routes.url}${path}`, { method: 'POST', headers: { 'payment-signature': signature }, body })
  while (gateway.requests.length === requests) await new Promise((resolve) => setImmediate(resolve))
  Object.assign(gateway.faults, { refuse: 1 })
  await answered
  expect(await orderOf(number)).toMatchObject({ status: 'ABANDONED', payments: [{ captured: '0', open: '11.03' }] })
  expect(await shopper.stockOf(product)).toBe(1)
  const { payments } = await orderOf(number)
  expect(await operation('voidPayment', payments[0].id, {})).toMatchObject({ payment: { voided: '11.03', open: '0' } })
  await check()
})

test('merchants refund in parts, never more than was captured, however many at once', async () => {
  const { number } = await buy('30')
  const [{ id }] = (await orderOf(number)).payments
  expect(await operation('refundPayment', id, { amount: '10', idempotencyKey: 'a' })).toMatchObject({
    payment: { refunded: '10' },
  })
  expect(await operation('refundPayment', id, { amount: '10', idempotencyKey: 'a' })).toMatchObject({
    payment: { refunded: '10' },
  })
  const results = await Promise.all(Array.from({ length: 5 }, () => operation('refundPayment', id, { amount: '15' })))
  expect(results.filter(({ __typename }) => __typename === 'PaymentOperationSuccess')).toHaveLength(1)
  expect(await operation('refundPayment', id, { amount: '5.01' })).toMatchObject({ field: 'amount' })
  expect(await operation('refundPayment', id, {})).toMatchObject({ payment: { refunded: '30', open: '0' } })
  expect(await operation('capturePayment', id, {})).toMatchObject({ field: 'amount' })
  expect(await orderOf(number)).toMatchObject({ refunded: '30', payments: [{ refunded: '30' }] })
  expect((await ledger(number)).reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(0)
  await check()
})

test('a notification counts only with a fresh signature of the payment method', async () => {
  const { reference, number } = await buy('13.03')
  gateway.confirm(reference)
  expect(await notify(reference, new Date(now.getTime() - 301_000))).toBe(401)
  expect(await notify(reference, now, 'another secret')).toBe(401)
  const { path, signature } = gateway.notification(reference, now)
  const send = (to: string, headers: Record<string, string>, body: string) =>
    fetch(`${routes.url}${to}`, { method: 'POST', headers, body }).then(({ status }) => status)
  expect(await send(path, {}, '{}')).toBe(401)
  expect(await send(path, { 'payment-signature': signature }, '{"payment":"pay_other"}')).toBe(401)
  expect(await send('/payments/1/x', { 'payment-signature': signature }, '{}')).toBe(401)
  expect(await send(path, {}, 'x'.repeat(70_000))).toBe(413)
  expect((await orderOf(number)).status).toBe('PENDING_PAYMENT')
  expect(await notify(reference)).toBe(200)
  expect((await orderOf(number)).status).toBe('PAID')
})

test('answers that overtake each other change nothing back', () => {
  const known = { status: 'AUTHORIZED', redirectUrl: null, authorized: '10', captured: '10', voided: '0', refunded: '3' } as const
  const older = {
    reference: 'r',
    status: 'REQUIRES_ACTION',
    redirectUrl: null,
    authorized: '0',
    captured: '0',
    voided: '0',
    refunded: '0',
  } as const
  expect(mergedPayment(known, older)).toMatchObject(known)
  expect([openAmount(known), refundableAmount(known)]).toEqual(['0', '7'])
})

test('what identifies the merchant to the gateway is nowhere that a shopper or the database shows', async () => {
  const { number } = await buy('3')
  const shown = JSON.stringify(await orderOf(number)) + JSON.stringify(await stack.sql('SELECT * FROM payment_operation'))
  expect(shown).not.toMatch(/whsec|merchant-7/)
})
