import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { textOf } from '../../../../subgraphs/store/amount.ts'
import { calculateCart } from '../../../../subgraphs/store/order/calculation/calculate.ts'
import type { CartInput } from '../../../../subgraphs/store/order/calculation/cart.ts'
import { redeem, unredeem } from '../../../../subgraphs/store/promotion/redeem.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'

const now = new Date('2026-11-20T12:00:00Z')
let stack: StoreStack
let shop: TestStore
let database: { readonly query: Kysely<Tables>; readonly close: () => Promise<void> }
beforeAll(async () => {
  stack = await startStore(() => now)
  database = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 12, onError: () => {} })
})
afterAll(async () => {
  await database.close()
  await stack.close()
})
beforeEach(async () => {
  shop = await stack.aStore()
})

/** The number of what a mutation made. */
async function made(mutation: string, input: Record<string, unknown>): Promise<number> {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`
  const thing = mutation.replace(/^create./, (start) => start.charAt(6).toLowerCase())
  const { data, errors } = await stack.ask(
    shop,
    `mutation ($input: ${name}Input!) { ${mutation}(input: $input) { __typename ... on ${name}Success { ${thing} { number } } } }`,
    { input },
  )
  expect(errors).toBeUndefined()
  return data[mutation][thing].number
}

const PORTO = { country: 'PT', region: '17', municipality: null, postal: '4000-001' }
const SEVILLE = { country: 'ES', region: '51', municipality: null, postal: '41001' }
const order = (more: Partial<CartInput> = {}): CartInput => ({
  currency: 'EUR',
  exchange: null,
  lines: [{ productId: null, price: '10', quantity: 2, discount: '0' }],
  shipping: '5',
  shippingDestination: PORTO,
  billingDestination: SEVILLE,
  customer: null,
  couponCodes: [],
  giftCards: [],
  arePricesGiven: false,
  ...more,
})

async function price(more: Partial<CartInput> = {}) {
  const payload = await calculateCart({ query: database.query, storeId: shop.storeId, now }, order(more))
  if (payload.kind !== 'calculated') throw new Error(payload.kind)
  return payload
}
const totals = async (more: Partial<CartInput> = {}) => {
  const { lines, shippingTaxes, ...totals } = (await price(more)).totals
  return Object.fromEntries(Object.entries(totals).flatMap(([name, amount]) => (amount === 0n ? [] : [[name, textOf(amount)]])))
}

const BARE = {
  status: 'PENDING_PAYMENT',
  currency: 'EUR',
  subtotal: '0',
  total: '0',
  customer: JSON.stringify({}),
  search_key: '',
  created_at: now,
  updated_at: now,
} as const

/**
 * An order with nothing in it, as the redemption wants one; in a transaction of its own that
 * redeems what the cart applies.
 */
const ordered = (more: Partial<CartInput>) =>
  database.query.transaction().execute(async (query) => {
    const unit = { query, storeId: shop.storeId, now }
    const payload = await calculateCart(unit, order(more))
    if (payload.kind !== 'calculated') throw new Error(payload.kind)
    const { id } = await query
      .insertInto('order')
      .values({ ...BARE, store_id: shop.storeId, token: `token-${Math.random()}` })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, redemption: await redeem(unit, id, payload.discounts.applied) }
  })

const uses = async (id: number) => {
  const { data } = await stack.ask(shop, 'query ($id: ID!) { promotion(id: $id) { timesUsed coupons { timesUsed } } }', {
    id: String(id),
  })
  return [data.promotion.timesUsed, ...data.promotion.coupons.map(({ timesUsed }: { timesUsed: number }) => timesUsed)]
}

test('taxes of the store are on top where the order is sent, or inside the prices where it is billed', async () => {
  await made('createTax', { name: 'IVA', country: 'PT', rate: '23' })
  await made('createTax', { name: 'IVA on shipping', country: 'PT', rate: '6', shipping: true })
  await made('createTax', { name: 'IVA', country: 'ES', rate: '21' })
  expect(await totals()).toEqual({ subtotal: '20', tax: '4.6', shipping: '5', shippingTax: '0.3', total: '29.9' })
  await stack.ask(shop, 'mutation { updateTaxSettings(input: { pricesIncludeTax: true, taxedAddress: BILLING }) { __typename } }')
  // 20.00 with 21 % inside: 3.47 (3.4710…) of tax.
  expect(await totals()).toEqual({ subtotal: '16.53', tax: '3.47', shipping: '5', total: '25' })
})

test('a promotion of a category is for products of the categories below it', async () => {
  const clothes = await made('createProductCategory', { name: 'Clothes' })
  const socks = await made('createProductCategory', { name: 'Socks', parentId: String(clothes) })
  const red = await made('createProduct', { name: 'Red socks', price: '4', categoryIds: [String(socks)] })
  const hat = await made('createProduct', { name: 'Hat', price: '4' })
  await made('createPromotion', {
    name: 'Clothes',
    discountTarget: 'CATEGORIES',
    discountAmountPercent: '50',
    categoryIds: [String(clothes)],
  })
  const lines = [red, hat].map((productId) => ({ productId, price: '4', quantity: 1, discount: '0' }))
  expect((await price({ lines })).totals.lines.map(({ discount }) => textOf(discount))).toEqual(['2', '0'])
})

test('prices that an application gives are not changed by promotions, but taxed', async () => {
  await made('createPromotion', { name: 'Everybody', discountAmountPercent: '50' })
  await made('createTax', { name: 'IVA', rate: '10' })
  expect(await totals({ shipping: null })).toEqual({ subtotal: '20', discount: '10', tax: '1', total: '11' })
  expect(await totals({ shipping: null, arePricesGiven: true })).toEqual({ subtotal: '20', tax: '2', total: '22' })
})

test('promotions that are disabled, past, or need a coupon do nothing, and a code without effect has a reason', async () => {
  await made('createPromotion', { name: 'Off', enabled: false, discountAmountPercent: '50' })
  await made('createPromotion', { name: 'Past', lasts: 'DATE', expiresAt: '2026-11-20T12:00:00Z', discountAmountPercent: '50' })
  await made('createPromotion', { name: 'Coupon', discountAmountPercent: '50', coupons: [{ code: 'Half' }] })
  await made('createPromotion', { name: 'Off', enabled: false, discountAmountPercent: '50', coupons: [{ code: 'Off' }] })
  expect(await totals({ shipping: null })).toEqual({ subtotal: '20', total: '20' })
  const { discounts } = await price({ couponCodes: ['HALF', 'off', 'nul \0', 'nobody'] })
  expect(textOf(discounts.order)).toBe('10')
  expect(discounts.refused).toEqual([
    { code: 'off', reason: 'DISABLED' },
    { code: 'nul \0', reason: 'UNKNOWN' },
    { code: 'nobody', reason: 'UNKNOWN' },
  ])
})

test('an order that no column can hold is refused', async () => {
  const lines = [{ productId: null, price: '9999999999.99', quantity: 2_000_000_000, discount: '0' }]
  const payload = await calculateCart({ query: database.query, storeId: shop.storeId, now }, order({ lines }))
  expect(payload).toEqual({ kind: 'too-large' })
})

test('the promotions of another store are not applied, nor are its coupons', async () => {
  await made('createPromotion', { name: 'Everybody', discountAmountPercent: '50' })
  await made('createPromotion', { name: 'Coupon', discountAmountPercent: '90', coupons: [{ code: 'Theirs' }] })
  shop = await stack.aStore({ name: 'Another shop' })
  expect(await totals({ shipping: null, couponCodes: ['Theirs'] })).toEqual({ subtotal: '20', total: '20' })
})

test('of 12 concurrent orders with a coupon for 5, exactly 5 use it; the others get an error, and are not counted', async () => {
  const id = await made('createPromotion', {
    name: 'Five',
    discountAmountPercent: '10',
    coupons: [{ code: 'FIVE', usageLimit: 5 }],
  })
  const results = await Promise.all(Array.from({ length: 12 }, () => ordered({ couponCodes: ['five'] })))
  const kinds = results.map(({ redemption }) => redemption.kind)
  // Those that were priced after the fifth had no promotion to redeem.
  const [{ count } = {}] = await stack.sql('SELECT count(*)::int FROM promotion_redemption WHERE promotion_id = $1', [id])
  expect(count).toBe(5)
  expect(await uses(id)).toEqual([5, 5])
  for (const { redemption } of results) {
    if (redemption.kind === 'used-up') expect(redemption).toEqual({ kind: 'used-up', promotionIds: [id], couponCodes: ['FIVE'] })
  }
  expect(kinds.filter((kind) => kind === 'redeemed').length).toBeGreaterThanOrEqual(5)
})

test('of 12 orders at once with a promotion for 3, exactly 3 have it, whichever of several they use', async () => {
  const three = await made('createPromotion', {
    name: 'Three',
    discountAmountPercent: '10',
    cumulative: true,
    lasts: 'MAX_TIMES_USED',
    maxTimesUsed: 3,
  })
  const many = await made('createPromotion', { name: 'Many', discountAmountFix: '1', cumulative: true })
  const results = await Promise.all(Array.from({ length: 12 }, () => ordered({})))
  const usedUp = results.filter(({ redemption }) => redemption.kind === 'used-up').length
  expect(await uses(three)).toEqual([3])
  // All of an order's promotions are counted, or none.
  expect(await uses(many)).toEqual([12 - usedUp])
})

test('a cancelled order returns its uses of promotions, once', async () => {
  const id = await made('createPromotion', {
    name: 'Once',
    discountAmountPercent: '10',
    coupons: [{ code: 'ONCE', usageLimit: 1 }],
  })
  const { id: orderId } = await ordered({ couponCodes: ['once'] })
  expect(await uses(id)).toEqual([1, 1])
  expect((await price({ couponCodes: ['once'] })).discounts.refused).toEqual([{ code: 'once', reason: 'USED_UP' }])
  await Promise.all(
    [1, 2].map(() => database.query.transaction().execute((query) => unredeem({ query, storeId: shop.storeId }, orderId))),
  )
  expect(await uses(id)).toEqual([0, 0])
  expect((await ordered({ couponCodes: ['once'] })).redemption).toEqual({ kind: 'redeemed' })
})

test('a promotion deleted after the calculation is reported as used up', async () => {
  const id = await made('createPromotion', { name: 'Going', discountAmountPercent: '10' })
  const { discounts } = await price()
  await stack.ask(shop, 'mutation ($id: ID!) { deletePromotion(id: $id) { __typename } }', { id: String(id) })
  const redemption = await database.query
    .transaction()
    .execute((query) => redeem({ query, storeId: shop.storeId }, 1, discounts.applied))
  expect(redemption).toEqual({ kind: 'used-up', promotionIds: [id], couponCodes: [] })
})

test('ten times the lines and promotions are not one statement more', async () => {
  const statementsFor = async (size: number) => {
    const lines = Array.from({ length: size }, () => ({ productId: 1, price: '1', quantity: 1, discount: '0' }))
    let statements = 0
    const counted = database.query.withPlugin({
      transformQuery: ({ node }) => node,
      // What is prepared is not built anew, but answered.
      transformResult: async ({ result }) => {
        statements += 1
        return result
      },
    })
    await calculateCart({ query: counted, storeId: shop.storeId, now }, order({ lines, couponCodes: ['a'] }))
    return statements
  }
  await made('createPromotion', { name: 'One', discountAmountPercent: '10' })
  const few = await statementsFor(1)
  for (let n = 0; n < 9; n += 1) await made('createPromotion', { name: `${n}`, discountAmountPercent: '10' })
  expect(await statementsFor(10)).toBe(few)
  expect(few).toBe(5)
})
