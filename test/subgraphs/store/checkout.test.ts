import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { expectBalancedBooks } from './support/books.ts'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
beforeAll(async () => {
  stack = await startStore(() => now)
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
  await shopper.aTax({ name: 'VAT', country: 'PT', rate: '23' })
})
afterEach(() => expectBalancedBooks(stack))
afterAll(() => stack.close())

const codes = ({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code)
const LISBON = { name: 'Ana', address: 'Rua 1', city: 'Lisbon', country: 'PT' }

describe('a cart', () => {
  test('becomes an order that REST, webhooks and events see, at the total that it showed', async () => {
    const product = await shopper.aProduct({ name: 'Cup', price: '10', stock: 3 })
    const [shippingMethodId, paymentMethodId] = [await shopper.aShippingMethod('2'), await shopper.aPaymentMethod()]
    const { token, cart } = await shopper.create([{ productId: product, quantity: 2 }])
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(cart.totals).toMatchObject({ subtotal: '20', tax: '4.6', shippingTotal: '0', total: '24.6' })
    expect(codes(cart)).toEqual(['EMAIL', 'SHIPPING_ADDRESS', 'SHIPPING_METHOD', 'PAYMENT_METHOD'])

    const addressed = await shopper.update(token, { email: 'ana@example.org', shippingAddress: LISBON, paymentMethodId })
    expect(addressed.cart.shippingRates).toEqual([{ shippingMethodId, name: 'Post', price: '4' }])
    expect(codes(addressed.cart)).toEqual(['SHIPPING_METHOD'])
    const ready = (await shopper.update(token, { shippingMethodId, note: 'Ring twice' })).cart
    expect(ready.totals).toMatchObject({ shippingTotal: '4', total: '28.6' })
    expect(ready.problems).toEqual([])

    const before = await shopper.events()
    const done = await shopper.complete(token, '28.6')
    expect(done).toMatchObject({
      __typename: 'CompleteStorefrontCheckoutSuccess',
      order: { status: 'PENDING_PAYMENT', total: '28.6', lines: [{ name: 'Cup', quantity: 2 }] },
      paymentInstructions: 'Transfer it to PT50.',
      payUntil: '2026-11-27T09:00:00.000Z',
    })
    expect(await shopper.merchantOrder(done.order.number)).toMatchObject({
      status: 'PENDING_PAYMENT',
      total: '28.6',
      customer: { email: 'ana@example.org' },
      shippingAddress: { city: 'Lisbon' },
      additionalInformation: 'Ring twice',
      source: { createdFrom: 'storefront' },
    })
    expect(await shopper.stockOf(product)).toBe(1)
    const events = (await shopper.events()).slice(before.length).map(({ event }) => event)
    expect(events).toEqual(expect.arrayContaining(['order_created', 'order_pending_payment', 'product_stock_updated']))
    // The link of the order shows it, and nothing else.
    expect((await shopper.read(token)).order).toMatchObject({ number: done.order.number })
  })

  test('is ordered once, however often and by however many at once', async () => {
    const product = await shopper.aProduct({ stock: 10, shippingRequired: false })
    const { token } = await shopper.ready([{ productId: product }])
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) => shopper.complete(token, '12.3', `key ${index % 3}`)),
    )
    expect(new Set(results.map((result) => result.__typename))).toEqual(new Set(['CompleteStorefrontCheckoutSuccess']))
    expect(new Set(results.map(({ order }) => order.number)).size).toBe(1)
    expect(await shopper.stockOf(product)).toBe(9)
    expect(await shopper.update(token, { note: 'too late' })).toMatchObject({ __typename: 'ConflictError' })
  })

  test('of the last piece: exactly one of many shoppers gets it, the others read why', async () => {
    const product = await shopper.aProduct({ stock: 1, shippingRequired: false })
    const carts = await Promise.all(Array.from({ length: 8 }, () => shopper.ready([{ productId: product }])))
    const results = await Promise.all(carts.map(({ token }) => shopper.complete(token, '12.3')))
    const [won, lost] = [
      results.filter(({ __typename }) => __typename === 'CompleteStorefrontCheckoutSuccess'),
      results.filter(({ __typename }) => __typename === 'StorefrontCheckoutIncomplete'),
    ]
    expect([won.length, lost.length]).toEqual([1, 7])
    for (const { problems } of lost) expect(problems[0].code).toBe('INSUFFICIENT_STOCK')
    expect(await shopper.stockOf(product)).toBe(0)
  })

  test('whose price changed is not ordered: the shopper reads the new total', async () => {
    const product = await shopper.aProduct({ shippingRequired: false })
    const { token } = await shopper.ready([{ productId: product }])
    await shopper.updateProduct(product, { price: '20' })
    expect(await shopper.complete(token, '12.3')).toMatchObject({
      __typename: 'StorefrontTotalChanged',
      total: '24.6',
      cart: { totals: { total: '24.6' } },
    })
    expect((await shopper.complete(token, '24.6')).__typename).toBe('CompleteStorefrontCheckoutSuccess')
  })

  test('says what cannot be bought any more, and counts the rest', async () => {
    const [gone, few, limited] = [
      await shopper.aProduct({ shippingRequired: false }),
      await shopper.aProduct({ shippingRequired: false, stock: 2 }),
      await shopper.aProduct({ shippingRequired: false, maximumQuantity: 2 }),
    ]
    const { token, cart } = await shopper.ready([{ productId: gone }, { productId: few, quantity: 3 }])
    expect(cart.problems).toEqual([
      { code: 'INSUFFICIENT_STOCK', message: expect.not.stringContaining('2'), lineId: cart.lines[1].id },
    ])
    await shopper.updateProduct(gone, { status: 'DISABLED' })
    const now = await shopper.read(token)
    expect([codes(now), now.lines[0].product, now.lines[0].name]).toEqual([['NOT_FOR_SALE', 'INSUFFICIENT_STOCK'], null, null])
    expect((await shopper.complete(token, '36.9')).__typename).toBe('StorefrontCheckoutIncomplete')
    const [first, second] = now.lines
    const fixed = await shopper.update(token, {
      setLines: [
        { lineId: first.id, quantity: 0 },
        { lineId: second.id, quantity: 2 },
      ],
      addLines: [{ productId: limited, quantity: 3 }],
    })
    expect(codes(fixed.cart)).toEqual(['QUANTITY'])
  })

  test('takes coupons by the calculation of orders, and says which have no effect', async () => {
    const product = await shopper.aProduct({ shippingRequired: false })
    const { token } = await shopper.ready([{ productId: product }])
    await shopper.aCoupon('TENOFF', 10)
    const { cart } = await shopper.update(token, { couponCodes: ['tenoff', 'NOTHING'] })
    expect(cart.totals).toMatchObject({ discount: '1', total: '11.07', promotions: ['TENOFF'] })
    expect(codes(cart)).toEqual(['COUPON'])
    await shopper.update(token, { couponCodes: ['tenoff'] })
    expect((await shopper.complete(token, '11.07')).order.total).toBe('11.07')
  })

  test('needs the consents and answers that the merchant requires, and keeps them with the order', async () => {
    const own = storefrontShopper(stack, await stack.aStore({ name: 'Wine shop' }))
    const product = await own.aProduct({ price: '0', shippingRequired: false })
    const age = await own.aCheckoutField({ label: 'I am 18', type: 'CHECKBOX', area: 'OTHER', required: true })
    const { token } = await own.ready([{ productId: product }])
    expect(codes(await own.read(token))).toEqual(['CHECKOUT_FIELD'])
    expect(codes((await own.update(token, { answers: [{ fieldId: age, value: 'false' }] })).cart)).toEqual(['CHECKOUT_FIELD'])
    await own.update(token, { answers: [{ fieldId: age, value: 'true' }], attributes: [{ name: 'Gift', value: 'yes' }] })
    const done = await own.complete(token, '0')
    // Nothing is due.
    expect(done).toMatchObject({ order: { status: 'PAID' }, payUntil: null })
    expect((await own.merchantOrder(done.order.number)).additionalFields).toEqual([
      { label: 'I am 18', value: 'true', area: 'other' },
      { label: 'Gift', value: 'yes', area: 'other' },
    ])
  })

  test('is not paid through Stripe before its key and the secret of its webhook are there', async () => {
    const store = await stack.aStore({ name: 'New at Stripe' })
    const own = storefrontShopper(stack, store)
    const paymentMethodId = await own.aGateway({ type: 'STRIPE', key: 'sk_test_merchant' })
    const offered = async () =>
      (await own.merchant('query ($code: String!) { storefront(store: $code) { paymentMethods { id } } }', { code: store.code }))
        .storefront.paymentMethods
    const { token } = await own.create([{ productId: await own.aProduct({ shippingRequired: false }) }])
    const { cart } = await own.update(token, { email: 'ana@example.org', paymentMethodId })
    expect([await offered(), codes(cart)]).toEqual([[], ['PAYMENT_METHOD']])
    expect((await own.complete(token, '10')).__typename).toBe('StorefrontCheckoutIncomplete')
    await own.merchant('mutation ($id: ID!) { updatePaymentMethod(id: $id, input: { secret: "whsec_x" }) { __typename } }', {
      id: paymentMethodId,
    })
    expect([await offered(), codes(await own.read(token))]).toEqual([[{ id: paymentMethodId }], []])
  })

  test('of a guest uses no data of the customer with that e-mail address', async () => {
    const own = storefrontShopper(stack, await stack.aStore({ name: 'Private shop' }))
    await own.merchant('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { __typename } }', {
      input: { email: 'bea@example.org', phone: '912345678', shippingAddress: { city: 'SECRET CITY', country: 'PT' } },
    })
    const product = await own.aProduct({ price: '0' })
    const { token } = await own.create([{ productId: product }])
    const { cart } = await own.update(token, { email: 'bea@example.org' })
    expect(JSON.stringify(cart)).not.toMatch(/SECRET|912345678/)
    expect(codes(cart)).toEqual(['SHIPPING_ADDRESS', 'SHIPPING_METHOD'])
  })
})

describe('as time goes by', () => {
  const runJobs = () => stack.subgraph.runCheckoutJobs()

  test('an unpaid order frees its stock and its coupon; a paid one keeps both', async () => {
    const product = await shopper.aProduct({ stock: 5, shippingRequired: false })
    await shopper.aCoupon('ONCE', 10, 2)
    const order = async () => {
      const { token } = await shopper.ready([{ productId: product, quantity: 2 }])
      await shopper.update(token, { couponCodes: ['ONCE'] })
      return (await shopper.complete(token, '22.14')).order.number as number
    }
    const [unpaid, paid] = [await order(), await order()]
    await shopper.pay(paid)
    expect(await shopper.stockOf(product)).toBe(1)
    now = new Date(now.getTime() + 8 * 24 * 3_600_000)
    await runJobs()
    expect([(await shopper.merchantOrder(unpaid)).status, (await shopper.merchantOrder(paid)).status]).toEqual([
      'ABANDONED',
      'PAID',
    ])
    expect(await shopper.stockOf(product)).toBe(3)
    await runJobs()
    expect(await shopper.stockOf(product)).toBe(3)
  })

  test('an abandoned cart is an abandoned order for the merchant, once, and is recovered by its link', async () => {
    const own = storefrontShopper(stack, await stack.aStore({ name: 'Left carts' }))
    const product = await own.aProduct({ stock: 5, shippingRequired: false })
    const { token } = await own.ready([{ productId: product, quantity: 2 }])
    const anonymous = await own.create([{ productId: product }])
    const before = await own.abandoned()
    now = new Date(now.getTime() + 61 * 60_000)
    await Promise.all([runJobs(), runJobs()])
    await runJobs()
    const added = (await own.abandoned()).slice(before.length)
    expect(added).toEqual([expect.objectContaining({ total: '20', customer: { email: 'buyer@example.org' } })])
    expect(await own.stockOf(product)).toBe(5)
    expect((await own.read(anonymous.token)).order).toBeNull()

    const secret = added[0].recoveryUrl.split('/').at(-2)
    const recovered = await own.recover(secret)
    expect(recovered).toMatchObject({ cart: { lines: [{ quantity: 2 }], email: null, shippingAddress: null } })
    expect(recovered.token).not.toBe(token)
    const done = await own.complete(token, '20')
    expect((await own.merchantOrder(done.order.number)).recoveredFromNumber).toBe(added[0].number)
    expect(await own.recover(secret)).toMatchObject({ __typename: 'ConflictError' })
    expect(await own.recover('a'.repeat(32))).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('a cart without changes for 30 days is deleted', async () => {
    const { token } = await shopper.create([])
    now = new Date(now.getTime() + 31 * 24 * 3_600_000)
    await runJobs()
    expect(await shopper.read(token)).toBeNull()
  })
})

test('erasing a customer takes the carts with that address along', async () => {
  const product = await shopper.aProduct({ shippingRequired: false })
  const { token } = await shopper.ready([{ productId: product }])
  await shopper.complete(token, '12.3')
  const other = await shopper.create([])
  await shopper.update(other.token, { email: 'BUYER@example.org' })
  const { customerByEmail } = await shopper.merchant('{ customerByEmail(email: "buyer@example.org") { id } }')
  await shopper.merchant('mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: customerByEmail.id })
  expect([await shopper.read(token), await shopper.read(other.token)]).toEqual([null, null])
})
