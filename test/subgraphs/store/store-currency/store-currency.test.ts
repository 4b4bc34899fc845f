import { TestClock } from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts'
import { agreedApp } from '../support/app.ts'
import { expectBalancedBooks } from '../support/books.ts'
import { mailClock, mailServerAt } from '../support/mail.ts'
import { paymentGateway } from '../support/payment-gateway.ts'
import { storefrontShopper } from '../support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from '../support/store.ts'

/** Ahead of the machine's clock, which nothing may wait for. */
const clock = new TestClock(Date.now() + 24 * 3_600_000)
const credentials = { key: 'merchant-7', secret: 'whsec-very-secret' }
let smtp: TestSmtpServer
let gateway: Awaited<ReturnType<typeof paymentGateway>>
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
let mails: ReturnType<typeof mailClock>
let stop: () => Promise<void>
let shippingMethodId = ''
beforeAll(async () => {
  smtp = await startSmtpServer()
  gateway = await paymentGateway(credentials)
  stack = await startStore(() => new Date(clock.now()), {
    mailServer: mailServerAt(smtp.port),
    webhooks: { jobClock: clock },
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
  mails = mailClock(stack, clock)
  await shopper.merchant('mutation { updateStore(input: { languages: ["en"] }) { __typename } }')
  stop = await stack.subgraph.deliverMail()
  await shopper.aTax({ name: 'VAT', country: 'PT', rate: '23' })
  await shopper.aTax({ name: 'Recycling', country: 'PT', rate: '0.5', fixed: true })
  shippingMethodId = await shopper.aShippingMethod('2')
  // 1 € is 160 ¥; prices in hundreds.
  expect(await add({ code: 'JPY', rate: '160', roundingStep: '100' })).toMatchObject({ __typename: 'StoreCurrencySuccess' })
  expect(await add({ code: 'USD', rate: '1.1', roundingStep: '1', roundingEnding: '0.99' })).toMatchObject({
    storeCurrency: { code: 'USD', rate: '1.1', rateBase: '1', roundingDirection: 'NEAREST', version: 1 },
  })
})
afterEach(() => expectBalancedBooks(stack))
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
  await gateway.close()
})

type Who = Parameters<StoreStack['ask']>[0]
async function ask(query: string, variables: Record<string, unknown> = {}, who: Who = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data
}
const FAILURES =
  '... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }'
const SUCCESS = '... on StoreCurrencySuccess { storeCurrency { id code rate rateBase roundingStep roundingDirection version } }'
const add = async (input: object, who: Who = shop) =>
  (
    await ask(
      `mutation ($input: CreateStoreCurrencyInput!) { r: createStoreCurrency(input: $input) { __typename ${SUCCESS} ${FAILURES} } }`,
      { input },
      who,
    )
  ).r
const change = async (id: string, input: object, who: Who = shop) =>
  (
    await ask(
      `mutation ($id: ID!, $input: UpdateStoreCurrencyInput!) { r: updateStoreCurrency(id: $id, input: $input) { __typename ${SUCCESS} ${FAILURES} } }`,
      { id, input },
      who,
    )
  ).r
const remove = async (id: string, who: Who = shop) =>
  (
    await ask(
      `mutation ($id: ID!) { r: deleteStoreCurrency(id: $id) { __typename ... on NotFoundError { message } ... on ConflictError { message } } }`,
      { id },
      who,
    )
  ).r
const aList = async (input: object) =>
  (
    await ask(
      `mutation ($input: CreatePriceListInput!) { r: createPriceList(input: $input) { __typename ... on PriceListSuccess { priceList { id currency } } ${FAILURES} } }`,
      { input: { name: 'List', ...input } },
    )
  ).r
const setPrices = async (id: string, prices: object[]) =>
  (
    await ask(
      `mutation ($id: ID!, $input: SetPriceListPricesInput!) { r: setPriceListPrices(id: $id, input: $input) { __typename ${FAILURES} } }`,
      { id, input: { prices } },
    )
  ).r
const seen = async (permalink: string, currency: string | null) =>
  (
    await ask(
      `query ($store: String!, $currency: String, $permalink: String!) { storefront(store: $store, currency: $currency) { currency currencies
        product(permalink: $permalink) { price { amount withoutTax compareAt } maximumPrice { amount } variants { price { amount } } } } }`,
      { store: shop.code, currency, permalink },
      ANONYMOUS,
    )
  ).storefront
const CART = `lines { total product { price { amount } } } totals { currency subtotal discount tax shippingTotal giftCards total }
  shippingRates { price } giftCards { applied } problems { code message }`
const cartIn = async (currency: string, lines: object[]) =>
  (
    await ask(
      `mutation ($input: CreateStorefrontCartInput!) { r: createStorefrontCart(input: $input) { __typename
        ... on CreateStorefrontCartSuccess { token cart { ${CART} } } ... on ValidationError { errors { field message } } } }`,
      { input: { store: shop.code, currency, lines } },
      ANONYMOUS,
    )
  ).r
const update = async (token: string, input: object) =>
  (
    await ask(
      `mutation ($input: UpdateStorefrontCartInput!) { r: updateStorefrontCart(input: $input) { __typename
        ... on UpdateStorefrontCartSuccess { cart { ${CART} } } ... on ValidationError { errors { field message } } } }`,
      { input: { store: shop.code, token, ...input } },
      ANONYMOUS,
    )
  ).r
const orderOf = async (number: number) =>
  (
    await ask(
      `query ($id: ID!) { order(id: $id) { id currency total tax shipping discount refunded exchangeRate { rate base }
        lines { price total } payments { currency amount status } } }`,
      { id: String(number) },
    )
  ).order
const fields = ({ errors }: { errors: { field: string }[] }) => errors.map(({ field }) => field)
const LISBON = { name: 'Ana', address: 'Rua 1', city: 'Lisbon', country: 'PT' }

test('the catalogue has converted prices with taxes, and compares them in the same currency', async () => {
  await shopper.aProduct({ name: 'Plate', price: '12', discount: '2' })
  expect(await seen('plate', null)).toMatchObject({
    ...{ currency: 'EUR', currencies: ['EUR', 'JPY', 'USD'] },
    product: { price: { amount: '12.8', withoutTax: '10', compareAt: '15.26' } },
  })
  // 11 $ is 10.99 $; with 23 % and 0.55 $. 13.20 $ is 12.99 $.
  expect((await seen('plate', 'USD')).product.price).toEqual({ amount: '14.07', withoutTax: '10.99', compareAt: '16.53' })
  expect((await seen('plate', 'JPY')).product.price).toEqual({ amount: '2048', withoutTax: '1600', compareAt: '2417' })
  const { errors } = await stack.ask(ANONYMOUS, 'query ($s: String!) { storefront(store: $s, currency: "GBP") { name } }', {
    s: shop.code,
  })
  expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })
  expect(errors?.[0]?.message).toContain('EUR, JPY, USD')
})

test('lowest and highest price of variants are converted', async () => {
  const id = await shopper.aProduct({ name: 'Bowl', price: '10', shippingRequired: false })
  for (const [sku, price] of [
    ['S', '10'],
    ['L', '20.1'],
  ])
    await ask('mutation ($input: CreateProductVariantInput!) { createProductVariant(input: $input) { __typename } }', {
      input: { productId: id, sku, price, options: [{ name: 'Size', value: sku }] },
    })
  const { product } = await seen('bowl', 'JPY')
  expect(product.price.withoutTax).toBe('1600')
  expect(product.variants.map(({ price }: { price: { amount: string } }) => price.amount)).toEqual(['2048', '4016'])
  expect(product.maximumPrice.amount).toBe('4016')
})

test('cart, order, payment, refund and e-mail have the same sums in the chosen currency', async () => {
  const product = await shopper.aProduct({ name: 'Cup', price: '10.1', stock: 9 })
  await ask('mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }', {
    input: { name: 'Five', discountTarget: 'ORDER', type: 'FIX', discountAmountFix: '5', coupons: [{ code: 'FIVE' }] },
  })
  const { token, cart } = await cartIn('JPY', [{ productId: product, quantity: 2 }])
  // 1616 ¥ is 1600 ¥; 23 % of 3200, and 80 for each unit.
  expect(cart.totals).toMatchObject({ currency: 'JPY', subtotal: '3200', tax: '896', total: '4096' })
  expect(cart.lines).toEqual([{ total: '4096', product: { price: { amount: '2048' } } }])
  const paymentMethodId = await shopper.aGateway({ paymentMethodUrl: gateway.url, ...credentials })
  const chosen = { email: 'ana@example.org', shippingAddress: LISBON, paymentMethodId, shippingMethodId, couponCodes: ['five'] }
  const ready = (await update(token, chosen)).cart
  expect(ready.shippingRates).toEqual([{ price: '640' }])
  // 5 € are 800 ¥ off; 23 % of 2400, and 160.
  expect(ready.totals).toMatchObject({ discount: '800', tax: '712', shippingTotal: '640', total: '3752' })
  expect(ready.problems).toEqual([])

  const done = await shopper.complete(token, '3752')
  expect(done).toMatchObject({ __typename: 'CompleteStorefrontCheckoutSuccess', order: { total: '3752' } })
  const { number } = done.order
  expect(await orderOf(number)).toMatchObject({
    ...{ currency: 'JPY', total: '3752', discount: '800', tax: '712', shipping: '640' },
    exchangeRate: { rate: '160', base: '1' },
    lines: [{ price: '1600', total: '3112' }],
    payments: [{ currency: 'JPY', amount: '3752', status: 'AUTHORIZED' }],
  })
  expect(gateway.shown(gateway.ids().at(-1) ?? '')).toMatchObject({ authorized: '3752', captured: '3752' })
  await mails.finished()
  expect(smtp.received.at(-1)?.text).toContain('¥3,752')
  expect(smtp.received.at(-1)?.text).toContain('¥640')
  // Yen have no parts.
  expect(await shopper.refund(number, { amount: '752.5' })).toMatchObject({ __typename: 'ValidationError' })
  expect(await shopper.refund(number, { amount: '752' })).toMatchObject({ refund: { amount: '752' }, order: { refunded: '752' } })
  await update(token, {})

  // What the merchant adds later has the rate of the order, whatever the rate is by then.
  const [yen] = (await ask('{ storeCurrencies { id code version } }')).storeCurrencies
  await change(yen.id, { rate: '200' })
  const added = await ask(
    `mutation ($id: ID!, $input: EditOrderInput!) { r: editOrder(id: $id, input: $input) { __typename ... on ValidationError { message } } }`,
    { id: String(number), input: { addLines: [{ productId: product, quantity: 1 }] } },
  )
  expect(added.r.__typename).toBe('EditOrderSuccess')
  // Added at 1600 ¥, as the shop listed it, with 23 % and 80 ¥.
  expect((await orderOf(number)).lines.at(-1)).toEqual({ price: '1600', total: '2048' })
  await change(yen.id, { rate: '160' })
})

test('a cart changes its currency with its sums; one that the shop does not have is refused', async () => {
  const product = await shopper.aProduct({ name: 'Jug', price: '10', shippingRequired: false })
  const { token, cart } = await cartIn('USD', [{ productId: product }])
  expect(cart.totals).toMatchObject({ currency: 'USD', subtotal: '10.99', total: '14.07' })
  expect((await update(token, { currency: 'JPY' })).cart.totals).toMatchObject({ currency: 'JPY', total: '2048' })
  expect((await update(token, { currency: null })).cart.totals).toMatchObject({ currency: 'EUR', total: '12.8' })
  expect(fields(await update(token, { currency: 'GBP' }))).toEqual(['currency'])
  expect(fields(await cartIn('GBP', []))).toEqual(['currency'])
})

test('a gift card pays in its own currency only, and the shopper reads which', async () => {
  const product = await shopper.aProduct({ name: 'Vase', price: '10', shippingRequired: false })
  const card = await shopper.aGiftCard('5')
  const { token } = await cartIn('JPY', [{ productId: product }])
  const refused = await update(token, { addGiftCardCodes: [card.code] })
  expect(refused.errors[0].message).toContain('is in EUR')
  const own = (await update(token, { currency: null })).cart
  expect(own.totals).toMatchObject({ total: '12.8' })
  const paid = (await update(token, { addGiftCardCodes: [card.code] })).cart
  expect(paid).toMatchObject({ totals: { giftCards: '5', total: '7.8' }, giftCards: [{ applied: '5' }] })
  const moved = (await update(token, { currency: 'JPY' })).cart
  expect(moved).toMatchObject({ totals: { giftCards: '0', total: '2048' }, giftCards: [{ applied: '0' }] })
  expect(moved.problems.map(({ code }: { code: string }) => code)).toContain('GIFT_CARD')
})

test('a price list of a currency sets prices in it, others are converted; each rounds by its own rule', async () => {
  const [mug, pan] = [
    await shopper.aProduct({ name: 'Mug', price: '10', shippingRequired: false }),
    await shopper.aProduct({ name: 'Pan', price: '30', shippingRequired: false }),
  ]
  const dollars = (await aList({ name: 'Dollars', currency: 'USD' })).priceList
  expect(dollars.currency).toBe('USD')
  expect(fields(await aList({ currency: 'GBP' }))).toEqual(['currency'])
  expect(fields(await aList({ currency: 'JPY', roundingStep: '0.5' }))).toEqual(['roundingStep'])
  expect((await setPrices(dollars.id, [{ productId: mug, price: '8.5' }])).__typename).toBe('PriceListSuccess')
  const everywhere = (await aList({ name: 'Everywhere', adjustmentPercent: '-10', roundingStep: '1' })).priceList
  expect(everywhere.currency).toBe('EUR')
  const net = async (permalink: string, currency: string | null) => (await seen(permalink, currency)).product.price.withoutTax
  expect([await net('mug', 'USD'), await net('mug', null), await net('mug', 'JPY')]).toEqual(['8.5', '9', '1400'])
  // 30 € less a tenth is 29.70 $, which ends in .99.
  expect([await net('pan', 'USD'), await net('pan', null)]).toEqual(['29.99', '27'])
  const { cart } = await cartIn('USD', [{ productId: mug, quantity: 2 }, { productId: pan }])
  expect(cart.totals.subtotal).toBe('46.99')
  await setPrices(everywhere.id, [{ productId: pan, price: '20' }])
  expect([await net('pan', 'USD'), await net('pan', 'JPY')]).toEqual(['21.99', '3200'])
  const moved = await ask(
    `mutation ($id: ID!) { r: updatePriceList(id: $id, input: { currency: "JPY" }) { __typename ${FAILURES} } }`,
    { id: dollars.id },
  )
  expect(fields(moved.r)).toEqual(['currency'])
  for (const { id } of [dollars, everywhere]) await ask('mutation ($id: ID!) { deletePriceList(id: $id) { __typename } }', { id })
})

test('prices of filters and facets are in the chosen currency', async () => {
  const other = await stack.aStore({ name: 'Prices' })
  const own = storefrontShopper(stack, other)
  await add({ code: 'JPY', rate: '160' }, other)
  for (const price of ['5', '10', '20']) await own.aProduct({ name: `At ${price}`, price })
  const { storefront } = await ask(
    `query ($s: String!) { storefront(store: $s, currency: "JPY") { products(filter: { priceMin: "1000", priceMax: "2000" }) {
      nodes { name price { amount } } facets { priceMin priceMax } } } }`,
    { s: other.code },
    ANONYMOUS,
  )
  expect(storefront.products).toEqual({
    nodes: [{ name: 'At 10', price: { amount: '1600' } }],
    facets: { priceMin: '1600', priceMax: '1600' },
  })
})

test('a sales report counts the orders of one currency', async () => {
  const report = async (currency: string | null) =>
    (
      await ask(
        'query ($c: String) { salesReport(period: { period: TODAY }, currency: $c) { currency days { ordersPaid gross } } }',
        {
          c: currency,
        },
      )
    ).salesReport
  expect(await report('JPY')).toMatchObject({ currency: 'JPY', days: [{ ordersPaid: 1 }] })
  expect(await report(null)).toEqual({ currency: 'EUR', days: [{ ordersPaid: 0, gross: '0' }] })
  const { errors } = await stack.ask(shop, '{ salesReport(period: { period: TODAY }, currency: "yen") { currency } }')
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
})

test('a currency is of one store, needs its scopes, is bounded, and stays while prices depend on it', async () => {
  const other = await stack.aStore({ name: 'Glass' })
  const [yen] = (await ask('{ storeCurrencies { id code version } }')).storeCurrencies
  expect((await change(yen.id, { rate: '1' }, other)).__typename).toBe('NotFoundError')
  expect((await remove(yen.id, other)).__typename).toBe('NotFoundError')
  expect((await ask('{ storeCurrencies { code } }', {}, other)).storeCurrencies).toEqual([])
  expect(await change(yen.id, { rate: '170', expectedVersion: 999 })).toMatchObject({ __typename: 'ConflictError' })
  expect(fields(await change(yen.id, { rate: null }))).toEqual(['rate'])
  expect(fields(await add({ code: 'JPY', rate: '1' }))).toEqual(['code'])
  const reader = await agreedApp(stack, shop, { scopes: ['read_settings'] })
  expect((await ask('{ storeCurrencies { code } }', {}, reader.caller)).storeCurrencies).toHaveLength(2)
  const denied = await stack.ask(reader.caller, 'mutation ($id: ID!) { deleteStoreCurrency(id: $id) { __typename } }', {
    id: yen.id,
  })
  expect(denied.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  const list = (await aList({ currency: 'JPY', active: false })).priceList
  expect((await remove(yen.id)).message).toContain('no price list in JPY')
  await ask('mutation ($id: ID!) { deletePriceList(id: $id) { __typename } }', { id: list.id })
  const refused = await ask(
    'mutation { r: updateStore(input: { currency: "USD" }) { __typename ... on ValidationError { errors { field } } } }',
  )
  expect(fields(refused.r)).toEqual(['currency'])
  const codes = Intl.supportedValuesOf('currency')
    .filter((code) => code !== 'EUR')
    .slice(0, 19)
  for (const code of codes) await add({ code, rate: '2' }, other)
  const last = await Promise.all(['JPY', 'USD', 'CHF'].map((code) => add({ code, rate: '2' }, other)))
  expect(last.filter(({ __typename }) => __typename === 'StoreCurrencySuccess')).toHaveLength(1)
  const entries = await stack.sql(
    `SELECT kind, fields FROM audit_entry WHERE store_id = $1 AND noun = 'STORE_CURRENCY' ORDER BY id LIMIT 1`,
    [shop.storeId],
  )
  expect(entries).toMatchObject([{ kind: 'CREATED' }])
})

test('a converted price of 50 reaches free shipping from 50', async () => {
  const other = await stack.aStore({ name: 'Clay' })
  const own = storefrontShopper(stack, other)
  // 50 € are 8000.3 ¥: 8000 ¥, which are 49.9981 €.
  await add({ code: 'JPY', rate: '160.006' }, other)
  const input = { type: 'FLAT', name: 'Post', fees: [{ type: 'FIXED', value: '4' }], freeShipping: true, freeShippingFrom: '50' }
  await ask(
    'mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { __typename } }',
    { input },
    other,
  )
  const shippedFor = async (price: string) => {
    const lines = [{ productId: await own.aProduct({ name: `Pot ${price}`, price, weight: '1' }) }]
    const { r } = await ask(
      'mutation ($input: CreateStorefrontCartInput!) { r: createStorefrontCart(input: $input) { ... on CreateStorefrontCartSuccess { token } } }',
      { input: { store: other.code, currency: 'JPY', lines } },
      ANONYMOUS,
    )
    await own.update(r.token, { shippingAddress: LISBON })
    const { storefront } = await ask(
      'query ($s: String!, $t: String!) { storefront(store: $s) { cart(token: $t) { shippingRates { price } } } }',
      { s: other.code, t: r.token },
      ANONYMOUS,
    )
    return storefront.cart.shippingRates
  }
  expect([await shippedFor('50'), await shippedFor('49')]).toEqual([[{ price: '0' }], [{ price: '640' }]])
})

test('a store keeps its currency while it has orders that were converted from it', async () => {
  const other = await stack.aStore({ name: 'Wood' })
  const own = storefrontShopper(stack, other)
  const { storeCurrency } = await add({ code: 'JPY', rate: '160' }, other)
  const product = await own.aProduct({ name: 'Spoon', price: '10', shippingRequired: false })
  const { token } = (
    await ask(
      'mutation ($input: CreateStorefrontCartInput!) { r: createStorefrontCart(input: $input) { ... on CreateStorefrontCartSuccess { token } } }',
      { input: { store: other.code, currency: 'JPY', lines: [{ productId: product }] } },
      ANONYMOUS,
    )
  ).r
  await own.update(token, { email: 'ana@example.org', paymentMethodId: await own.aPaymentMethod() })
  expect((await own.complete(token, '1600')).__typename).toBe('CompleteStorefrontCheckoutSuccess')
  await remove(storeCurrency.id, other)
  const refused = await ask(
    'mutation { r: updateStore(input: { currency: "USD" }) { __typename ... on ValidationError { errors { field message } } } }',
    {},
    other,
  )
  expect(fields(refused.r)).toEqual(['currency'])
  expect(refused.r.errors[0].message).toContain('orders that were converted')
})

test('a cart in a currency that was deleted cannot be ordered before it has another one', async () => {
  const product = await shopper.aProduct({ name: 'Tray', price: '10', shippingRequired: false })
  await add({ code: 'CHF', rate: '0.95' })
  const { token } = await cartIn('CHF', [{ productId: product }])
  const franc = (await ask('{ storeCurrencies { id code } }')).storeCurrencies.find(
    ({ code }: { code: string }) => code === 'CHF',
  )
  expect((await remove(franc.id)).__typename).toBe('DeleteStoreCurrencySuccess')
  const { cart } = await update(token, { email: 'ana@example.org' })
  expect(cart.totals).toBeNull()
  expect(cart.problems[0]).toMatchObject({ code: 'INVALID' })
  expect(cart.problems[0].message).toContain('EUR, JPY, USD')
  expect((await update(token, { currency: 'USD' })).cart.totals).toMatchObject({ currency: 'USD' })
})
