import fc from 'fast-check'
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

const AMOUNTS = 'subtotal tax shipping shippingTax discount shippingDiscount giftCardsDiscount total'
const ORDER = `number status version ${AMOUNTS} refunded balanceDue refundDue fulfillmentStatus
  lines { id number name quantity price discount tax total allocations { quantity } }`
const FAILURES = `... on OrderEditRefused { code message lineNumber } ... on InsufficientStock { message } ... on ValidationError { field message }
  ... on NotFoundError { message } ... on ConflictError { message }`
const created = async (input: object) => {
  const { result } = await shopper.merchant(
    `mutation ($input: CreateOrderInput!) { result: createOrder(input: $input) { __typename ... on CreateOrderSuccess { order { ${ORDER} } } ... on ValidationError { message } ... on InsufficientStock { message } } }`,
    { input },
  )
  expect(result).toMatchObject({ __typename: 'CreateOrderSuccess' })
  return result.order
}
const edit = async (number: number, input: object, by = shopper) =>
  (
    await by.merchant(
      `mutation ($id: ID!, $input: EditOrderInput!) { result: editOrder(id: $id, input: $input) { __typename ... on EditOrderSuccess { order { ${ORDER} } } ${FAILURES} } }`,
      { id: String(number), input },
    )
  ).result
const balance = async (what: 'pay' | 'refund', number: number, input: object = {}, by = shopper) =>
  (
    await by.merchant(
      `mutation ($id: ID!, $input: OrderBalanceInput!) { result: ${what}OrderBalance(id: $id, input: $input) { __typename
        ... on OrderBalanceSuccess { order { total refunded balanceDue refundDue } } ... on ValidationError { field message } } }`,
      { id: String(number), input },
    )
  ).result
const orderOf = async (number: number, by = shopper) =>
  (
    await by.merchant(`query ($id: ID!) { order(id: $id) { ${ORDER} history(first: 250) { nodes { message log } } } }`, {
      id: String(number),
    })
  ).order
const fulfil = (number: number, by = shopper) =>
  by.merchant('mutation ($id: ID!) { updateOrder(id: $id, input: {shipmentStatus: REQUESTED}) { __typename } }', {
    id: String(number),
  })
const ledger = async (number: number, of = shop) =>
  (
    await stack.sql('SELECT kind, amount::float8 AS amount FROM ledger_entry WHERE store_id = $1 AND order_id = $2 ORDER BY id', [
      of.storeId,
      number,
    ])
  ).map(({ kind, amount }) => [kind, amount])
const EXCLUSIVE = 'mutation { updateTaxSettings(input: {pricesIncludeTax: false}) { __typename } }'
const aProduct = (price: string, stock = 10) => shopper.aProduct({ price, stock, shippingRequired: false })

/** Three of a product for 4, which a gateway was paid 12 for. */
const paidByGateway = async () => {
  const cup = await aProduct('4', 100)
  const { token } = await shopper.create([{ productId: cup, quantity: 3 }])
  await shopper.update(token, { email: 'ana@example.org', paymentMethodId: gatewayMethod })
  const { order } = await shopper.complete(token, '12')
  const reference = gateway.ids().at(-1) ?? ''
  const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { lines { id } payments { id } } }', {
    id: String(order.number),
  })
  const refundAll = () =>
    shopper.merchant('mutation ($id: ID!) { refundPayment(id: $id, input: {}) { __typename } }', { id: own.payments[0].id })
  return { number: order.number as number, lineId: own.lines[0].id as string, reference, refundAll }
}

describe('an edit', () => {
  test('adds, removes and changes lines, reserves and releases their stock, and calculates the order again', async () => {
    const [cup, plate, bowl] = [await aProduct('10'), await aProduct('4'), await aProduct('7')]
    const order = await created({
      lines: [
        { productId: cup, quantity: 2 },
        { productId: plate, quantity: 3, discount: '3' },
      ],
      shippingPrice: '5',
    })
    expect([order.total, order.balanceDue]).toEqual(['34', '34'])
    const [first, second] = order.lines
    const result = await edit(order.number, {
      addLines: [
        { productId: bowl, quantity: 2 },
        { name: 'Engraving', price: '2.5' },
      ],
      setQuantities: [
        { lineId: first.id, quantity: 0 },
        { lineId: second.id, quantity: 2 },
      ],
    })
    expect(result.order).toMatchObject({
      ...{ subtotal: '24.5', discount: '2', shipping: '5', total: '27.5', balanceDue: '27.5', refundDue: '0' },
      lines: [
        { name: 'Lamp', quantity: 2, price: '4', discount: '2', total: '6', allocations: [{ quantity: 2 }] },
        { name: 'Lamp', quantity: 2, price: '7', total: '14', allocations: [{ quantity: 2 }] },
        { name: 'Engraving', quantity: 1, price: '2.5', total: '2.5', allocations: [] },
      ],
    })
    expect([await shopper.stockOf(cup), await shopper.stockOf(plate), await shopper.stockOf(bowl)]).toEqual([10, 8, 8])
    await shopper.cancel(order.number)
    expect([await shopper.stockOf(cup), await shopper.stockOf(plate), await shopper.stockOf(bowl)]).toEqual([10, 10, 10])
  })

  test.each([false, true])(
    'that changes nothing calculates every order as it was, where prices include tax: %s',
    async (pricesIncludeTax) => {
      await shopper.merchant('mutation ($on: Boolean!) { updateTaxSettings(input: {pricesIncludeTax: $on}) { __typename } }', {
        on: pricesIncludeTax,
      })
      await shopper.aTax({ name: 'VAT', rate: '23', country: 'PT' })
      const products = [await aProduct('9.99', 1_000_000), await aProduct('0.35', 1_000_000)]
      const cases = fc.record({
        lines: fc.array(
          fc.record({
            index: fc.nat({ max: 1 }),
            quantity: fc.integer({ min: 1, max: 9 }),
            cents: fc.integer({ min: 0, max: 30 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        shipping: fc.integer({ min: 0, max: 2_000 }),
      })
      await fc.assert(
        fc.asyncProperty(cases, async ({ lines, shipping }) => {
          const shippingPrice = (shipping / 100).toFixed(2)
          const order = await created({
            lines: lines.map(({ index, quantity, cents }) => ({
              productId: products[index],
              quantity,
              price: '1.37',
              discount: (cents / 100).toFixed(2),
            })),
            shippingPrice,
            customer: { email: 'ana@example.org', shippingAddress: { country: 'PT', city: 'Porto' } },
          })
          const [{ id, quantity }] = order.lines
          const { order: same } = await edit(order.number, { setQuantities: [{ lineId: id, quantity }] })
          expect({ ...same, version: 0 }).toEqual({ ...order, version: 0 })
          // There and back: units that come and go leave nothing behind.
          await edit(order.number, { setQuantities: [{ lineId: id, quantity: quantity + 5 }] })
          const { order: back } = await edit(order.number, { setQuantities: [{ lineId: id, quantity }] })
          expect([back.subtotal, back.shipping, back.shippingTax]).toEqual([order.subtotal, order.shipping, order.shippingTax])
        }),
        { numRuns: 12 },
      )
    },
  )

  test('of a paid order shows what is due, which is paid once, or paid back once', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ status: 'PAID', lines: [{ productId: cup, quantity: 3 }] })
    expect(order).toMatchObject({ balanceDue: '0', refundDue: '0' })
    const lineId = order.lines[0].id
    expect((await edit(order.number, { setQuantities: [{ lineId, quantity: 5 }] })).order).toMatchObject({
      total: '50',
      balanceDue: '20',
      refundDue: '0',
    })
    // What was not paid yet is not paid back.
    expect(await shopper.refund(order.number, { amount: '31' })).toMatchObject({ __typename: 'ValidationError' })
    expect(await balance('pay', order.number, { amount: '21' })).toMatchObject({ field: 'amount' })
    expect(await balance('refund', order.number)).toMatchObject({ field: 'amount' })
    const paid = await Promise.all(Array.from({ length: 20 }, () => balance('pay', order.number)))
    expect(paid.filter(({ __typename }) => __typename === 'OrderBalanceSuccess')).toHaveLength(1)
    expect((await edit(order.number, { setQuantities: [{ lineId, quantity: 1 }] })).order).toMatchObject({
      total: '10',
      balanceDue: '0',
      refundDue: '40',
    })
    expect(await balance('refund', order.number, { amount: '15' })).toMatchObject({ order: { refundDue: '25', refunded: '0' } })
    const back = await Promise.all(Array.from({ length: 20 }, () => balance('refund', order.number)))
    expect(back.filter(({ __typename }) => __typename === 'OrderBalanceSuccess')).toHaveLength(1)
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 30],
      ['PAYMENT', 20],
      ['REFUND', -15],
      ['REFUND', -25],
    ])
    expect(await shopper.refund(order.number, { amount: '11' })).toMatchObject({ __typename: 'ValidationError' })
    expect(await shopper.refund(order.number)).toMatchObject({ refund: { amount: '10' } })
    expect(await orderOf(order.number)).toMatchObject({ total: '10', refunded: '10', balanceDue: '0', refundDue: '0' })
  })

  test('of an order that a gateway was paid: what is due to the customer comes back through it, once', async () => {
    const cup = await aProduct('4', 100)
    const { token } = await shopper.create([{ productId: cup, quantity: 3 }])
    await shopper.update(token, { email: 'ana@example.org', paymentMethodId: gatewayMethod })
    const { order } = await shopper.complete(token, '12')
    const reference = gateway.ids().at(-1) ?? ''
    const { lines } = await orderOf(order.number)
    await edit(order.number, { setQuantities: [{ lineId: lines[0].id, quantity: 1 }] })
    expect(await balance('refund', order.number, { throughGateway: true, amount: '5' })).toMatchObject({
      order: { refundDue: '3' },
    })
    expect(gateway.shown(reference)).toMatchObject({ captured: '12', refunded: '5' })
    // Asked for at the payment itself, it is taken as the rest of the balance, and then as a refund.
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { payments { id } } }', {
      id: String(order.number),
    })
    await shopper.merchant('mutation ($id: ID!) { refundPayment(id: $id, input: {}) { __typename } }', { id: own.payments[0].id })
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 12],
      ['REFUND', -5],
      ['REFUND', -3],
      ['REFUND', -4],
    ])
    expect(await orderOf(order.number)).toMatchObject({ total: '4', refunded: '4', balanceDue: '0', refundDue: '0' })
  })

  test('leaves what is due to the customer due when the order is canceled', async () => {
    const { number, lineId, reference, refundAll } = await paidByGateway()
    await edit(number, { setQuantities: [{ lineId, quantity: 1 }] })
    await shopper.cancel(number)
    expect(await orderOf(number)).toMatchObject({ status: 'CANCELED', balanceDue: '0', refundDue: '8' })
    expect(await balance('pay', number)).toMatchObject({ field: 'id' })
    expect(await balance('refund', number, { throughGateway: true, amount: '3' })).toMatchObject({ order: { refundDue: '5' } })
    await refundAll()
    expect(gateway.shown(reference)).toMatchObject({ captured: '12', refunded: '12' })
    expect(await ledger(number)).toEqual([
      ['PAYMENT', 12],
      ['REFUND', -3],
      ['REFUND', -5],
      ['REFUND', -4],
    ])
    expect(await orderOf(number)).toMatchObject({ total: '4', refunded: '4', balanceDue: '0', refundDue: '0' })
    const unpaid = await created({ lines: [{ productId: await aProduct('10'), quantity: 1 }] })
    await shopper.cancel(unpaid.number)
    expect(await orderOf(unpaid.number)).toMatchObject({ balanceDue: '0', refundDue: '0' })
  })

  test('of an order of the shop without an address is taxed by the country of the shop, as before', async () => {
    const own = storefrontShopper(stack, await stack.aStore({ name: 'Downloads', country: 'PT' }))
    await own.merchant(EXCLUSIVE)
    await own.aTax({ name: 'VAT', rate: '23', country: 'PT' })
    const book = await own.aProduct({ price: '10', stock: 5, shippingRequired: false })
    const { token } = await own.ready([{ productId: book, quantity: 1 }])
    const { order } = await own.complete(token, '12.3')
    expect((await edit(order.number, { addLines: [{ productId: book }] }, own)).order).toMatchObject({
      ...{ subtotal: '20', tax: '4.6', total: '24.6' },
    })
  })

  test('before an order is fulfilled adds lines that are fulfilled with it', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ status: 'PAID', lines: [{ productId: cup }] })
    const { order: more } = await edit(order.number, { addLines: [{ productId: cup }] })
    const lineId = more.lines.at(-1).id
    await fulfil(order.number)
    expect(await edit(order.number, { setQuantities: [{ lineId, quantity: 0 }] })).toMatchObject({ code: 'LINE_FULFILLED' })
    const { result } = await shopper.merchant(
      'mutation ($input: CreateOrderReturnInput!) { result: createOrderReturn(input: $input) { __typename } }',
      { input: { orderId: String(order.number), lines: [{ lineId, quantity: 1 }] } },
    )
    expect(result).toEqual({ __typename: 'CreateOrderReturnSuccess' })
  })

  test('gives gift cards back what they pay no more, and money first', async () => {
    const card = await shopper.aGiftCard('15')
    const cup = await aProduct('10', 100)
    const { token } = await shopper.ready([{ productId: cup, quantity: 3 }])
    await shopper.update(token, { addGiftCardCodes: [card.code] })
    const { order } = await shopper.complete(token, '15')
    const { lines } = await orderOf(order.number)
    const set = (quantity: number) => edit(order.number, { setQuantities: [{ lineId: lines[0].id, quantity }] })
    expect((await set(4)).order).toMatchObject({ giftCardsDiscount: '15', total: '25' })
    expect((await set(2)).order).toMatchObject({ giftCardsDiscount: '15', total: '5' })
    expect((await set(1)).order).toMatchObject({ giftCardsDiscount: '10', total: '0' })
    expect((await shopper.giftCard(card.id)).balance).toBe('5')
    await shopper.cancel(order.number)
    expect((await shopper.giftCard(card.id)).balance).toBe('15')
  })

  test('keeps the units that were refunded and those in returns: one unit is not both', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ status: 'PAID', lines: [{ productId: cup, quantity: 3 }] })
    const lineId = order.lines[0].id
    await shopper.refund(order.number, { lines: [{ lineId, quantity: 1 }] })
    await fulfil(order.number)
    const { made } = await shopper.merchant(
      'mutation ($input: CreateOrderReturnInput!) { made: createOrderReturn(input: $input) { ... on CreateOrderReturnSuccess { orderReturn { id } } } }',
      { input: { orderId: String(order.number), lines: [{ lineId, quantity: 1 }] } },
    )
    // The fulfillment was entered by mistake: the line can be changed again.
    await stack.sql(`UPDATE "order" SET fulfillment_status = 'UNFULFILLED' WHERE store_id = $1 AND id = $2`, [
      shop.storeId,
      order.number,
    ])
    const set = (quantity: number) => edit(order.number, { setQuantities: [{ lineId, quantity }] })
    expect(await set(1)).toMatchObject({ code: 'LINE_REFUNDED', message: expect.stringContaining('keep 2 units') })
    const { id } = made.orderReturn
    await shopper.merchant('mutation ($id: ID!) { receiveOrderReturn(id: $id, input: {}) { __typename } }', { id })
    const closed = await shopper.merchant(
      'mutation ($id: ID!) { result: refundOrderReturn(id: $id, input: {}) { __typename } }',
      { id },
    )
    expect(closed.result.__typename).toBe('OrderReturnSuccess')
    // The refund of the return and its units are the same.
    expect(await set(1)).toMatchObject({ code: 'LINE_REFUNDED', message: expect.stringContaining('keep 2 units') })
    expect((await set(2)).order.lines[0].quantity).toBe(2)
  })

  test('of an order that a gateway was paid for: its customer pays the balance with the link of the order, once', async () => {
    const { number } = await paidByGateway()
    const [{ token } = {}] = await stack.sql('SELECT token FROM "order" WHERE store_id = $1 AND id = $2', [shop.storeId, number])
    const pay = async () => {
      const { data, errors } = await stack.ask(
        ANONYMOUS,
        `mutation ($input: RetryStorefrontPaymentInput!) { paid: retryStorefrontPayment(input: $input) { __typename
          ... on RetryStorefrontPaymentSuccess { order { status balanceDue payment { status } } } ... on ConflictError { message } } }`,
        { input: { store: shop.code, secret: token } },
      )
      expect(errors).toBeUndefined()
      return data.paid
    }
    expect((await pay()).__typename).toBe('ConflictError')
    await edit(number, { addLines: [{ name: 'Wrapping', price: '2.5' }] })
    const [first, second] = await Promise.all([pay(), pay()])
    expect([first.__typename, second.__typename].sort()).toEqual(['ConflictError', 'RetryStorefrontPaymentSuccess'])
    expect(await orderOf(number)).toMatchObject({ status: 'PAID', total: '14.5', balanceDue: '0', refundDue: '0', refunded: '0' })
    expect(await ledger(number)).toEqual([
      ['PAYMENT', 12],
      ['PAYMENT', 2.5],
    ])
    // Declined, and the balance stays due.
    await edit(number, { addLines: [{ name: 'Card', price: '1.05' }] })
    expect(await pay()).toMatchObject({ order: { balanceDue: '1.05', payment: { status: 'FAILED' } } })
    expect(await ledger(number)).toHaveLength(2)
    // What was paid meanwhile in another way is not captured again.
    await edit(number, { addLines: [{ name: 'Ribbon', price: '0.98' }] })
    expect(await pay()).toMatchObject({ order: { balanceDue: '2.03', payment: { status: 'REQUIRES_ACTION' } } })
    const reference = gateway.ids().at(-1) ?? ''
    await balance('pay', number)
    gateway.confirm(reference)
    await stack.sql('UPDATE payment SET updated_at = $3 WHERE store_id = $1 AND order_id = $2', [
      ...[shop.storeId, number, new Date(now.getTime() - 3_600_000)],
    ])
    await stack.subgraph.runCheckoutJobs()
    expect(gateway.shown(reference)).toMatchObject({ authorized: '2.03', captured: '0', voided: '2.03' })
    expect(await orderOf(number)).toMatchObject({ balanceDue: '0', refundDue: '0' })
  })

  test('that leaves nothing to pay makes the order PAID', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ lines: [{ productId: cup }] })
    const result = await edit(order.number, {
      setQuantities: [{ lineId: order.lines[0].id, quantity: 0 }],
      addLines: [{ name: 'A present', price: '0' }],
    })
    expect(result.order).toMatchObject({ total: '0', status: 'PAID', balanceDue: '0', refundDue: '0' })
  })

  test('adds lines behind a fulfillment that was entered while it waited for the order', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ status: 'PAID', lines: [{ productId: cup }] })
    await fulfil(order.number)
    // Its time is behind that of the edit, which began before.
    const { location } = await shopper
      .merchant(
        'mutation { made: createLocation(input: { name: "Depot", address: "Rua 1", city: "Porto", country: "PT" }) { ... on CreateLocationSuccess { location { number } } } }',
      )
      .then(({ made }) => made)
    await stack.sql(
      `INSERT INTO fulfillment (store_id, order_id, location_id, type, shipment_status, created_at, updated_at)
        VALUES ($1, $2, $3, 'MANUAL', 'REQUESTED', $4, $4)`,
      [shop.storeId, order.number, location.number, new Date(now.getTime() + 5)],
    )
    const { order: more } = await edit(order.number, { addLines: [{ productId: cup }] })
    const added = more.lines.at(-1)
    expect((await edit(order.number, { setQuantities: [{ lineId: added.id, quantity: 2 }] })).order.lines.at(-1).quantity).toBe(2)
  })

  test('changes what a late authorization captures: the new total, the rest is voided; too little is voided', async () => {
    for (const [quantity, captured, voided, status] of [
      [2, '8.02', '4.01', 'PAID'],
      [4, '0', '12.03', 'PENDING_PAYMENT'],
    ] as const) {
      const cup = await aProduct('4.01', 100)
      const { token } = await shopper.create([{ productId: cup, quantity: 3 }])
      await shopper.update(token, { email: 'ana@example.org', paymentMethodId: gatewayMethod })
      const { order } = await shopper.complete(token, '12.03')
      const reference = gateway.ids().at(-1) ?? ''
      // The shopper gave up, as far as the store can tell; then the bank confirms after all.
      await stack.sql(`UPDATE payment SET status = 'FAILED' WHERE store_id = $1 AND order_id = $2`, [shop.storeId, order.number])
      const { lines } = await orderOf(order.number)
      expect(await edit(order.number, { setQuantities: [{ lineId: lines[0].id, quantity }] })).toMatchObject({
        __typename: 'EditOrderSuccess',
      })
      gateway.confirm(reference)
      await stack.sql(`UPDATE payment SET updated_at = $3 WHERE store_id = $1 AND order_id = $2`, [
        ...[shop.storeId, order.number, new Date(now.getTime() - 3_600_000)],
      ])
      await stack.sql(`UPDATE payment SET status = 'REQUIRES_ACTION' WHERE store_id = $1 AND order_id = $2`, [
        ...[shop.storeId, order.number],
      ])
      await stack.subgraph.runCheckoutJobs()
      expect(gateway.shown(reference)).toMatchObject({ authorized: '12.03', captured, voided })
      expect(await orderOf(order.number)).toMatchObject({ status })
    }
  })

  test('changes no line that was fulfilled, refunded or returned, and no order that is not open', async () => {
    const cup = await aProduct('10', 100)
    const order = await created({ status: 'PAID', lines: [{ productId: cup, quantity: 3 }] })
    const lineId = order.lines[0].id
    await shopper.refund(order.number, { lines: [{ lineId, quantity: 2 }] })
    expect(await edit(order.number, { setQuantities: [{ lineId, quantity: 1 }] })).toMatchObject({
      code: 'LINE_REFUNDED',
      lineNumber: order.lines[0].number,
    })
    await fulfil(order.number)
    for (const quantity of [0, 2, 4])
      expect(await edit(order.number, { setQuantities: [{ lineId, quantity }] })).toMatchObject({ code: 'LINE_FULFILLED' })
    // A line that comes later is not fulfilled: it can go again, and is not returned.
    const { order: more } = await edit(order.number, { addLines: [{ productId: cup }] })
    const added = more.lines.at(-1)
    const back = await shopper.merchant(
      'mutation ($input: CreateOrderReturnInput!) { result: createOrderReturn(input: $input) { __typename ... on ValidationError { field } } }',
      { input: { orderId: String(order.number), lines: [{ lineId: added.id, quantity: 1 }] } },
    )
    expect(back.result).toMatchObject({ field: 'lines.0.quantity' })
    expect((await edit(order.number, { setQuantities: [{ lineId: added.id, quantity: 0 }] })).order.lines).toHaveLength(1)
    await shopper.cancel(order.number)
    expect(await edit(order.number, { addLines: [{ productId: cup }] })).toMatchObject({ code: 'STATUS' })

    const cheap = await created({ status: 'PAID', lines: [{ productId: cup, quantity: 2 }] })
    await shopper.refund(cheap.number, { amount: '15' })
    expect(await edit(cheap.number, { setQuantities: [{ lineId: cheap.lines[0].id, quantity: 1 }] })).toMatchObject({
      code: 'TOTAL_REFUNDED',
    })

    const dear = await aProduct('8.03')
    const { token } = await shopper.create([{ productId: dear }])
    await shopper.update(token, { email: 'ana@example.org', paymentMethodId: gatewayMethod })
    const { order: waiting } = await shopper.complete(token, '8.03')
    expect(await edit(waiting.number, { addLines: [{ productId: cup }] })).toMatchObject({ code: 'PAYMENT_PENDING' })
  })

  test('without enough stock, or with invalid input, changes nothing', async () => {
    const cup = await aProduct('10', 3)
    const order = await created({ lines: [{ productId: cup, quantity: 2 }] })
    const lineId = order.lines[0].id
    const cases: readonly (readonly [object, object])[] = [
      [{ setQuantities: [{ lineId, quantity: 4 }] }, { __typename: 'InsufficientStock' }],
      [{}, { field: 'addLines' }],
      [{ setQuantities: [{ lineId, quantity: -1 }] }, { field: 'setQuantities.0.quantity' }],
      [{ setQuantities: [{ lineId, quantity: 1_000_001 }] }, { field: 'setQuantities.0.quantity' }],
      [
        {
          setQuantities: [
            { lineId, quantity: 1 },
            { lineId, quantity: 2 },
          ],
        },
        { field: 'setQuantities.1.lineId' },
      ],
      [{ setQuantities: [{ lineId: '999999', quantity: 1 }] }, { field: 'setQuantities.0.lineId' }],
      [{ setQuantities: [{ lineId, quantity: 0 }] }, { field: 'setQuantities' }],
      [{ addLines: [{ name: 'Engraving' }] }, { field: 'addLines.0.price' }],
      [{ addLines: [{ price: '1' }] }, { field: 'addLines.0.name' }],
      [{ addLines: [{ name: 'Engraving', price: '-1' }] }, { field: 'addLines.0.price' }],
      [{ addLines: [{ name: 'Engraving', price: '1', discount: '2' }] }, { field: 'addLines.0.discount' }],
      [{ addLines: [{ name: 'Yacht', price: '9999999999', quantity: 1_000 }] }, { field: 'addLines' }],
      [{ addLines: [{ productId: '999999' }] }, { __typename: 'NotFoundError' }],
      [{ addLines: Array.from({ length: 500 }, () => ({ name: 'Dot', price: '1' })) }, { field: 'addLines' }],
      [{ addLines: [{ name: 'Engraving', price: '1' }], reason: 'x'.repeat(2_001) }, { field: 'reason' }],
      [{ shippingPrice: '-1' }, { field: 'shippingPrice' }],
      [{ shippingPrice: '1', expectedVersion: 7 }, { __typename: 'ConflictError' }],
    ]
    for (const [input, failure] of cases) expect(await edit(order.number, input)).toMatchObject(failure)
    expect(await edit(999_999, { shippingPrice: '1' })).toMatchObject({ __typename: 'NotFoundError' })
    const { history, ...same } = await orderOf(order.number)
    expect([same, await shopper.stockOf(cup)]).toEqual([order, 1])
    expect(history.nodes.map(({ log }: { log: { event?: string } | null }) => log?.event)).not.toContain('edit')
  })

  test('of one key is made once by twenty requests, and of twenty keys never beyond the stock', async () => {
    const cup = await aProduct('1', 12)
    const order = await created({ lines: [{ productId: cup, quantity: 2 }] })
    const add = (idempotencyKey: string) => edit(order.number, { addLines: [{ productId: cup }], idempotencyKey })
    await Promise.all(Array.from({ length: 20 }, () => add(`same ${order.number}`)))
    expect((await orderOf(order.number)).lines).toHaveLength(2)
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => add(`${order.number} ${index}`)))
    expect(results.filter(({ __typename }) => __typename === 'EditOrderSuccess')).toHaveLength(9)
    expect([await shopper.stockOf(cup), (await orderOf(order.number)).total]).toEqual([0, '12'])
  })

  test('is in the history with before and after, who and why; other stores and scopes cannot', async () => {
    const cup = await aProduct('10')
    const order = await created({ lines: [{ productId: cup, quantity: 2 }] })
    await edit(order.number, { setQuantities: [{ lineId: order.lines[0].id, quantity: 1 }], reason: 'She called' })
    const { history } = await orderOf(order.number)
    expect(history.nodes.at(-1)).toMatchObject({
      message: 'The order was edited by merchant: its total went from 20 to 10 EUR: She called',
      log: {
        ...{ event: 'edit', by: 'merchant', reason: 'She called', added: [] },
        changed: [{ line: order.lines[0].number, name: 'Lamp', before: 2, after: 1 }],
        before: { total: '20' },
        after: { total: '10' },
      },
    })
    const EDIT = 'mutation ($id: ID!) { editOrder(id: $id, input: {shippingPrice: "1"}) { __typename } }'
    const other = await stack.aStore({ name: 'Other' })
    expect((await stack.ask(other, EDIT, { id: String(order.number) })).data).toEqual({
      editOrder: { __typename: 'NotFoundError' },
    })
    const app = await agreedApp(stack, shop, { scopes: SCOPES.filter((scope) => scope !== 'write_orders') })
    for (const field of [
      'editOrder(id: $id, input: {shippingPrice: "1"})',
      'payOrderBalance(id: $id, input: {})',
      'refundOrderBalance(id: $id, input: {})',
    ])
      expect(
        (await stack.ask(app.caller, `mutation ($id: ID!) { ${field} { __typename } }`, { id: String(order.number) })).errors?.[0]
          ?.extensions.code,
      ).toBe('FORBIDDEN')
  })
})

test('what a gateway pays back beyond what is left of the order is booked as far as there is some', async () => {
  const { number, refundAll } = await paidByGateway()
  await shopper.refund(number, { amount: '5' })
  await refundAll()
  expect(await ledger(number)).toEqual([
    ['PAYMENT', 12],
    ['REFUND', -5],
    ['REFUND', -7],
  ])
  expect(await orderOf(number)).toMatchObject({ refunded: '12' })
})

describe('an exchange', () => {
  const returned = async (price: string, quantity: number, { method = null as string | null } = {}) => {
    const productId = await aProduct(price, 100)
    const { token } = await shopper.create([{ productId, quantity }])
    await shopper.update(token, { email: 'ana@example.org', paymentMethodId: method ?? (await shopper.aPaymentMethod()) })
    const { order } = await shopper.complete(token, String(Number(price) * quantity))
    if (method === null) await shopper.pay(order.number)
    await fulfil(order.number)
    const { lines } = await orderOf(order.number)
    const { made } = await shopper.merchant(
      'mutation ($input: CreateOrderReturnInput!) { made: createOrderReturn(input: $input) { ... on CreateOrderReturnSuccess { orderReturn { id } } } }',
      { input: { orderId: String(order.number), lines: [{ lineId: lines[0].id, quantity }] } },
    )
    const id = made.orderReturn.id as string
    await shopper.merchant('mutation ($id: ID!) { receiveOrderReturn(id: $id, input: {}) { __typename } }', { id })
    return { number: order.number as number, id }
  }
  const exchange = async (id: string, input: object, by = shopper) =>
    (
      await by.merchant(
        `mutation ($id: ID!, $input: RefundOrderReturnInput!) { result: refundOrderReturn(id: $id, input: $input) { __typename
          ... on OrderReturnSuccess { orderReturn { status refund { amount } } } ... on OrderReturnNotAllowed { status } ${FAILURES} } }`,
        { id, input },
      )
    ).result

  test('for something dearer leaves the difference due, by twenty requests once', async () => {
    const { number, id } = await returned('10', 1)
    const bowl = await aProduct('16', 5)
    const twenty = await Promise.all(Array.from({ length: 20 }, () => exchange(id, { exchangeLines: [{ productId: bowl }] })))
    expect(twenty.filter(({ __typename }) => __typename === 'OrderReturnSuccess')).toHaveLength(1)
    expect(await shopper.stockOf(bowl)).toBe(4)
    expect(await orderOf(number)).toMatchObject({ total: '26', refunded: '10', balanceDue: '6', refundDue: '0' })
    expect(await ledger(number)).toEqual([
      ['PAYMENT', 10],
      ['REFUND', -10],
      ['PAYMENT', 10],
    ])
    await balance('pay', number)
    expect(await orderOf(number)).toMatchObject({ balanceDue: '0' })
  })

  test('for something cheaper pays back the difference alone, through the gateway', async () => {
    const { number, id } = await returned('10', 2, { method: gatewayMethod })
    const reference = gateway.ids().at(-1) ?? ''
    const bowl = await aProduct('6', 5)
    expect(await exchange(id, { exchangeLines: [{ productId: bowl }], throughGateway: true })).toMatchObject({
      orderReturn: { status: 'CLOSED', refund: { amount: '20' } },
    })
    expect(gateway.shown(reference)).toMatchObject({ captured: '20', refunded: '14' })
    expect(await orderOf(number)).toMatchObject({ total: '26', refunded: '20', balanceDue: '0', refundDue: '0' })
    const entries = await ledger(number)
    expect(entries).toEqual([
      ['PAYMENT', 20],
      ['REFUND', -20],
      ['PAYMENT', 6],
    ])
    // captured = refunded + kept, at the gateway and in the ledger.
    expect(entries.reduce((sum, [, amount]) => sum + Number(amount), 0)).toBe(20 - 14)
  })

  test('of an order that comes out cheaper, as a tax ended, pays back the refund and no more', async () => {
    const other = await stack.aStore({ name: 'Duty free', country: 'PT' })
    const own = storefrontShopper(stack, other)
    await own.merchant(EXCLUSIVE)
    const tax = await own.aTax({ name: 'VAT', rate: '23', country: 'PT' })
    const paymentMethodId = await own.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS })
    const cup = await own.aProduct({ price: '10.02', stock: 5, shippingRequired: false })
    const { token } = await own.create([{ productId: cup, quantity: 2 }])
    await own.update(token, { email: 'ana@example.org', paymentMethodId })
    const { number } = (await own.complete(token, '24.65')).order
    const reference = gateway.ids().at(-1) ?? ''
    await fulfil(number, own)
    const { lines } = await orderOf(number, own)
    const { made } = await own.merchant(
      'mutation ($input: CreateOrderReturnInput!) { made: createOrderReturn(input: $input) { ... on CreateOrderReturnSuccess { orderReturn { id } } } }',
      { input: { orderId: String(number), lines: [{ lineId: lines[0].id, quantity: 1 }] } },
    )
    const { id } = made.orderReturn
    await own.merchant('mutation ($id: ID!) { receiveOrderReturn(id: $id, input: {}) { __typename } }', { id })
    await own.merchant('mutation ($id: ID!) { deleteTax(id: $id) { __typename } }', { id: tax })
    const result = await exchange(id, { exchangeLines: [{ name: 'Sticker', price: '1' }], throughGateway: true }, own)
    expect(result).toMatchObject({ orderReturn: { status: 'CLOSED', refund: { amount: '12.33' } } })
    expect(gateway.shown(reference)).toMatchObject({ captured: '24.65', refunded: '12.33' })
    // 24.65 were paid, and 21.04 are due.
    expect(await orderOf(number, own)).toMatchObject({ total: '21.04', refunded: '12.33', balanceDue: '0', refundDue: '3.61' })
    await balance('refund', number, { throughGateway: true }, own)
    expect(gateway.shown(reference)).toMatchObject({ refunded: '15.94' })
    expect(await ledger(number, other)).toEqual([
      ['PAYMENT', 24.65],
      ['REFUND', -12.33],
      ['REFUND', -3.61],
    ])
  })

  test('for something sold out changes nothing: the return can be refunded', async () => {
    const { number, id } = await returned('10', 1)
    const bowl = await aProduct('6', 0)
    expect(await exchange(id, { exchangeLines: [{ productId: bowl }] })).toMatchObject({ __typename: 'InsufficientStock' })
    expect(await ledger(number)).toEqual([['PAYMENT', 10]])
    expect(await exchange(id, {})).toMatchObject({ orderReturn: { status: 'CLOSED' } })
  })
})
