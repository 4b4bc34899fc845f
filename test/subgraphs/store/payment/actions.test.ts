import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { applyPayment } from '../../../../subgraphs/store/payment/actions.ts'
import { paymentRepository } from '../../../../subgraphs/store/payment/repository.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { write } from '../../../../subgraphs/store/write.ts'
import { expectBalancedBooks } from '../support/books.ts'
import { paymentGateway } from '../support/payment-gateway.ts'
import { storefrontShopper } from '../support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'

const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }
const now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let database: ReturnType<typeof openDatabase<Tables>>
let methodNumber: number
let productId: string
beforeAll(async () => {
  gateway = await paymentGateway(CREDENTIALS)
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  shop = await stack.aStore()
  shopper = storefrontShopper(stack, shop)
  await shopper.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS })
  const [method] = await stack.sql('SELECT id FROM store.payment_method WHERE store_id = $1 ORDER BY id DESC', [shop.storeId])
  methodNumber = Number(method?.id)
  const { made } = await shopper.merchant(
    'mutation { made: createProduct(input: { name: "Lamp", price: "60", stock: 100 }) { ... on CreateProductSuccess { product { id } } } }',
  )
  productId = made.product.id
  database = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 2, onError: () => {} })
})
afterEach(() => expectBalancedBooks(stack))
afterAll(async () => {
  await database?.close()
  await gateway?.close()
  await stack?.close()
})

const orderOf = async (status: 'PAID' | 'CANCELED' | 'PENDING_PAYMENT'): Promise<number> => {
  const { result } = await shopper.merchant(
    'mutation ($input: CreateOrderInput!) { result: createOrder(input: $input) { ... on CreateOrderSuccess { order { number } } } }',
    { input: { status, lines: [{ productId }] } },
  )
  return result.order.number
}

/** A payment of 100 of an order, of which so much is captured already. */
async function paymentOf(orderId: number, captured: string) {
  const payments = paymentRepository(database.query)
  const input = { orderId, paymentMethodId: methodNumber, currency: 'EUR', amount: '100' }
  const id = await payments.insert(shop.storeId, input, now)
  const amounts = { authorized: '100', voided: '0', refunded: '0', refundsFailed: '0' }
  const [payment] = await payments.findByIds(shop.storeId, [id])
  if (!payment) throw new Error('Expected the payment.')
  const reference = `unknown-${id}`
  await payments.update(shop.storeId, { ...payment, ...amounts, captured, reference, status: 'AUTHORIZED' }, now)
  const answers = (said: Partial<typeof amounts> & { readonly captured: string }) =>
    write(
      database.query,
      { storeId: shop.storeId, now, announce: async () => {}, secrets: PLAIN_SECRETS, by: null },
      { name: 'test', input: null, key: null },
      (unit) => applyPayment(unit, id, { ...amounts, ...said, reference, status: 'AUTHORIZED', redirectUrl: null }, null),
    )
  return {
    id,
    answers,
    captures: (captured: string) => answers({ captured }),
    state: async () => (await payments.findByIds(shop.storeId, [id]))[0],
    refunds: async () =>
      (
        await stack.sql(
          `SELECT amount::float8 AS amount FROM store.payment_operation WHERE store_id = $1 AND payment_id = $2 AND kind = 'REFUND' ORDER BY id`,
          [shop.storeId, id],
        )
      ).map(({ amount }) => amount),
  }
}

describe('what is captured of an order that does not need it', () => {
  test('is paid back, and nothing of what paid for the order before', async () => {
    const payment = await paymentOf(await orderOf('PAID'), '60')
    await payment.captures('100')
    expect(await payment.refunds()).toEqual([40])
  })

  test('is paid back once when it is captured in parts', async () => {
    const payment = await paymentOf(await orderOf('CANCELED'), '0')
    await payment.captures('60')
    await payment.captures('100')
    expect(await payment.refunds()).toEqual([60, 40])
  })
})

describe('a refund that fails later', () => {
  const ledgerOf = async (orderId: number) =>
    (await stack.sql('SELECT amount::float8 AS amount FROM store.ledger_entry WHERE order_id = $1 ORDER BY id', [orderId])).map(
      ({ amount }) => amount,
    )

  test('of money that paid for no order changes no ledger, also where the order had another refund', async () => {
    const order = await orderOf('PAID')
    await shopper.refund(order, { amount: '5' })
    const payment = await paymentOf(order, '0')
    await payment.captures('100')
    expect(await payment.refunds()).toEqual([100])
    await payment.answers({ captured: '100', refunded: '100' })
    await payment.answers({ captured: '100', refunded: '100', refundsFailed: '100' })
    expect(await ledgerOf(order)).toEqual([60, -5])
    expect(await payment.state()).toMatchObject({ refundsBooked: '0.0000', refundsEntered: '0.0000' })
  })

  test('is entered once, whatever answers of before and after it arrive then', async () => {
    const order = await orderOf('PAID')
    const payment = await paymentOf(order, '60')
    const [succeeded, failed] = [
      { captured: '60', refunded: '20' },
      { captured: '60', refunded: '20', refundsFailed: '20' },
    ]
    for (const said of [succeeded, failed, succeeded, { captured: '60' }, failed, succeeded]) await payment.answers(said)
    expect(await ledgerOf(order)).toEqual([60, -20, 20])
    // The next one is of the whole payment, and a part of it fails.
    await payment.answers({ captured: '60', refunded: '80', refundsFailed: '20' })
    await payment.answers({ captured: '60', refunded: '80', refundsFailed: '50' })
    await payment.answers({ captured: '60', refunded: '80', refundsFailed: '20' })
    expect(await ledgerOf(order)).toEqual([60, -20, 20, -60, 30])
    const [row] = await stack.sql('SELECT refunded::float8 AS refunded FROM store."order" WHERE id = $1', [order])
    expect(row).toEqual({ refunded: 30 })
  })

  const book = (id: number, amount: string) =>
    stack.sql(
      'UPDATE store.payment SET refunds_booked = refunds_booked + $2, refunds_entered = refunds_entered + $2 WHERE id = $1',
      [id, amount],
    )

  test('is entered beside a later one that succeeded in the same answer, and when it failed before its first answer', async () => {
    const order = await orderOf('PAID')
    const payment = await paymentOf(order, '60')
    await payment.answers({ captured: '60', refunded: '5' })
    // As `refundOrder` through the gateway enters it before the gateway answers.
    await shopper.refund(order, { amount: '12' })
    await book(payment.id, '12')
    await payment.answers({ captured: '60', refunded: '17', refundsFailed: '5' })
    expect(await ledgerOf(order)).toEqual([60, -5, -12, 5])
    await shopper.refund(order, { amount: '7' })
    await book(payment.id, '7')
    for (let times = 0; times < 2; times++) await payment.answers({ captured: '60', refunded: '24', refundsFailed: '12' })
    expect(await ledgerOf(order)).toEqual([60, -5, -12, 5, -7, 7])
    // Nothing was entered of one that failed before anybody knew it.
    await payment.answers({ captured: '60', refunded: '33', refundsFailed: '21' })
    expect(await ledgerOf(order)).toHaveLength(6)
    expect(await payment.state()).toMatchObject({ refundsBooked: '12.0000', refundsEntered: '12.0000' })
  })
})
