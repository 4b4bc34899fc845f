import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mergedPayment, openAmount, refundableAmount } from '../../../subgraphs/store/payment/payment.ts'
import { expectBalancedBooks } from './support/books.ts'
import { type Faults, paymentGateway } from './support/payment-gateway.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'
import { stripeServer } from './support/stripe-server.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let gateways: { readonly [Kind in keyof typeof KINDS]: Provider }
/** The HTTP routes of the subgraph, on a socket. */
let routes: { readonly url: string; readonly close: () => void }

/** A payment gateway on loopback, as its shoppers and its merchant see it. */
type Provider = {
  readonly input: object
  /** What shoppers never see. */
  readonly secrets: RegExp
  readonly faults: Faults
  readonly requests: readonly object[]
  readonly ids: () => readonly string[]
  readonly shown: (reference: string) => Record<'authorized' | 'captured' | 'voided' | 'refunded', string>
  /** Where the shopper confirms. */
  readonly redirectOf: (reference: string) => string
  /** Pays where shoppers pay, unless a confirmation is wanted. */
  readonly visit: (reference: string) => Promise<void>
  readonly confirm: (reference: string) => Promise<void>
  readonly notification: (
    reference: string,
    at: Date,
    by?: string,
  ) => { readonly body: string; readonly headers: Record<string, string> }
  /** A refund of this amount fails after it succeeded, and what is said of it. */
  readonly failRefund: (reference: string, amount: string) => void
  readonly failure: (reference: string, at: Date) => ReturnType<Provider['notification']>
  readonly close: () => Promise<void>
}

async function external(): Promise<Provider> {
  const credentials = { key: 'merchant-7', secret: 'whsec-very-secret' }
  const gateway = await paymentGateway(credentials)
  const notification = (reference: string, at: Date, by?: string) => {
    const { signature, body } = gateway.notification(reference, at, by)
    return { body, headers: { 'payment-signature': signature } }
  }
  return {
    ...gateway,
    input: { paymentMethodUrl: gateway.url, ...credentials },
    secrets: /whsec|merchant-7/,
    redirectOf: (reference) => `https://bank.example/confirm/${reference}`,
    visit: async () => {},
    confirm: async (reference) => gateway.confirm(reference),
    notification,
    failure: notification,
  }
}

let stripe: Awaited<ReturnType<typeof stripeServer>>
async function ofStripe(): Promise<Provider> {
  const credentials = { key: 'sk_test_merchant7', secret: 'whsec_verySecret' }
  stripe = await stripeServer(credentials)
  return {
    ...stripe,
    input: { type: 'STRIPE', ...credentials, secret: `whsec_theOneBefore,${credentials.secret}` },
    secrets: /whsec|merchant7/,
    redirectOf: (reference) => `${stripe.url}/c/pay/${reference}`,
    async visit(reference) {
      const { authorized } = stripe.shown(reference)
      const price = String(stripe.amountOf(reference))
      if (authorized !== '0' || price.endsWith('03')) return
      await stripe.pay(reference, price.endsWith('05') ? 'declined' : 'good')
      if (price.endsWith('05')) stripe.expire(reference)
    },
    confirm: async (reference) => {
      await stripe.pay(reference, 'good')
    },
    notification: (reference, at, by) => stripe.event({ object: 'checkout.session', id: reference, status: 'open' }, at, by),
    failure: (reference, at) =>
      stripe.event({ object: 'refund', id: 're_1', payment_intent: stripe.intentOf(reference), status: 'failed' }, at),
  }
}
const KINDS = { 'an external gateway': external, Stripe: ofStripe }

beforeAll(async () => {
  gateways = { 'an external gateway': await external(), Stripe: await ofStripe() }
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1', stripe: stripe.api },
  })
  const server = createServer((request, response) =>
    stack.subgraph.httpRoutes?.handle(request, response, { requestId: 'test', address: '127.0.0.1' }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  routes = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
})
afterAll(async () => {
  routes?.close()
  for (const { close } of Object.values(gateways ?? {})) await close()
  await stack?.close()
})

const send = (path: string, headers: Record<string, string>, body: string) =>
  fetch(`${routes.url}${path}`, { method: 'POST', headers, body }).then(({ status }) => status)

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('payments through %s', (kind) => {
  let gateway: Provider
  let shop: TestStore
  let shopper: ReturnType<typeof storefrontShopper>
  let method: string
  /** URL for notifications of the gateway. */
  let path: string
  beforeAll(async () => {
    gateway = gateways[kind]
    shop = await stack.aStore({ name: 'Pottery' })
    shopper = storefrontShopper(stack, shop)
    method = await shopper.aGateway(gateway.input)
    const { paymentMethod } = await shopper.merchant('query ($id: ID!) { paymentMethod(id: $id) { number } }', { id: method })
    path = `/payments/${shop.storeId}/${paymentMethod.number}`
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
    const number = order.number as number
    const shown = order.payment as { status: string; redirectUrl: string | null }
    if (shown.status === 'REQUIRES_ACTION') {
      await gateway.visit(reference)
      await notify(reference)
    }
    const { payments } = await orderOf(number)
    return { product, number, shown, status: payments[0].status as string, reference, secret: secret as string }
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
    if (data.retried.order?.payment.status === 'REQUIRES_ACTION') {
      const reference = gateway.ids().at(-1) ?? ''
      await gateway.visit(reference)
      await notify(reference)
    }
    return data.retried
  }
  const orderOf = async (number: number) =>
    (
      await shopper.merchant(
        'query ($id: ID!) { order(id: $id) { status total refunded payments { id status amount authorized captured voided refunded open reference } } }',
        { id: String(number) },
      )
    ).order
  const notify = (reference: string, at = now, by?: string) => {
    const { headers, body } = gateway.notification(reference, at, by)
    return send(path, headers, body)
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
    const rows = await stack.sql(
      'SELECT reference, authorized::text, captured::text, voided::text, (refunded - refunds_failed)::text AS refunded FROM payment WHERE store_id = $1',
      [shop.storeId],
    )
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

  // At the end of every test: what was lost on the way is said again.
  afterEach(async () => {
    Object.assign(gateway.faults, { loseAnswer: 0, unavailable: 0, refuse: 0 })
    for (const { reference } of await stack.sql('SELECT reference FROM payment WHERE store_id = $1 AND reference IS NOT NULL', [
      shop.storeId,
    ]))
      await notify(String(reference))
    await check()
    await expectBalancedBooks(stack, { throughGateway: true })
  })

  test('a payment is authorized, captured, and its order paid, as soon as the shopper paid', async () => {
    const { number, product } = await buy('12.50')
    expect(await orderOf(number)).toMatchObject({
      status: 'PAID',
      payments: [
        { status: 'AUTHORIZED', amount: '12.5', authorized: '12.5', captured: '12.5', voided: '0', refunded: '0', open: '0' },
      ],
    })
    expect([await ledger(number), await shopper.stockOf(product)]).toEqual([[['PAYMENT', 12.5]], 9])
  })

  test('3-D Secure: the shopper is led to the bank, and the order is paid when the gateway says so, however often', async () => {
    const { number, shown, reference } = await buy('20.03')
    expect(shown).toEqual({ status: 'REQUIRES_ACTION', redirectUrl: gateway.redirectOf(reference) })
    expect(await notify(reference)).toBe(200)
    expect((await orderOf(number)).status).toBe('PENDING_PAYMENT')
    await gateway.confirm(reference)
    await Promise.all(Array.from({ length: 5 }, () => notify(reference)))
    expect(await orderOf(number)).toMatchObject({ status: 'PAID', payments: [{ captured: '20.03' }] })
    expect(await ledger(number)).toEqual([['PAYMENT', 20.03]])
  })

  test('a declined payment leaves the order unpaid, until its stock is freed', async () => {
    const { number, status, product } = await buy('7.05', 1)
    expect([status, (await orderOf(number)).status, await shopper.stockOf(product)]).toEqual(['FAILED', 'PENDING_PAYMENT', 0])
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
  })

  test('lost answers, lost notifications and an unavailable gateway: the payment is made once', async () => {
    Object.assign(gateway.faults, { loseAnswer: 1 })
    const sessions = gateway.ids().length
    const { number, shown } = await buy('9')
    expect(shown.status).toBe('PENDING')
    Object.assign(gateway.faults, { unavailable: 1 })
    now = new Date(now.getTime() + 60_000)
    await stack.subgraph.runCheckoutJobs()
    Object.assign(gateway.faults, { loseAnswer: 1 })
    for (let minute = 0; minute < 3; minute += 1) {
      now = new Date(now.getTime() + 60_000)
      await Promise.all([stack.subgraph.runCheckoutJobs(), stack.subgraph.runCheckoutJobs()])
      await gateway.visit(gateway.ids()[sessions] ?? '')
    }
    expect(await orderOf(number)).toMatchObject({ status: 'PAID', payments: [{ authorized: '9', captured: '9' }] })
    expect(await ledger(number)).toEqual([['PAYMENT', 9]])
  })

  test('a payment after the expiry of the order is captured while there is stock, and voided otherwise', async () => {
    const [unpaid, lost] = [await buy('5.03', 1), await buy('6.03', 1)]
    now = new Date(now.getTime() + 31 * 60_000)
    await stack.subgraph.runCheckoutJobs()
    expect((await orderOf(unpaid.number)).status).toBe('ABANDONED')
    await shopper.updateProduct(lost.product, { stock: 0 })
    await gateway.confirm(unpaid.reference)
    await gateway.confirm(lost.reference)
    expect([await notify(unpaid.reference), await notify(lost.reference)]).toEqual([200, 200])
    expect(await orderOf(unpaid.number)).toMatchObject({ status: 'PAID', payments: [{ captured: '5.03', voided: '0' }] })
    expect(await orderOf(lost.number)).toMatchObject({
      status: 'ABANDONED',
      payments: [{ captured: '0', voided: '6.03', open: '0' }],
    })
    expect([await shopper.stockOf(unpaid.product), await ledger(lost.number)]).toEqual([0, []])
  })

  test('of two authorizations that arrive late for one order, one is captured and the other voided', async () => {
    const { number, reference: first, secret } = await buy('8.03')
    // The shopper gave up, as far as the store can tell.
    await stack.sql(`UPDATE payment SET status = 'FAILED' WHERE store_id = $1 AND reference = $2`, [shop.storeId, first])
    expect((await retry(secret)).__typename).toBe('RetryStorefrontPaymentSuccess')
    const second = gateway.ids().at(-1) ?? ''
    await gateway.confirm(first)
    await gateway.confirm(second)
    // The question how it is passes; the capture stays under way.
    const requests = gateway.requests.length
    const answered = notify(first)
    while (gateway.requests.length === requests) await new Promise((resolve) => setImmediate(resolve))
    Object.assign(gateway.faults, { unavailable: 1 })
    await answered
    expect((await orderOf(number)).status).toBe('PENDING_PAYMENT')
    await notify(second)
    now = new Date(now.getTime() + 60_000)
    await stack.subgraph.runCheckoutJobs()
    expect(await orderOf(number)).toMatchObject({
      status: 'PAID',
      payments: [
        { captured: '8.03', voided: '0', refunded: '0' },
        { captured: '0', voided: '8.03', refunded: '0' },
      ],
    })
    expect(await ledger(number)).toEqual([['PAYMENT', 8.03]])
  })

  test('an order that was canceled before captures no money', async () => {
    const { number, reference } = await buy('8.03')
    await shopper.merchant('mutation ($id: ID!) { cancelOrder(id: $id, input: {}) { __typename } }', { id: String(number) })
    await gateway.confirm(reference)
    await notify(reference)
    expect(await orderOf(number)).toMatchObject({ status: 'CANCELED', payments: [{ captured: '0', voided: '8.03' }] })
  })

  const sendNotification = (said: ReturnType<Provider['notification']>) => send(path, said.headers, said.body)
  const bookOf = async (number: number) =>
    (
      await shopper.merchant(
        `query ($id: ID!) { order(id: $id) { total refunded balanceDue refundDue refunds { amount failedAmount } payments { id captured refunded refundsFailed }
          history(first: 250) { nodes { message } } } }`,
        { id: String(number) },
      )
    ).order
  const failuresIn = ({ history }: { history: { nodes: { message: string }[] } }) =>
    history.nodes.filter(({ message }) => message.includes('failed at the gateway')).map(({ message }) => message)

  test('a refund that fails later is in the ledger as failed once, however often that is said, and can be paid again', async () => {
    const { number, reference } = await buy('30')
    const [{ id }] = (await orderOf(number)).payments
    await operation('refundPayment', id, { amount: '4' })
    await operation('refundPayment', id, { amount: '10' })
    gateway.failRefund(reference, '10')
    const events = async () => (await shopper.events()).filter((each) => each.event === 'order_updated' && each.id === number)
    const before = (await events()).length
    const refundedToday = async () => {
      const { salesReport } = await shopper.merchant('{ salesReport(period: { period: TODAY }) { days { refunded } } }', {})
      return Number(salesReport.days[0].refunded)
    }
    const reported = await refundedToday()
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => sendNotification(gateway.failure(reference, now))),
      ...Array.from({ length: 5 }, () => notify(reference)),
    ])
    expect(new Set(answers)).toEqual(new Set([200]))
    const failed = await bookOf(number)
    expect(failed).toMatchObject({
      ...{ total: '30', refunded: '4', balanceDue: '0', refundDue: '0' },
      refunds: [
        { amount: '4', failedAmount: '0' },
        { amount: '10', failedAmount: '10' },
      ],
      payments: [{ captured: '30', refunded: '4', refundsFailed: '10' }],
    })
    expect(failuresIn(failed)).toEqual([expect.stringContaining('A refund of 10 EUR failed at the gateway')])
    expect((await events()).length).toBe(before + 1)
    expect(reported - (await refundedToday())).toBeCloseTo(10)
    const entries = [
      ['PAYMENT', 30],
      ['REFUND', -4],
      ['REFUND', -10],
      ['REFUND_FAILURE', 10],
    ]
    expect(await ledger(number)).toEqual(entries)
    await check()
    expect(await operation('refundPayment', id, { amount: '26.01' })).toMatchObject({ field: 'amount' })
    expect(await operation('refundPayment', id, {})).toMatchObject({ payment: { refunded: '30' } })
    await sendNotification(gateway.failure(reference, now))
    expect(await ledger(number)).toEqual([...entries, ['REFUND', -26]])
    expect(failuresIn(await bookOf(number))).toHaveLength(1)
  })

  test('a refund that failed before anything was known of it is neither in the ledger nor reported', async () => {
    const { number, reference } = await buy('30')
    const [{ id }] = (await orderOf(number)).payments
    Object.assign(gateway.faults, { loseAnswer: 1 })
    await operation('refundPayment', id, { amount: '10' })
    gateway.failRefund(reference, '10')
    for (let times = 0; times < 3; times += 1) await sendNotification(gateway.failure(reference, now))
    const book = await bookOf(number)
    expect(book).toMatchObject({ refunded: '0', refunds: [], payments: [{ refunded: '0', refundsFailed: '10' }] })
    expect([await ledger(number), failuresIn(book)]).toEqual([[['PAYMENT', 30]], []])
    expect(await operation('refundPayment', id, {})).toMatchObject({ payment: { refunded: '30' } })
    expect(await ledger(number)).toEqual([
      ['PAYMENT', 30],
      ['REFUND', -30],
    ])
  })

  test('a balance that an edit made due and that was paid back in vain is due again', async () => {
    const { number, reference } = await buy('30')
    const { lines } = (await shopper.merchant('query ($id: ID!) { order(id: $id) { lines { id } } }', { id: String(number) }))
      .order
    await shopper.merchant('mutation ($id: ID!, $input: EditOrderInput!) { editOrder(id: $id, input: $input) { __typename } }', {
      id: String(number),
      input: { setQuantities: [{ lineId: lines[0].id, quantity: 0 }], addLines: [{ name: 'Card', price: '18' }] },
    })
    const payBack = () =>
      shopper.merchant(
        'mutation ($id: ID!) { refundOrderBalance(id: $id, input: { throughGateway: true }) { __typename ... on ValidationError { message } } }',
        { id: String(number) },
      )
    await payBack()
    expect(await bookOf(number)).toMatchObject({ refundDue: '0', refunded: '0', payments: [{ refunded: '12' }] })
    gateway.failRefund(reference, '12')
    await sendNotification(gateway.failure(reference, now))
    expect(await bookOf(number)).toMatchObject({ refundDue: '12', refunded: '0', refunds: [], payments: [{ refunded: '0' }] })
    await payBack()
    expect(await bookOf(number)).toMatchObject({ refundDue: '0', payments: [{ refunded: '12', refundsFailed: '12' }] })
    expect(await ledger(number)).toEqual([
      ['PAYMENT', 30],
      ['REFUND', -12],
      ['REFUND_FAILURE', 12],
      ['REFUND', -12],
    ])
  })

  test('a capture that is refused frees the order', async () => {
    const { number, reference, product } = await buy('11.03', 1)
    await gateway.confirm(reference)
    const requests = gateway.requests.length
    // The question how it is passes; the capture does not.
    const answered = notify(reference)
    while (gateway.requests.length === requests) await new Promise((resolve) => setImmediate(resolve))
    Object.assign(gateway.faults, { refuse: 1 })
    await answered
    expect(await orderOf(number)).toMatchObject({ status: 'ABANDONED', payments: [{ captured: '0', open: '11.03' }] })
    expect(await shopper.stockOf(product)).toBe(1)
    const { payments } = await orderOf(number)
    // Stripe has no part of an authorization.
    if (kind === 'Stripe')
      expect(await operation('voidPayment', payments[0].id, { amount: '1' })).toMatchObject({ field: 'amount' })
    expect(await operation('voidPayment', payments[0].id, {})).toMatchObject({ payment: { voided: '11.03', open: '0' } })
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
  })

  test('a notification counts only with a fresh signature of the payment method', async () => {
    const { reference, number } = await buy('13.03')
    await gateway.confirm(reference)
    expect(await notify(reference, new Date(now.getTime() - 301_000))).toBe(401)
    expect(await notify(reference, now, 'another secret')).toBe(401)
    const { headers } = gateway.notification(reference, now)
    expect(await send(path, {}, '{}')).toBe(401)
    expect(await send(path, headers, '{"payment":"pay_other"}')).toBe(401)
    expect(await send('/payments/1/x', headers, '{}')).toBe(401)
    expect(await send(path, {}, 'x'.repeat(70_000))).toBe(413)
    expect((await orderOf(number)).status).toBe('PENDING_PAYMENT')
    expect(await notify(reference)).toBe(200)
    expect((await orderOf(number)).status).toBe('PAID')
  })

  test('what identifies the merchant to the gateway is nowhere that a shopper or the database shows', async () => {
    const { number } = await buy('3')
    const shown = JSON.stringify(await orderOf(number)) + JSON.stringify(await stack.sql('SELECT * FROM payment_operation'))
    expect(shown).not.toMatch(gateway.secrets)
  })
})

test('answers that overtake each other change nothing back', () => {
  const known = {
    status: 'AUTHORIZED',
    redirectUrl: null,
    authorized: '10',
    captured: '10',
    voided: '0',
    refunded: '3',
    refundsFailed: '0',
  } as const
  const older = {
    reference: 'r',
    status: 'REQUIRES_ACTION',
    redirectUrl: null,
    authorized: '0',
    captured: '0',
    voided: '0',
    refunded: '0',
    refundsFailed: '0',
  } as const
  expect(mergedPayment(known, older)).toMatchObject(known)
  expect([openAmount(known), refundableAmount(known)]).toEqual(['0', '7'])
})
