import { TestClock } from 'pg-boss'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startSmtpServer, type TestSmtpServer } from '../../../support/smtp-server.ts'
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
let cup = ''
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
  await ask('mutation ($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }', {
    input: { name: 'Five', discountTarget: 'ORDER', type: 'FIX', discountAmountFix: '5', coupons: [{ code: 'FIVE' }] },
  })
  cup = await shopper.aProduct({ name: 'Cup', price: '10.1', stock: 500 })
  // 1 € is 160 ¥, with prices in hundreds, and 0.331 KD, which has thousandths.
  await add({ code: 'JPY', rate: '160', roundingStep: '100' })
  await add({ code: 'KWD', rate: '0.331' })
})
afterEach(() => expectBalancedBooks(stack))
afterAll(async () => {
  await stop()
  await stack.close()
  await smtp.close()
  await gateway.close()
})

async function ask(query: string, variables: Record<string, unknown> = {}, who: Parameters<StoreStack['ask']>[0] = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data
}
const add = async (input: object) =>
  expect(
    (
      await ask('mutation ($input: CreateStoreCurrencyInput!) { r: createStoreCurrency(input: $input) { __typename } }', {
        input,
      })
    ).r.__typename,
  ).toBe('StoreCurrencySuccess')
const currencyOf = async (code: string): Promise<{ id: string }> =>
  (await ask('{ storeCurrencies { id code } }')).storeCurrencies.find((each: { code: string }) => each.code === code)
const setRate = async (code: string, rate: string) =>
  ask('mutation ($id: ID!, $input: UpdateStoreCurrencyInput!) { updateStoreCurrency(id: $id, input: $input) { __typename } }', {
    ...(await currencyOf(code)),
    input: { rate },
  })
const UNUSABLE = '... on ValidationError { errors { field message } } ... on NotFoundError { message }'
const FAILURES = `${UNUSABLE} ... on ConflictError { message }`
const ORDER = `number status currency subtotal tax shipping shippingTax discount total refunded balanceDue refundDue
  exchangeRate { rate base } lines { id price quantity total } payments { currency amount captured refunded status }`
const orderOf = async (number: number) =>
  (await ask(`query ($id: ID!) { order(id: $id) { ${ORDER} } }`, { id: String(number) })).order
const create = async (input: object) =>
  (
    await ask(
      `mutation ($input: CreateOrderInput!) { r: createOrder(input: $input) { __typename ... on CreateOrderSuccess { order { ${ORDER} } } ${FAILURES} } }`,
      { input },
    )
  ).r
const preview = async (input: object) =>
  (
    await ask(
      `query ($input: CreateOrderInput!) { r: calculateOrder(input: $input) { __typename ... on CalculatedOrder { currency total tax shipping discount lines { price total } } ${UNUSABLE} } }`,
      { input },
    )
  ).r
const DRAFT = `id status currency total invoiceUrl contents order { ${ORDER} }`
const draft = async (field: string, variables: object) => {
  const Type = `${field[0]?.toUpperCase()}${field.slice(1)}`
  const [declared, given] = 'id' in variables ? ['$id: ID!, ', 'id: $id, '] : ['', '']
  const query = `mutation (${declared}$input: ${Type}Input!) { r: ${field}(${given}input: $input) { __typename ... on DraftOrderSuccess { draftOrder { ${DRAFT} } } ${FAILURES} } }`
  return (await ask(query, { ...variables })).r
}
const calculated = async (id: string) =>
  (
    await ask(
      `query ($id: ID!) { r: calculateDraftOrder(id: $id) { __typename ... on CalculatedOrder { currency total } ${UNUSABLE} } }`,
      { id },
    )
  ).r
const edit = async (number: number, input: object) =>
  (
    await ask(
      `mutation ($id: ID!, $input: EditOrderInput!) { r: editOrder(id: $id, input: $input) { __typename ... on EditOrderSuccess { order { ${ORDER} } } ... on OrderEditRefused { code } ${FAILURES} } }`,
      { id: String(number), input },
    )
  ).r
const fields = ({ errors }: { errors: { field: string }[] }) => errors.map(({ field }) => field)
/** Entries of the ledger of an order, in the order of entry. */
const ledgerOf = async (number: number) =>
  (
    await stack.sql('SELECT kind, amount::text, currency FROM ledger_entry WHERE store_id = $1 AND order_id = $2 ORDER BY id', [
      shop.storeId,
      number,
    ])
  ).map(({ kind, amount, currency }) => `${kind} ${Number(amount)} ${currency}`)
const LISBON = { name: 'Ana', address: 'Rua 1', city: 'Lisbon', country: 'PT' }
const ANA = { email: 'ana@example.org', shippingAddress: LISBON }

test('an order is created in another currency: listed prices, coupons, fixed taxes and shipping are converted, given prices are not', async () => {
  const input = {
    ...{ currency: 'JPY', status: 'PAID', customer: ANA, shippingMethodId },
    ...{ applyPromotions: true, couponCodes: ['FIVE'] },
    lines: [
      { productId: cup, quantity: 2 },
      { productId: cup, quantity: 1, price: '1000', discount: '100' },
    ],
  }
  const amounts = { currency: 'JPY', total: '5259', tax: '999', shipping: '960', discount: '900' }
  // 2 x 1600, as the shop lists it, and 1000 - 100, less 800 (5 €): 3300, with 23 %, and 80 and 320 for each unit.
  expect(await preview(input)).toMatchObject({
    __typename: 'CalculatedOrder',
    ...amounts,
    lines: [{ price: '1600' }, { price: '1000' }],
  })
  const { order } = await create(input)
  expect(order).toMatchObject({
    ...amounts,
    exchangeRate: { rate: '160', base: '1' },
    payments: [],
    lines: [{ price: '1600' }, { price: '1000' }],
  })
  expect(await ledgerOf(order.number)).toEqual(['PAYMENT 5259 JPY'])
  expect(await shopper.refund(order.number, { amount: '5258.5' })).toMatchObject({ __typename: 'ValidationError' })
  expect(await shopper.refund(order.number)).toMatchObject({ refund: { amount: '5259' }, order: { refunded: '5259' } })
  expect(await ledgerOf(order.number)).toEqual(['PAYMENT 5259 JPY', 'REFUND -5259 JPY'])
})

test('an order in a currency that the shop does not sell in is refused by name; its own needs no rate', async () => {
  const lines = [{ productId: cup }]
  for (const currency of ['GBP', 'yen', '']) {
    const refused = await create({ currency, lines })
    expect(fields(refused)).toEqual(['currency'])
    expect(refused.errors[0].message).toContain('EUR, JPY, KWD')
    expect(fields(await preview({ currency, lines }))).toEqual(['currency'])
    expect(fields(await draft('createDraftOrder', { input: { contents: { currency, lines } } }))).toEqual(['contents.currency'])
  }
  for (const more of [{}, { currency: null }, { currency: 'EUR' }])
    expect((await create({ ...more, lines })).order).toMatchObject({ currency: 'EUR', exchangeRate: null, total: '10.1' })
})

test('draft, order, page of its link, payment, refund and e-mail have one sum, in thousandths too', async () => {
  const paymentMethodId = await shopper.aGateway({ paymentMethodUrl: gateway.url, ...credentials })
  for (const [currency, total, discount, shown] of [
    ['JPY', '5062', '300', '¥5,062'],
    ['KWD', '10.912', '0.3', 'KWD 10.912'],
  ] as const) {
    const contents = {
      ...{ currency, customer: ANA, shippingMethodId, paymentMethodId, discount },
      lines: [
        { productId: cup, quantity: 2 },
        { name: 'Engraving', price: currency === 'JPY' ? '500' : '1.005' },
      ],
    }
    const { draftOrder } = await draft('createDraftOrder', { input: { contents } })
    expect(draftOrder).toMatchObject({ status: 'OPEN', currency, contents: { currency } })
    expect(await calculated(draftOrder.id)).toEqual({ __typename: 'CalculatedOrder', currency, total: draftOrder.total })
    const done = await draft('completeDraftOrder', {
      id: draftOrder.id,
      input: { expectedTotal: draftOrder.total, sendsConfirmation: true },
    })
    const { order } = done.draftOrder
    expect(order).toMatchObject({ currency, total: draftOrder.total, status: 'PAID' })
    const money = { amount: order.total, captured: order.total }
    expect(order.payments).toMatchObject([{ currency, ...money, status: 'AUTHORIZED' }])
    expect(gateway.shown(gateway.ids().at(-1) ?? '')).toMatchObject({ captured: order.total })
    const { shopOrder } = await ask(
      'query ($code: String!, $secret: String!) { shopOrder(code: $code, secret: $secret) { currency total } }',
      { code: shop.code, secret: done.draftOrder.invoiceUrl.split('/').at(-1) },
      ANONYMOUS,
    )
    expect(shopOrder).toEqual({ currency, total: order.total })
    expect(order.total).toBe(total)
    await mails.finished()
    expect(smtp.received.at(-1)?.text.replaceAll('\u00a0', ' ')).toContain(shown)
    expect(await shopper.refund(order.number)).toMatchObject({ refund: { amount: total }, order: { refunded: total } })
    expect(await ledgerOf(order.number)).toEqual([`PAYMENT ${total} ${currency}`, `REFUND -${total} ${currency}`])
  }
})

test('a draft waits for a currency that the shop does not sell in any more, and a total that the rate changed is a conflict', async () => {
  await add({ code: 'CHF', rate: '0.95' })
  const contents = { currency: 'CHF', customer: ANA, lines: [{ productId: cup }, { name: 'Engraving', price: '5' }] }
  const { draftOrder } = await draft('createDraftOrder', { input: { contents } })
  // 9.6 and 5 with 23 %, and two times 0.48.
  expect(draftOrder.total).toBe('18.92')
  await setRate('CHF', '1')
  // Only what is of the catalogue is converted: 10.1 and 5 with 23 %, and two times 0.5.
  expect(await calculated(draftOrder.id)).toMatchObject({ total: '19.57' })
  const stale = await draft('completeDraftOrder', { id: draftOrder.id, input: { expectedTotal: '18.92' } })
  expect(stale).toMatchObject({ __typename: 'ConflictError', message: 'Expected a total of 18.92, but it is 19.57 now.' })
  await ask('mutation ($id: ID!) { deleteStoreCurrency(id: $id) { __typename } }', { ...(await currencyOf('CHF')) })
  expect(fields(await calculated(draftOrder.id))).toEqual(['currency'])
  expect(fields(await draft('completeDraftOrder', { id: draftOrder.id, input: {} }))).toEqual(['currency'])
  const moved = { ...contents, currency: null, lines: [{ productId: cup }] }
  const { draftOrder: after } = await draft('updateDraftOrder', { id: draftOrder.id, input: { contents: moved } })
  expect(after).toMatchObject({ status: 'OPEN', currency: 'EUR' })
  expect((await draft('completeDraftOrder', { id: draftOrder.id, input: {} })).draftOrder.order).toMatchObject({
    currency: 'EUR',
    exchangeRate: null,
    total: after.total,
  })
})

test('an edit adds lines at the prices of the shop in the currency of the order, by price lists where they apply, and its balance adds up', async () => {
  const plate = await shopper.aProduct({ name: 'Plate', price: '12', stock: 500 })
  const { list } = (
    await ask(
      'mutation ($input: CreatePriceListInput!) { r: createPriceList(input: $input) { ... on PriceListSuccess { list: priceList { id } } } }',
      { input: { name: 'Yen', currency: 'JPY' } },
    )
  ).r
  const prices = [{ productId: plate, price: '1550' }]
  await ask(
    'mutation ($id: ID!, $input: SetPriceListPricesInput!) { setPriceListPrices(id: $id, input: $input) { __typename } }',
    { id: list.id, input: { prices } },
  )
  const { order } = await create({ currency: 'JPY', status: 'PAID', lines: [{ productId: cup }] })
  expect(order.total).toBe('1600')
  // What is converted later has the rate of the order, whatever the rate is by then.
  await setRate('JPY', '200')
  const listed = await edit(order.number, { addLines: [{ productId: plate }] })
  expect(listed.order.lines.map(({ price }: { price: string }) => price)).toEqual(['1600', '1900'])
  const byList = await edit(order.number, { addLines: [{ productId: plate }], applyPriceLists: true, shippingPrice: '500' })
  expect(byList.order).toMatchObject({ currency: 'JPY', total: '5550', balanceDue: '3950', exchangeRate: { rate: '160' } })
  expect(byList.order.lines.at(-1)).toMatchObject({ price: '1550', total: '1550' })
  await ask('mutation ($id: ID!) { payOrderBalance(id: $id, input: {}) { __typename } }', { id: String(order.number) })
  const [first] = byList.order.lines
  const less = await edit(order.number, { setQuantities: [{ lineId: first.id, quantity: 0 }] })
  expect(less.order).toMatchObject({ total: '3950', balanceDue: '0', refundDue: '1600' })
  await ask('mutation ($id: ID!) { refundOrderBalance(id: $id, input: {}) { __typename } }', { id: String(order.number) })
  expect(await ledgerOf(order.number)).toEqual(['PAYMENT 1600 JPY', 'PAYMENT 3950 JPY', 'REFUND -1600 JPY'])
  expect(await orderOf(order.number)).toMatchObject({ balanceDue: '0', refundDue: '0', refunded: '0' })
  await setRate('JPY', '160')
})

test('an order of before its store changed the currency keeps its fixed taxes, and takes no other one', async () => {
  const other = await stack.aStore({ name: 'Glass' })
  const merchant = async (query: string, variables: Record<string, unknown> = {}) => (await ask(query, variables, other)).r
  const aTax = (input: object) =>
    merchant('mutation ($input: CreateTaxInput!) { r: createTax(input: $input) { __typename } }', {
      input: { country: 'PT', fixed: true, ...input },
    })
  await aTax({ name: 'Recycling', rate: '0.5' })
  const own = storefrontShopper(stack, other)
  const pot = await own.aProduct({ name: 'Pot', price: '10', stock: 50 })
  const { order } = await merchant(
    `mutation ($input: CreateOrderInput!) { r: createOrder(input: $input) { ... on CreateOrderSuccess { order { ${ORDER} } } } }`,
    { input: { status: 'PAID', customer: ANA, lines: [{ productId: pot, quantity: 2 }], shippingPrice: '4' } },
  )
  expect(order).toMatchObject({ currency: 'EUR', total: '25', tax: '1' })
  expect(await merchant('mutation { r: updateStore(input: { currency: "JPY" }) { __typename } }')).toEqual({
    __typename: 'UpdateStoreSuccess',
  })
  const editOwn = (input: object) =>
    merchant(
      `mutation ($id: ID!, $input: EditOrderInput!) { r: editOrder(id: $id, input: $input) { __typename ... on EditOrderSuccess { order { ${ORDER} } } ... on OrderEditRefused { code message } ${FAILURES} } }`,
      { id: String(order.number), input },
    )
  // The tax is 80 of the new currency for what is sold now, and half of the old one for this order.
  const { id } = (await merchant('{ r: taxes { id } }'))[0]
  await merchant('mutation ($id: ID!) { r: updateTax(id: $id, input: { rate: "80" }) { __typename } }', { id })
  const three = { setQuantities: [{ lineId: order.lines[0].id, quantity: 3 }] }
  expect(await editOwn(three)).toMatchObject({ order: { currency: 'EUR', total: '35.5', tax: '1.5', balanceDue: '10.5' } })

  for (const input of [
    { name: 'Packaging', rate: '30' },
    { name: 'Freight', rate: '30', shipping: true },
  ]) {
    const { id: tax } = (
      await merchant(
        'mutation ($input: CreateTaxInput!) { r: createTax(input: $input) { ... on CreateTaxSuccess { tax { id } } } }',
        { input: { country: 'PT', fixed: true, ...input } },
      )
    ).tax
    const refused = await editOwn({ shippingPrice: '5' })
    expect(refused).toMatchObject({ __typename: 'OrderEditRefused', code: 'NO_EXCHANGE_RATE' })
    expect(refused.message).toContain('the order is in EUR')
    await merchant('mutation ($id: ID!) { r: deleteTax(id: $id) { __typename } }', { id: tax })
  }
  expect(await editOwn({ shippingPrice: '5' })).toMatchObject({ order: { total: '36.5', tax: '1.5' } })
})
