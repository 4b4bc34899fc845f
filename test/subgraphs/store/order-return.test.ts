import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { agreedApp } from './support/app.ts'
import { expectBalancedBooks } from './support/books.ts'
import { paymentGateway } from './support/payment-gateway.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }
const DAY_MS = 86_400_000
let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let methods: { readonly manual: string; readonly gateway: string }
let locations: readonly string[]
beforeAll(async () => {
  gateway = await paymentGateway(CREDENTIALS)
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
  methods = {
    manual: await shopper.aPaymentMethod(),
    gateway: await shopper.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS }),
  }
  const aLocation = async (name: string) =>
    (
      await shopper.merchant(
        `mutation ($name: String!) { made: createLocation(input: {name: $name, address: "Rua 1", city: "Porto", country: "PT"}) { ... on CreateLocationSuccess { location { id } } } }`,
        { name },
      )
    ).made.location.id as string
  locations = [await aLocation('Main'), await aLocation('Outlet')]
})
afterEach(() => expectBalancedBooks(stack))
afterAll(async () => {
  await gateway.close()
  await stack.close()
})

const FIELDS = `id number status requestedBy note reason version refund { amount toGiftCards lines { quantity amount } } order { number refunded }
  lines { lineId quantity reason received restock }`
const FAILURES = `... on ValidationError { field message } ... on NotFoundError { message } ... on ConflictError { message }`

type Sold = {
  readonly number: number
  readonly product: string
  readonly lineId: string
  readonly secret: string
  readonly total: string
}

/** Somebody buys units of a product; it is paid and handed over unless the test says otherwise. */
async function sold(
  quantity: number,
  {
    price = '10',
    method = methods.manual,
    cards = [] as string[],
    isPaid = true,
    isHandedOver = true,
    stock = 10,
    product = null as string | null,
  } = {},
): Promise<Sold> {
  const productId = product ?? (await shopper.aProduct({ price, stock, shippingRequired: false }))
  const { token } = await shopper.create([{ productId, quantity }])
  await shopper.update(token, { email: 'ana@example.org', paymentMethodId: method })
  if (cards.length > 0) await shopper.update(token, { addGiftCardCodes: cards })
  const { totals } = await shopper.read(token)
  const { order, secret } = await shopper.complete(token, totals.total)
  if (isPaid && method === methods.manual) await shopper.pay(order.number)
  if (isHandedOver) await handOver(order.number)
  const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { lines { id } } }', {
    id: String(order.number),
  })
  return { number: order.number, product: productId, lineId: own.lines[0].id, secret, total: totals.total }
}
const handOver = (number: number) =>
  shopper.merchant(
    'mutation ($input: CreateFulfillmentInput!) { createFulfillment(input: $input) { __typename ... on ValidationError { message } } }',
    { input: { orderId: String(number), type: 'MANUAL', locationId: locations[0] } },
  )
const create = async (number: number, lines: object[], more: object = {}) =>
  (
    await shopper.merchant(
      `mutation ($input: CreateOrderReturnInput!) { result: createOrderReturn(input: $input) { __typename
        ... on CreateOrderReturnSuccess { orderReturn { ${FIELDS} } } ${FAILURES} } }`,
      { input: { orderId: String(number), lines, ...more } },
    )
  ).result
const change = async (what: string, id: string, input: object = {}) => {
  const type = what === 'receive' ? 'Receive' : what === 'refund' ? 'Refund' : 'Move'
  return (
    await shopper.merchant(
      `mutation ($id: ID!, $input: ${type}OrderReturnInput!) { result: ${what}OrderReturn(id: $id, input: $input) { __typename
        ... on OrderReturnSuccess { orderReturn { ${FIELDS} } } ... on OrderReturnNotAllowed { message status next } ${FAILURES} } }`,
      { id, input },
    )
  ).result
}
/** An approved return of units of an order. */
async function aReturn({ number, lineId }: Sold, quantity: number): Promise<string> {
  const result = await create(number, [{ lineId, quantity }])
  expect(result).toMatchObject({ __typename: 'CreateOrderReturnSuccess', orderReturn: { status: 'APPROVED' } })
  return result.orderReturn.id
}
const ledger = async (number: number) =>
  (
    await stack.sql('SELECT kind, amount::float8 AS amount FROM ledger_entry WHERE store_id = $1 AND order_id = $2 ORDER BY id', [
      shop.storeId,
      number,
    ])
  ).map(({ kind, amount }) => [kind, amount])

describe('a return', () => {
  test('of units that were handed over is created, received, restocked and refunded once', async () => {
    const order = await sold(3)
    expect(await shopper.stockOf(order.product)).toBe(7)
    const id = await aReturn(order, 2)
    expect(await change('receive', id)).toMatchObject({
      orderReturn: { status: 'RECEIVED', lines: [{ quantity: 2, received: 2, restock: 'RESTOCK' }] },
    })
    expect(await shopper.stockOf(order.product)).toBe(9)
    expect(await change('refund', id)).toMatchObject({
      orderReturn: { status: 'CLOSED', refund: { amount: '20', toGiftCards: '0', lines: [{ quantity: 2, amount: '20' }] } },
    })
    expect(await change('refund', id)).toEqual({
      __typename: 'OrderReturnNotAllowed',
      message: 'Expected a return that can become CLOSED, but it is CLOSED, which is final.',
      ...{ status: 'CLOSED', next: [] },
    })
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 30],
      ['REFUND', -20],
    ])
    // The rest of the order can still be canceled: what came back is not put back again.
    await shopper.cancel(order.number)
    expect(await shopper.stockOf(order.product)).toBe(10)
  })

  test('is refunded once by twenty requests at the same time, and received once', async () => {
    const order = await sold(2)
    const id = await aReturn(order, 2)
    const twenty = (what: string) => Promise.all(Array.from({ length: 20 }, () => change(what, id)))
    const successes = async (what: string) =>
      (await twenty(what)).map(({ __typename }) => __typename).filter((name) => name === 'OrderReturnSuccess')
    expect(await successes('receive')).toHaveLength(1)
    expect(await shopper.stockOf(order.product)).toBe(10)
    expect(await successes('refund')).toHaveLength(1)
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 20],
      ['REFUND', -20],
    ])
  })

  test('is created once by twenty requests with one key, and never of more units than were handed over', async () => {
    const order = await sold(2)
    const same = await Promise.all(
      Array.from({ length: 20 }, () =>
        create(order.number, [{ lineId: order.lineId, quantity: 1 }], { idempotencyKey: `k${order.number}` }),
      ),
    )
    expect(new Set(same.map(({ orderReturn }) => orderReturn.id)).size).toBe(1)
    const others = await Promise.all(
      Array.from({ length: 20 }, () => create(order.number, [{ lineId: order.lineId, quantity: 1 }])),
    )
    expect(others.filter(({ __typename }) => __typename === 'CreateOrderReturnSuccess')).toHaveLength(1)
    expect(others.filter(({ field }) => field === 'lines.0.quantity')).toHaveLength(19)
  })

  test('repeats the refund of its key with the same result', async () => {
    const order = await sold(1)
    const id = await aReturn(order, 1)
    await change('receive', id)
    const results = [await change('refund', id, { idempotencyKey: id }), await change('refund', id, { idempotencyKey: id })]
    expect(results[0]).toMatchObject({ orderReturn: { status: 'CLOSED', refund: { amount: '10' } } })
    expect(results[1]).toEqual(results[0])
    expect(await ledger(order.number)).toHaveLength(2)
  })

  test('pays units back in money first, and the part that gift cards paid to them', async () => {
    const card = await shopper.aGiftCard('25')
    const order = await sold(4, { cards: [card.code] })
    expect(order.total).toBe('15')
    const [first, second] = [await aReturn(order, 1), await aReturn(order, 3)]
    for (const id of [first, second]) await change('receive', id)
    expect((await change('refund', first)).orderReturn.refund).toMatchObject({ amount: '10', toGiftCards: '0' })
    expect((await change('refund', second)).orderReturn.refund).toMatchObject({ amount: '5', toGiftCards: '25' })
    expect((await shopper.giftCard(card.id)).balance).toBe('25')
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 15],
      ['REFUND', -10],
      ['REFUND', -5],
    ])
  })

  test('discards units, restocks them elsewhere, and refunds only those that arrived', async () => {
    const product = await shopper.aProduct({ price: '10', stock: 0, shippingRequired: false })
    await shopper.merchant('mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { __typename } }', {
      input: { productId: product, locationId: locations[0], stock: 10 },
    })
    const order = await sold(5, { product })
    const id = await aReturn(order, 5)
    expect(await change('receive', id, { lines: [{ lineId: order.lineId, quantity: 3, restock: 'DISCARD' }] })).toMatchObject({
      orderReturn: { lines: [{ quantity: 5, received: 3, restock: 'DISCARD' }] },
    })
    expect(await shopper.stockOf(order.product)).toBe(5)
    expect((await change('refund', id)).orderReturn.refund.amount).toBe('30')
    // Two did not arrive: they can be sent again, now to the outlet.
    const again = await aReturn(order, 2)
    const to = { lines: [{ lineId: order.lineId, quantity: 2, locationId: locations[1] }] }
    expect(await change('receive', again, to)).toMatchObject({ __typename: 'OrderReturnSuccess' })
    expect(await shopper.stockOf(order.product)).toBe(7)
    const levels = await stack.sql(
      'SELECT sum(stock)::integer AS sum FROM inventory_level WHERE store_id = $1 AND location_id = (SELECT max(id) FROM location WHERE store_id = $1)',
      [shop.storeId],
    )
    expect(levels).toEqual([{ sum: 2 }])
    await shopper.cancel(order.number)
    expect(await shopper.stockOf(order.product)).toBe(7)
  })

  test('does not refund units again that were refunded without it', async () => {
    const order = await sold(2)
    const id = await aReturn(order, 2)
    await change('receive', id)
    await shopper.refund(order.number, { lines: [{ lineId: order.lineId, quantity: 1 }] })
    expect((await change('refund', id)).orderReturn.refund).toMatchObject({ amount: '10', lines: [{ quantity: 1 }] })
    const other = await sold(1)
    const empty = await aReturn(other, 1)
    await change('receive', empty)
    await shopper.refund(other.number, { lines: [{ lineId: other.lineId, quantity: 1 }] })
    expect(await change('refund', empty)).toMatchObject({ __typename: 'ValidationError', field: 'id' })
    expect(await change('close', empty)).toMatchObject({ orderReturn: { status: 'CLOSED', refund: null } })
  })

  test.each([
    { path: [], forbidden: ['approve', 'decline', 'close', 'refund'], status: 'APPROVED' },
    { path: ['cancel'], forbidden: ['approve', 'decline', 'cancel', 'receive', 'close', 'refund'], status: 'CANCELED' },
    { path: ['receive'], forbidden: ['approve', 'decline', 'cancel', 'receive'], status: 'RECEIVED' },
    { path: ['receive', 'close'], forbidden: ['approve', 'decline', 'cancel', 'receive', 'close', 'refund'], status: 'CLOSED' },
  ])('that is $status refuses $forbidden, and stays as it is', async ({ path, forbidden, status }) => {
    const order = await sold(1)
    const id = await aReturn(order, 1)
    for (const step of path) expect((await change(step, id)).__typename).toBe('OrderReturnSuccess')
    for (const step of forbidden) expect(await change(step, id)).toMatchObject({ __typename: 'OrderReturnNotAllowed', status })
    const { orderReturn } = await shopper.merchant('query ($id: ID!) { orderReturn(id: $id) { status } }', { id })
    expect(orderReturn.status).toBe(status)
  })

  test('names what is wrong with its input', async () => {
    const order = await sold(2)
    const other = await sold(1)
    const open = await sold(1, { isHandedOver: false })
    const { lineId } = order
    const cases: readonly (readonly [number, object[], string])[] = [
      [order.number, [], 'lines'],
      [order.number, [{ lineId: other.lineId, quantity: 1 }], 'lines.0.lineId'],
      [order.number, [{ lineId, quantity: 0 }], 'lines.0.quantity'],
      [order.number, [{ lineId, quantity: 3 }], 'lines.0.quantity'],
      [
        order.number,
        [
          { lineId, quantity: 1 },
          { lineId, quantity: 1 },
        ],
        'lines.1.lineId',
      ],
      [order.number, [{ lineId, quantity: 1, note: 'x'.repeat(501) }], 'lines.0.note'],
      [open.number, [{ lineId: open.lineId, quantity: 1 }], 'lines.0.quantity'],
    ]
    for (const [number, lines, field] of cases) expect(await create(number, lines)).toMatchObject({ field })
    expect(await create(order.number, [{ lineId, quantity: 1 }], { note: 'x'.repeat(2_001) })).toMatchObject({ field: 'note' })
    expect(await create(999_999, [{ lineId, quantity: 1 }])).toMatchObject({ __typename: 'NotFoundError' })
    const id = await aReturn(order, 2)
    const wrong: readonly (readonly [object[], string])[] = [
      [[{ lineId, quantity: 3 }], 'lines.0.quantity'],
      [[{ lineId: other.lineId, quantity: 1 }], 'lines.0.lineId'],
      [[{ lineId, quantity: 1, restock: 'DISCARD', locationId: locations[1] }], 'lines.0.locationId'],
    ]
    for (const [lines, field] of wrong) expect(await change('receive', id, { lines })).toMatchObject({ field })
    const nowhere = { lines: [{ lineId, quantity: 1, locationId: '999999' }] }
    expect(await change('receive', id, nowhere)).toMatchObject({ __typename: 'NotFoundError' })
    expect(await change('receive', id, { expectedVersion: 7 })).toMatchObject({ __typename: 'ConflictError' })
  })

  test('is in the history of its order with who did what, and is an event', async () => {
    const order = await sold(1)
    const app = await agreedApp(stack, shop, { scopes: ['write_orders', 'read_orders'] })
    const before = (await shopper.events()).length
    const { data } = await stack.ask(
      app.caller,
      `mutation ($input: CreateOrderReturnInput!) { result: createOrderReturn(input: $input) { ... on CreateOrderReturnSuccess { orderReturn { id number } } } }`,
      { input: { orderId: String(order.number), lines: [{ lineId: order.lineId, quantity: 1 }] } },
    )
    const { id, number } = data.result.orderReturn
    await change('cancel', id, { reason: 'It got lost' })
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { history(first: 250) { nodes { log } } } }', {
      id: String(order.number),
    })
    const log = own.history.nodes.map((entry: { log: unknown }) => entry.log)
    expect(log).toContainEqual({
      event: 'return',
      return: number,
      from: null,
      to: 'APPROVED',
      by: expect.stringMatching(/^app:/),
    })
    expect(log).toContainEqual({
      ...{ event: 'return', return: number, from: 'APPROVED', to: 'CANCELED', by: 'merchant', reason: 'It got lost' },
    })
    const events = (await shopper.events()).slice(before).map(({ event, id: about }) => [event, about])
    expect(events).toContainEqual(['order_return_updated', order.number])
    expect(events).toContainEqual(['order_updated', order.number])
  })

  test('is read and changed by the merchant of its store alone, and by apps with the scopes of orders', async () => {
    const order = await sold(1)
    const id = await aReturn(order, 1)
    const other = await stack.aStore({ name: 'Other' })
    const CANCEL = 'mutation ($id: ID!) { cancelOrderReturn(id: $id, input: {}) { __typename } }'
    expect(
      (await stack.ask(other, 'query ($id: ID!) { orderReturn(id: $id) { id } orderReturns { totalCount } }', { id })).data,
    ).toEqual({
      orderReturn: null,
      orderReturns: { totalCount: 0 },
    })
    expect((await stack.ask(other, CANCEL, { id })).data).toEqual({ cancelOrderReturn: { __typename: 'NotFoundError' } })
    const app = await agreedApp(stack, shop, { scopes: SCOPES.filter((scope) => !scope.endsWith('_orders')) })
    for (const query of ['query ($id: ID!) { orderReturn(id: $id) { id } }', '{ orderReturns { totalCount } }', CANCEL])
      expect((await stack.ask(app.caller, query, { id })).errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  })
})

describe('a return of an order that a gateway took the money of', () => {
  test('is paid back by the gateway once, and booked once, also when the answer is lost', async () => {
    const order = await sold(2, { price: '4.5', method: methods.gateway })
    const reference = gateway.ids().at(-1) ?? ''
    const [first, second] = [await aReturn(order, 1), await aReturn(order, 1)]
    for (const id of [first, second]) await change('receive', id)
    expect(await change('refund', first, { throughGateway: true })).toMatchObject({ orderReturn: { refund: { amount: '4.5' } } })
    expect(Number(gateway.shown(reference).refunded)).toBe(4.5)
    Object.assign(gateway.faults, { loseAnswer: 1 })
    const twenty = await Promise.all(Array.from({ length: 20 }, () => change('refund', second, { throughGateway: true })))
    expect(twenty.filter(({ __typename }) => __typename === 'OrderReturnSuccess')).toHaveLength(1)
    now = new Date(now.getTime() + 60_000)
    await stack.subgraph.runCheckoutJobs()
    expect(gateway.shown(reference)).toMatchObject({ captured: '9', refunded: '9' })
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 9],
      ['REFUND', -4.5],
      ['REFUND', -4.5],
    ])
    expect(await shopper.merchantOrder(order.number)).toMatchObject({ total: '9', refunded: '9' })
  })

  test('stays booked when the gateway refuses, and refundPayment tries again without a second entry', async () => {
    const order = await sold(1, { price: '8', method: methods.gateway })
    const reference = gateway.ids().at(-1) ?? ''
    const id = await aReturn(order, 1)
    await change('receive', id)
    Object.assign(gateway.faults, { refuse: 1 })
    await change('refund', id, { throughGateway: true })
    expect(Number(gateway.shown(reference).refunded)).toBe(0)
    const { own } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { payments { id } } }', {
      id: String(order.number),
    })
    await shopper.merchant('mutation ($id: ID!) { refundPayment(id: $id, input: {}) { __typename } }', { id: own.payments[0].id })
    expect(Number(gateway.shown(reference).refunded)).toBe(8)
    expect(await ledger(order.number)).toEqual([
      ['PAYMENT', 8],
      ['REFUND', -8],
    ])
  })

  test('is refused when no gateway has the money', async () => {
    const order = await sold(1)
    const id = await aReturn(order, 1)
    await change('receive', id)
    expect(await change('refund', id, { throughGateway: true })).toMatchObject({ field: 'throughGateway' })
    expect(await ledger(order.number)).toEqual([['PAYMENT', 10]])
    expect((await change('refund', id)).__typename).toBe('OrderReturnSuccess')
  })
})

describe('shoppers', () => {
  /** An account with an open session, by its token. */
  async function anAccount(store = shop) {
    const token = randomBytes(32).toString('base64url')
    const email = `${token.slice(0, 8).toLowerCase()}@example.org`
    const [row] = await stack.sql(
      `INSERT INTO customer_account (store_id, email, email_key, confirmed_at, link_requested_at, addresses, created_at, updated_at)
       VALUES ($1, $2, $2, $3, $3, '[]', $3, $3) RETURNING id`,
      [store.storeId, email, now],
    )
    await stack.sql(
      `INSERT INTO customer_account_session (store_id, account_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
      [store.storeId, row?.id, createHash('sha256').update(token).digest(), now, new Date(now.getTime() + 400 * DAY_MS)],
    )
    return { token, id: Number(row?.id) }
  }
  const own = (order: Sold, account: { readonly id: number }) =>
    stack.sql('UPDATE "order" SET customer_account_id = $3 WHERE store_id = $1 AND id = $2', [
      shop.storeId,
      order.number,
      account.id,
    ])
  let keys = 0
  const request = async (token: string, order: number, lines: object[], more: object = {}) => {
    keys += 1
    const { data, errors } = await stack.ask(
      ANONYMOUS,
      `mutation ($input: RequestStorefrontReturnInput!) { result: requestStorefrontReturn(input: $input) { __typename
        ... on RequestStorefrontReturnSuccess { orderReturn { number status lines { name quantity } } } ${FAILURES} } }`,
      { input: { store: shop.code, token, order, lines, idempotencyKey: `key ${keys}`, ...more } },
    )
    expect(errors).toBeUndefined()
    return data.result
  }
  const ordersOf = async (token: string) =>
    (
      await stack.ask(
        ANONYMOUS,
        `query ($code: String!, $token: String!) { storefront(store: $code) { customerAccount(token: $token) { orders { nodes {
          order { number } returnableUntil returnableLines { id name quantity } returns { number status reason lines { name quantity } } } } } } }`,
        { code: shop.code, token },
      )
    ).data.storefront.customerAccount.orders.nodes

  test('request returns of own orders, which the merchant approves or declines', async () => {
    const account = await anAccount()
    const order = await sold(3)
    await own(order, account)
    expect(await ordersOf(account.token)).toMatchObject([
      { returnableLines: [{ id: order.lineId, name: 'Lamp', quantity: 3 }], returns: [] },
    ])
    const result = await request(account.token, order.number, [{ lineId: order.lineId, quantity: 2, reason: 'SIZE' }], {
      note: 'Too small',
    })
    expect(result).toMatchObject({ orderReturn: { status: 'REQUESTED', lines: [{ name: 'Lamp', quantity: 2 }] } })
    const { orderReturns } = await shopper.merchant(
      '{ orderReturns(status: [REQUESTED]) { totalCount nodes { id requestedBy note lines { reason } } } }',
    )
    expect(orderReturns).toMatchObject({
      totalCount: 1,
      nodes: [{ requestedBy: 'CUSTOMER', note: 'Too small', lines: [{ reason: 'SIZE' }] }],
    })
    expect((await shopper.events()).map(({ event }) => event)).toContain('order_return_requested')
    expect((await change('receive', orderReturns.nodes[0].id)).__typename).toBe('OrderReturnNotAllowed')
    await change('decline', orderReturns.nodes[0].id, { reason: 'It was worn' })
    expect(await ordersOf(account.token)).toMatchObject([
      {
        returnableLines: [{ quantity: 3 }],
        returns: [{ status: 'DECLINED', reason: 'It was worn', lines: [{ name: 'Lamp', quantity: 2 }] }],
      },
    ])
    const { data } = await stack.ask(
      ANONYMOUS,
      'query ($code: String!, $token: String!) { storefront(store: $code) { customerAccount(token: $token) { dataExport } } }',
      { code: shop.code, token: account.token },
    )
    expect(data.storefront.customerAccount.dataExport.orders[0].returns).toMatchObject([
      { status: 'DECLINED', note: 'Too small', reason: 'It was worn', lines: [{ name: 'Lamp', quantity: 2, reason: 'SIZE' }] },
    ])
    const second = await request(account.token, order.number, [{ lineId: order.lineId, quantity: 3 }])
    const id = String(second.orderReturn.number)
    for (const step of ['approve', 'receive', 'refund']) expect((await change(step, id)).__typename).toBe('OrderReturnSuccess')
    expect((await ordersOf(account.token))[0].returns.at(-1).status).toBe('CLOSED')
  })

  test('read why a return was declined or canceled, and no other note of the merchant', async () => {
    const account = await anAccount()
    const order = await sold(2)
    await own(order, account)
    const id = await aReturn(order, 1)
    await change('receive', id)
    expect(await change('close', id, { reason: 'She lies' })).toMatchObject({ orderReturn: { reason: 'She lies' } })
    await change('cancel', await aReturn(order, 1), { reason: 'It got lost' })
    expect((await ordersOf(account.token))[0].returns).toMatchObject([
      { status: 'CLOSED', reason: null },
      { status: 'CANCELED', reason: 'It got lost' },
    ])
  })

  test('request none of others, none twice with one key, none after the time for it, and none that the shop does not take', async () => {
    const [account, stranger] = [await anAccount(), await anAccount()]
    const order = await sold(3)
    await own(order, account)
    const one = [{ lineId: order.lineId, quantity: 1 }]
    const refused = { __typename: 'NotFoundError', message: expect.any(String) }
    expect(await request(stranger.token, order.number, one)).toEqual(refused)
    expect(await request('x'.repeat(43), order.number, one)).toEqual(refused)
    const guest = await sold(1)
    expect(await request(account.token, guest.number, [{ lineId: guest.lineId, quantity: 1 }])).toEqual(refused)
    const same = await Promise.all(
      Array.from({ length: 20 }, () => request(account.token, order.number, one, { idempotencyKey: 'one' })),
    )
    expect(new Set(same.map(({ orderReturn }) => orderReturn.number)).size).toBe(1)

    const setting = (returnWindowDays: unknown) =>
      shopper.merchant(
        'mutation ($input: UpdateStoreInput!) { result: updateStore(input: $input) { __typename ... on UpdateStoreSuccess { store { returnWindowDays } } ... on ValidationError { field } } }',
        { input: { returnWindowDays } },
      )
    for (const days of [-1, 366, null]) expect((await setting(days)).result).toMatchObject({ field: 'returnWindowDays' })
    expect((await setting(0)).result).toMatchObject({ store: { returnWindowDays: 0 } })
    expect(await request(account.token, order.number, one)).toMatchObject({ field: 'order' })
    expect(await ordersOf(account.token)).toMatchObject([{ returnableUntil: null, returnableLines: [] }])
    await setting(14)
    const [{ returnableUntil }] = await ordersOf(account.token)
    now = new Date(new Date(returnableUntil).getTime() - 1)
    expect(await request(account.token, order.number, one)).toMatchObject({ __typename: 'RequestStorefrontReturnSuccess' })
    now = new Date(returnableUntil)
    expect(await request(account.token, order.number, one)).toMatchObject({ field: 'order' })
    expect(await ordersOf(account.token)).toMatchObject([{ returnableLines: [] }])
    expect((await create(order.number, one)).__typename, 'merchants are not bound').toBe('CreateOrderReturnSuccess')
  })

  test('are erased from returns with their orders', async () => {
    const account = await anAccount()
    const order = await sold(1)
    await own(order, account)
    await setWindow()
    await request(account.token, order.number, [{ lineId: order.lineId, quantity: 1, note: 'Ring 555-0199' }], {
      note: 'I moved to Rua Nova',
    })
    const { own: mine } = await shopper.merchant('query ($id: ID!) { own: order(id: $id) { customer { customer { id } } } }', {
      id: String(order.number),
    })
    await shopper.merchant('mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: mine.customer.customer.id })
    const left = JSON.stringify(
      await stack.sql(
        `SELECT r.*, line.note AS about FROM order_return r JOIN order_return_line line ON line.store_id = r.store_id AND line.return_id = r.id
         WHERE r.store_id = $1 AND r.order_id = $2`,
        [shop.storeId, order.number],
      ),
    )
    expect(left).toContain('REQUESTED')
    expect(left).not.toMatch(/Rua Nova|555-0199/)
  })
  const setWindow = () => shopper.merchant('mutation { updateStore(input: {returnWindowDays: 30}) { __typename } }')
})
