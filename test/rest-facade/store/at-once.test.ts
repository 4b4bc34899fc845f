import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const ROUNDS = 20

let stack: StoreRestStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStoreStack()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const post = (path: string, body: object) => stack.ask(`POST ${path}`, { as: shop, body })
const atOnce = (path: string, bodies: readonly object[]) => Promise.all(bodies.map((body) => post(path, body)))
const times = <Thing>(count: number, thing: Thing): Thing[] => Array.from({ length: count }, () => thing)

const ADDRESSED = [
  { path: '/products.json', envelope: 'product', named: (name: string) => ({ product: { name, price: 1 } }) },
  { path: '/categories.json', envelope: 'category', named: (name: string) => ({ category: { name } }) },
  { path: '/pages.json', envelope: 'page', named: (title: string) => ({ page: { title } }) },
]

test.each(ADDRESSED)(
  'eight at once with one name at $path all are there, at addresses of their own, twenty times',
  async ({ path, envelope, named }) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const replies = await atOnce(path, times(8, named(`Round ${round}`)))
      expect(replies.map(({ status }) => status)).toEqual(times(8, 200))
      const addresses = replies.map(({ json }) => json[envelope].permalink)
      expect(new Set(addresses)).toEqual(
        new Set(times(8, `round-${round}`).map((address, index) => (index === 0 ? address : `${address}-${index}`))),
      )
    }
  },
  60_000,
)

test.each(ADDRESSED)(
  'at $path also those at once whose names lead to what others are numbered by',
  async ({ path, envelope, named }) => {
    const addresses = new Set<string>()
    for (let round = 0; round < ROUNDS; round += 1) {
      const names = [...times(4, `Twin ${round}`), ...times(4, `Twin ${round} 1`)]
      const replies = await atOnce(
        path,
        names.map((name): object => named(name)),
      )
      expect(replies.map(({ status }) => status)).toEqual(times(8, 200))
      for (const { json } of replies) addresses.add(json[envelope].permalink)
    }
    expect(addresses.size).toBe(8 * ROUNDS)
  },
  60_000,
)

test('of four concurrent customers with one address one is created, and the others fail with the field, twenty times', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `Ann${round}@example.org`
    const replies = await atOnce(
      '/customers.json',
      [email, email.toUpperCase(), email.toLowerCase(), email].map((each) => ({ customer: { email: each } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    for (const { status, json } of replies) if (status === 400) expect(Object.keys(json.errors)).toEqual(['customer.email'])
    const found = await stack.sql('SELECT id FROM customer WHERE store_id = $1 AND lower(email) = lower($2)', [
      shop.storeId,
      email,
    ])
    expect(found).toHaveLength(1)
  }
})

test('of four concurrent promotions with one coupon one is created, and the others fail with the field and leave nothing, twenty times', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const promotion = (code: string, own: number) => ({
      promotion: {
        name: `Sale ${round}`,
        type: 'fix',
        discount_amount_fix: 1,
        coupons: [{ code: `own-${round}-${own}` }, { code }],
      },
    })
    const replies = await atOnce(
      '/promotions.json',
      [`sale-${round}`, `SALE-${round}`, `sale-${round}`, `Sale-${round}`].map(promotion),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    for (const { status, json } of replies)
      if (status === 400) expect(Object.keys(json.errors)).toEqual(['promotion.coupons.1.code'])
    const left = await stack.sql('SELECT id FROM promotion WHERE store_id = $1 AND name = $2', [shop.storeId, `Sale ${round}`])
    expect(left).toHaveLength(1)
  }
})
