import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { applyPayment } from '../../../../subgraphs/store/payment/actions.ts'
import { paymentRepository } from '../../../../subgraphs/store/payment/repository.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { write } from '../../../../subgraphs/store/write.ts'
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
  const amounts = { authorized: '100', voided: '0', refunded: '0' }
  const [payment] = await payments.findByIds(shop.storeId, [id])
  if (!payment) throw new Error('Expected the payment.')
  const reference = `unknown-${id}`
  await payments.update(shop.storeId, { ...payment, ...amounts, captured, reference, status: 'AUTHORIZED' }, now)
  return {
    captures: (amount: string) =>
      write(
        database.query,
        { storeId: shop.storeId, now, announce: async () => {}, secrets: PLAIN_SECRETS, by: null },
        { name: 'test', input: null, key: null },
        (unit) =>
          applyPayment(unit, id, { ...amounts, captured: amount, reference, status: 'AUTHORIZED', redirectUrl: null }, null),
      ),
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
