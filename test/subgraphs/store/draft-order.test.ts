import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { agreedApp } from './support/app.ts'
import { expectBalancedBooks } from './support/books.ts'
import { paymentGateway } from './support/payment-gateway.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }
const now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let gatewayMethod: string
beforeAll(async () => {
  gateway = await paymentGateway(CREDENTIALS)
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
  gatewayMethod = await shopper.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS })
})
afterEach(() => expectBalancedBooks(stack))
afterAll(async () => {
  await gateway.close()
  await stack.close()
})

const DRAFT = `id number status contents currency total version invoiceUrl
  order { number status total discount shipping customer { email } source { createdFrom } lines { name quantity price total allocations { quantity } } }`
const FAILURES = `... on DraftOrderNotOpen { message status } ... on InsufficientStock { message } ... on ValidationError { field message }
  ... on NotFoundError { message } ... on ConflictError { message }`
const change = async (field: string, type: string, variables: object) => {
  const isNew = field === 'createDraftOrder'
  return (
    await shopper.merchant(
      `mutation (${isNew ? '' : '$id: ID!, '}$input: ${type}Input!) { result: ${field}(${isNew ? '' : 'id: $id, '}input: $input) { __typename ... on DraftOrderSuccess { draftOrder { ${DRAFT} } } ${FAILURES} } }`,
      variables,
    )
  ).result
}
const create = (contents: object, more: object = {}) =>
  change('createDraftOrder', 'CreateDraftOrder', { input: { contents, ...more } })
const update = (id: string, contents: object, more: object = {}) =>
  change('updateDraftOrder', 'UpdateDraftOrder', { id, input: { contents, ...more } })
const cancel = (id: string) => change('cancelDraftOrder', 'CancelDraftOrder', { id, input: {} })
const complete = (id: string, input: object = {}) => change('completeDraftOrder', 'CompleteDraftOrder', { id, input })
const calculate = async (id: string) =>
  (
    await shopper.merchant(
      'query ($id: ID!) { result: calculateDraftOrder(id: $id) { __typename ... on CalculatedOrder { total discount shortages { wanted available } lines { total } } ... on NotFoundError { message } } }',
      { id },
    )
  ).result
const aProduct = (price: string, stock = 10) => shopper.aProduct({ price, stock, shippingRequired: false })
const aDraft = async (contents: object): Promise<string> => {
  const result = await create(contents)
  expect(result).toMatchObject({ __typename: 'DraftOrderSuccess' })
  return result.draftOrder.id
}

describe('a draft order', () => {
  test('is priced by the one calculation, reserves nothing, and becomes an order with the same amounts', async () => {
    await shopper.aCoupon('TEN', 10)
    const cup = await aProduct('10')
    const contents = {
      customer: { email: 'Ana@example.org', fullname: 'Ana' },
      lines: [
        { productId: cup, quantity: 2 },
        { name: 'Engraving', price: '5.5', discount: '0.5' },
      ],
      ...{ discount: '3', shippingPrice: '4', applyPromotions: true, couponCodes: ['TEN'] },
    }
    const { draftOrder } = await create(contents)
    // 25 - 10 % - 3 + 4
    expect(draftOrder).toMatchObject({
      status: 'OPEN',
      total: '23.5',
      currency: 'EUR',
      order: null,
      invoiceUrl: null,
      version: 1,
    })
    expect(draftOrder.contents).toMatchObject({ discount: '3', couponCodes: ['TEN'] })
    expect(await shopper.stockOf(cup)).toBe(10)
    expect(await calculate(draftOrder.id)).toMatchObject({ __typename: 'CalculatedOrder', total: '23.5', shortages: [] })
    const done = await complete(draftOrder.id, { expectedTotal: '23.5' })
    expect(done.draftOrder).toMatchObject({
      status: 'COMPLETED',
      order: {
        ...{ status: 'PENDING_PAYMENT', total: '23.5', shipping: '4', customer: { email: 'Ana@example.org' } },
        source: { createdFrom: 'draft_order' },
        lines: [
          { quantity: 2, allocations: [{ quantity: 2 }] },
          { name: 'Engraving', quantity: 1, price: '5.5', allocations: [] },
        ],
      },
    })
    expect(await shopper.stockOf(cup)).toBe(8)
  })

  test('of before the store changed its currency is no order in the new one before it is updated', async () => {
    const currency = (code: string) =>
      shopper.merchant('mutation ($code: String!) { updateStore(input: { currency: $code }) { __typename } }', { code })
    const contents = { lines: [{ name: 'Engraving', price: '50' }] }
    const id = await aDraft(contents)
    await currency('USD')
    expect(await complete(id, { expectedTotal: '50' })).toMatchObject({
      __typename: 'ConflictError',
      message: 'Expected an order in EUR, but it is in USD now: update the draft first.',
    })
    expect((await update(id, contents)).draftOrder).toMatchObject({ status: 'OPEN', currency: 'USD', total: '50' })
    expect((await complete(id)).draftOrder).toMatchObject({ status: 'COMPLETED', order: { total: '50' } })
    await currency('EUR')
  })

  test('becomes an order once, whatever the number of requests and keys', async () => {
    const cup = await aProduct('10', 50)
    const id = await aDraft({ lines: [{ productId: cup, quantity: 2 }] })
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => complete(id, index % 2 ? { idempotencyKey: `${id}${index}` } : {})),
    )
    expect(new Set(results.map(({ draftOrder }) => draftOrder.order.number)).size).toBe(1)
    expect(await shopper.stockOf(cup)).toBe(48)
    const [{ count } = {}] = await stack.sql(
      `SELECT count(*)::integer FROM "order" WHERE store_id = $1 AND source ->> 'createdFrom' = 'draft_order' AND total = 20`,
      [shop.storeId],
    )
    expect(count).toBe(1)
  })

  test('is paid by the link of its order: by a gateway, with authentication where that wants it', async () => {
    const cup = await aProduct('7.03')
    const id = await aDraft({
      customer: { email: 'ana@example.org' },
      lines: [{ productId: cup }],
      paymentMethodId: gatewayMethod,
    })
    const before = gateway.ids().length
    const twenty = await Promise.all(Array.from({ length: 20 }, () => complete(id)))
    expect(gateway.ids()).toHaveLength(before + 1)
    const { order, invoiceUrl } = twenty[0].draftOrder
    const [, code, secret] = /\/shops\/([\w-]+)\/orders\/([\w-]{32})$/.exec(invoiceUrl) ?? []
    const shown = () =>
      stack.ask(
        ANONYMOUS,
        'query ($code: String!, $secret: String!) { shopOrder(code: $code, secret: $secret) { number status total payment { status redirectUrl } } }',
        { code, secret },
      )
    expect((await shown()).data.shopOrder).toMatchObject({
      number: order.number,
      total: '7.03',
      payment: { status: 'REQUIRES_ACTION', redirectUrl: expect.stringContaining('https://bank.example') },
    })
    gateway.confirm(gateway.ids().at(-1) ?? '')
    const [payment] = await stack.sql('SELECT id FROM payment WHERE store_id = $1 AND order_id = $2', [
      shop.storeId,
      order.number,
    ])
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { payments { id } } }', {
      id: String(order.number),
    })
    expect([own.payments.length, payment !== undefined]).toEqual([1, true])
    await stack.sql('UPDATE payment SET updated_at = $1 WHERE store_id = $2', [new Date(0), shop.storeId])
    await stack.subgraph.runCheckoutJobs()
    expect((await shown()).data.shopOrder).toMatchObject({ status: 'PAID' })
  })

  test('that is paid already becomes a paid order, in the ledger once, without a gateway', async () => {
    const id = await aDraft({ lines: [{ name: 'Repair', price: '12.5' }], paymentMethodId: gatewayMethod })
    const before = gateway.ids().length
    const { draftOrder } = await complete(id, { isPaid: true })
    expect([draftOrder.order.status, gateway.ids().length]).toEqual(['PAID', before])
    const entries = await stack.sql('SELECT amount::float8 FROM ledger_entry WHERE store_id = $1 AND order_id = $2', [
      shop.storeId,
      draftOrder.order.number,
    ])
    expect(entries).toEqual([{ amount: 12.5 }])
  })

  test('of another total or too little stock stays open, and is an order later', async () => {
    const cup = await aProduct('10', 1)
    const id = await aDraft({ lines: [{ productId: cup, quantity: 2 }] })
    expect(await calculate(id)).toMatchObject({ shortages: [{ wanted: 2, available: 1 }] })
    expect(await complete(id)).toMatchObject({ __typename: 'InsufficientStock' })
    await shopper.updateProduct(cup, { stock: 5 })
    expect(await complete(id, { expectedTotal: '19' })).toMatchObject({ __typename: 'ConflictError' })
    expect(await shopper.stockOf(cup)).toBe(5)
    expect((await complete(id, { expectedTotal: '20' })).draftOrder).toMatchObject({ status: 'COMPLETED' })
  })

  test('is changed as a whole, and not after it ended', async () => {
    const id = await aDraft({ lines: [{ name: 'Repair', price: '12' }] })
    expect((await update(id, { lines: [{ name: 'Repair', price: '9' }] }, { expectedVersion: 1 })).draftOrder).toMatchObject({
      total: '9',
      version: 2,
    })
    expect(await update(id, { lines: [{ name: 'Repair', price: '8' }] }, { expectedVersion: 1 })).toMatchObject({
      __typename: 'ConflictError',
    })
    expect((await cancel(id)).draftOrder.status).toBe('CANCELED')
    for (const result of [await cancel(id), await complete(id), await update(id, { lines: [{ name: 'Repair', price: '8' }] })])
      expect(result).toMatchObject({ __typename: 'DraftOrderNotOpen', status: 'CANCELED' })
    const done = await aDraft({ lines: [{ name: 'Repair', price: '12' }] })
    await complete(done)
    expect(await update(done, { lines: [{ name: 'Repair', price: '8' }] })).toMatchObject({
      __typename: 'DraftOrderNotOpen',
      status: 'COMPLETED',
    })
  })

  test.each([
    { contents: { lines: [] }, failure: { field: 'contents.lines' } },
    { contents: { lines: [{ name: 'Repair' }] }, failure: { field: 'contents.lines.0.price' } },
    { contents: { lines: [{ name: 'Repair', price: '1', quantity: 0 }] }, failure: { field: 'contents.lines.0.quantity' } },
    { contents: { lines: [{ name: 'Repair', price: '1' }], discount: '-1' }, failure: { field: 'contents.discount' } },
    {
      contents: { lines: [{ name: 'Repair', price: '1' }], customer: { email: 'nobody' } },
      failure: { field: 'contents.customer.email' },
    },
    { contents: { lines: [{ name: 'Repair', price: '1' }], couponCodes: ['X'] }, failure: { field: 'contents.couponCodes' } },
    ...['\0', '\ud800', 'x'.repeat(101)].map((code) => ({
      contents: { lines: [{ name: 'Repair', price: '1' }], applyPromotions: true, couponCodes: ['TEN', code] },
      failure: { field: 'contents.couponCodes.1' },
    })),
    { contents: { lines: [{ productId: '999999' }] }, failure: { __typename: 'NotFoundError' } },
    { contents: { lines: [{ name: 'Yacht', price: '9999999999', quantity: 1_000 }] }, failure: { field: 'contents.lines' } },
  ])('with $contents is refused: $failure', async ({ contents, failure }) => {
    expect(await create(contents)).toMatchObject(failure)
  })

  test('belongs to its store and the scopes of orders, and is limited in number', async () => {
    const id = await aDraft({ lines: [{ name: 'Repair', price: '12' }] })
    const other = await stack.aStore({ name: 'Other' })
    const READ = 'query ($id: ID!) { draftOrder(id: $id) { id } draftOrders { totalCount } }'
    expect((await stack.ask(other, READ, { id })).data).toEqual({ draftOrder: null, draftOrders: { totalCount: 0 } })
    const COMPLETE = 'mutation ($id: ID!) { completeDraftOrder(id: $id, input: {}) { __typename } }'
    expect((await stack.ask(other, COMPLETE, { id })).data).toEqual({ completeDraftOrder: { __typename: 'NotFoundError' } })
    const app = await agreedApp(stack, shop, { scopes: SCOPES.filter((scope) => !scope.endsWith('_orders')) })
    for (const query of [READ, COMPLETE])
      expect((await stack.ask(app.caller, query, { id })).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    await stack.sql(
      `INSERT INTO draft_order (store_id, contents, currency, total, created_at, updated_at)
       SELECT $1, '{}', 'EUR', 1, now(), now() FROM generate_series(1, 1000 - (SELECT count(*)::integer FROM draft_order WHERE store_id = $1 AND status = 'OPEN'))`,
      [shop.storeId],
    )
    expect(await create({ lines: [{ name: 'Repair', price: '12' }] })).toMatchObject({ field: 'contents' })
    await stack.sql(`DELETE FROM draft_order WHERE store_id = $1 AND contents = '{}'`, [shop.storeId])
  })

  test('is erased with its customer', async () => {
    const id = await aDraft({ customer: { email: 'Eve@example.org', fullname: 'Eve' }, lines: [{ name: 'Repair', price: '12' }] })
    const { draftOrder } = await complete(id)
    const open = await aDraft({ customer: { email: 'eve@example.org' }, lines: [{ name: 'Repair', price: '3' }] })
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { customer { customer { id } } } }', {
      id: String(draftOrder.order.number),
    })
    await shopper.merchant('mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: own.customer.customer.id })
    expect(await stack.sql(`SELECT id FROM draft_order WHERE contents::text ILIKE '%eve@example.org%'`)).toEqual([])
    expect((await complete(open)).__typename).toBe('NotFoundError')
  })

  test('is erased with its order when its customer has another e-mail address by then', async () => {
    const id = await aDraft({
      customer: { email: 'fay@example.org', fullname: 'Fay Roe' },
      lines: [{ name: 'Repair', price: '12' }],
    })
    const { draftOrder } = await complete(id)
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { customer { customer { id } } } }', {
      id: String(draftOrder.order.number),
    })
    const customer = own.customer.customer.id
    const { moved } = await shopper.merchant(
      'mutation ($id: ID!) { moved: updateCustomer(id: $id, input: {email: "roe@example.org"}) { __typename } }',
      { id: customer },
    )
    expect(moved.__typename).toBe('UpdateCustomerSuccess')
    await shopper.merchant('mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: customer })
    expect(await stack.sql(`SELECT id FROM draft_order WHERE contents::text ILIKE '%fay%'`)).toEqual([])
  })

  test('that costs nothing is PAID when it is completed', async () => {
    const id = await aDraft({ lines: [{ name: 'A present', price: '0' }] })
    expect(await complete(id)).toMatchObject({ draftOrder: { status: 'COMPLETED', order: { total: '0', status: 'PAID' } } })
  })
})
