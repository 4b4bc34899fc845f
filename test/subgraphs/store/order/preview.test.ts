import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { shopping } from './support.ts'

let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
})
afterAll(() => stack.close())

const line = (productId: number, more: Record<string, unknown> = {}) => ({ productId: String(productId), ...more })

const CALCULATE = `query ($input: CreateOrderInput!) { calculateOrder(input: $input) { __typename
  ... on CalculatedOrder { currency subtotal tax shipping shippingTax discount shippingDiscount total shippingMethodName shippingRequired
    lines { productNumber name quantity price discount subtotal tax total taxes { name rate amount includedInPrice } }
    shippingTaxes { name amount } promotions { name amount } refusedCoupons { code reason }
    shortages { productNumber wanted available } }
  ... on ValidationError { errors { field message } } ... on NotFoundError { message } } }`
const calculate = async (input: Record<string, unknown>, who = shop) => {
  const { data, errors } = await stack.ask(who, CALCULATE, { input })
  expect(errors).toBeUndefined()
  return data.calculateOrder
}

async function make(who: TestStore, field: string, type: string, input: Record<string, unknown>, thing: string) {
  const success = `${field[0]?.toUpperCase()}${field.slice(1)}Success`
  const { data, errors } = await stack.ask(
    who,
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ... on ${success} { ${thing} { number } } ... on ValidationError { errors { message } } } }`,
    { input },
  )
  expect([errors, data?.[field].__typename]).toEqual([undefined, success])
  return data[field][thing].number as number
}

test('a calculation is what the order becomes, and writes nothing', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ price: '10', stock: 2 })
  await make(own, 'createTax', 'CreateTaxInput', { name: 'IVA', rate: '23', country: 'PT' }, 'tax')
  await make(own, 'createTax', 'CreateTaxInput', { name: 'IVA', rate: '23', shipping: true }, 'tax')
  const method = await make(
    own,
    'createShippingMethod',
    'CreateShippingMethodInput',
    {
      type: 'TABLES',
      name: 'Van',
      tables: [
        {
          basedOn: 'PRICE',
          values: [
            { amount: 0, price: '4.99' },
            { amount: 30, price: '1' },
          ],
          locations: [{ country: 'PT' }],
        },
      ],
    },
    'shippingMethod',
  )
  const input = {
    customer: { email: 'ana@example.com', shippingAddress: { country: 'PT' } },
    shippingMethodId: String(method),
    lines: [line(id, { quantity: 3 }), line(id, { price: '0.05' })],
  }
  const before = await stack.sql('SELECT (SELECT count(*) FROM customer) AS customers, (SELECT count(*) FROM "order") AS orders')
  const calculated = await calculate(input, own)
  expect(calculated).toMatchObject({
    __typename: 'CalculatedOrder',
    subtotal: '30.05',
    // 6.90 of the lamps, and 0.0115 of the rest.
    tax: '6.91',
    shipping: '1',
    shippingTax: '0.23',
    total: '38.19',
    shippingMethodName: 'Van',
    lines: [
      { tax: '6.9', total: '36.9', taxes: [{ name: 'IVA', rate: '23', amount: '6.9', includedInPrice: false }] },
      { tax: '0.01' },
    ],
    shippingTaxes: [{ name: 'IVA', amount: '0.23' }],
    shortages: [{ productNumber: id, wanted: 4, available: 2 }],
  })
  expect(
    await stack.sql('SELECT (SELECT count(*) FROM customer) AS customers, (SELECT count(*) FROM "order") AS orders'),
  ).toEqual(before)
  expect(await mine.create(input, own)).toMatchObject({ __typename: 'InsufficientStock' })
  await stack.ask(own, 'mutation { updateTaxSettings(input: { pricesIncludeTax: true }) { __typename } }')
  expect((await calculate(input, own)).lines[0]).toMatchObject({ total: '30', taxes: [{ rate: '23', includedInPrice: true }] })
  await stack.ask(own, 'mutation { updateTaxSettings(input: { pricesIncludeTax: false }) { __typename } }')
  const cart = await mine.anOrder({ ...input, status: 'ABANDONED' })
  const money = ({ subtotal, tax, shipping, shippingTax, discount, total }: Record<string, unknown>) => ({
    subtotal,
    tax,
    shipping,
    shippingTax,
    discount,
    total,
  })
  expect(money(cart)).toEqual(money(calculated))
  expect(cart).toMatchObject({ shippingMethodName: 'Van', shippingMethodNumber: method })

  // Nobody goes there, and there is another price where the caller says so.
  const abroad = { ...input, customer: { shippingAddress: { country: 'JP' } } }
  expect(await calculate(abroad, own)).toMatchObject({ errors: [{ field: 'shippingMethodId' }] })
  expect(await mine.create(abroad, own)).toMatchObject({ errors: [{ field: 'shippingMethodId' }] })
  expect(await calculate({ ...abroad, shippingPrice: '20' }, own)).toMatchObject({ shipping: '20', tax: '0' })
})

test('promotions apply on request only, and never to given prices', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ price: '10', stock: 100 })
  await make(own, 'createPromotion', 'CreatePromotionInput', { name: 'Ten percent', discountAmountPercent: 10 }, 'promotion')
  const input = { lines: [line(id, { quantity: 3, discount: '0.01' })] }
  expect(await calculate(input, own)).toMatchObject({ total: '29.99', promotions: [] })
  expect((await mine.anOrder(input)).total).toBe('29.99')
  const withPromotions = { ...input, applyPromotions: true }
  expect(await calculate(withPromotions, own)).toMatchObject({
    discount: '3.01',
    total: '26.99',
    promotions: [{ name: 'Ten percent', amount: '3' }],
  })
  expect(await mine.anOrder(withPromotions)).toMatchObject({
    discount: '3.01',
    total: '26.99',
    promotions: [{ name: 'Ten percent', amount: '3' }],
    lines: [{ discount: '3.01', total: '26.99' }],
  })
})

test('a coupon of three uses is used three times by twenty orders at once, and again when one is off', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ price: '10', stock: 100 })
  await make(
    own,
    'createPromotion',
    'CreatePromotionInput',
    {
      name: 'Three',
      discountAmountFix: '1',
      coupons: [{ code: 'THREE', usageLimit: 3 }],
    },
    'promotion',
  )
  const input = { applyPromotions: true, couponCodes: ['three'], lines: [line(id)] }
  const results = await Promise.all(Array.from({ length: 20 }, () => mine.create(input)))
  const made = results.filter(({ __typename }) => __typename === 'CreateOrderSuccess')
  expect(made).toHaveLength(3)
  for (const result of results.filter((each) => !made.includes(each))) {
    expect(result).toMatchObject({
      __typename: 'ValidationError',
      errors: [{ field: 'couponCodes.0', message: expect.stringContaining('USED_UP') }],
    })
  }
  expect((await mine.stockOf(id)).stock).toBe(97)
  expect(await calculate(input, own)).toMatchObject({ total: '10', refusedCoupons: [{ code: 'three', reason: 'USED_UP' }] })

  expect(made[0].order).toMatchObject({ coupons: ['THREE'], total: '9' })
  await mine.cancel(made[0].order.id)
  // A cart counts nothing until it is an order.
  const carts = [await mine.anOrder({ ...input, status: 'ABANDONED' }), await mine.anOrder({ ...input, status: 'ABANDONED' })]
  const paid = await Promise.all(carts.map(({ id: cart }) => mine.pay(cart)))
  expect(paid.map(({ __typename }) => __typename).sort()).toEqual(['MarkOrderPaidSuccess', 'ValidationError'])
  const [row] = await stack.sql('SELECT times_used FROM coupon WHERE store_id = $1', [own.storeId])
  expect(row).toEqual({ times_used: 3 })
})

test('an automatic promotion that others use up does not stop an order', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const { id } = await mine.aProduct({ price: '10', stock: 100 })
  await make(
    own,
    'createPromotion',
    'CreatePromotionInput',
    { name: 'First two', discountAmountFix: '1', lasts: 'MAX_TIMES_USED', maxTimesUsed: 2 },
    'promotion',
  )
  const orders = await Promise.all(Array.from({ length: 12 }, () => mine.anOrder({ applyPromotions: true, lines: [line(id)] })))
  expect(orders.map(({ total }) => total).sort()).toEqual([...Array.from({ length: 10 }, () => '10'), '9', '9'])
})

test('a calculation says what is wrong as the order would', async () => {
  expect(await calculate({ lines: [] })).toMatchObject({ errors: [{ field: 'lines' }] })
  expect(await calculate({ lines: [line(2_000_000_000)] })).toMatchObject({ __typename: 'NotFoundError' })
  const { id } = await shopper.aProduct({ shippingRequired: false })
  expect(await calculate({ lines: [line(id)] })).toMatchObject({
    shippingRequired: false,
    shippingMethodName: null,
    shipping: '0',
  })
})

test('names of lines are in the language of the order, and stay so', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  await stack.ask(own, 'mutation { updateStore(input: { languages: ["pt", "en"] }) { __typename } }')
  const { id } = await mine.aProduct({ name: 'Candeeiro' })
  await stack.ask(own, 'mutation ($id: ID!) { updateProduct(id: $id, input: { locale: "en", name: "Lamp" }) { __typename } }', {
    id: String(id),
  })
  expect((await mine.anOrder({ lines: [line(id)] })).lines[0].name).toBe('Candeeiro')
  expect((await mine.anOrder({ locale: 'pt', lines: [line(id)] })).lines[0].name).toBe('Candeeiro')
  expect((await mine.anOrder({ locale: 'en', lines: [line(id)] })).lines[0].name).toBe('Lamp')
})
