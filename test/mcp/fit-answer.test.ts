import { expect, test } from 'vitest'
import { fitAnswer, MAX_ANSWER_BYTES, type Summary } from '../../mcp/store/fit-answer.ts'

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const product = (id: number, name: string, more: object = {}) => ({
  product: { id, name, sku: null, description: 'x'.repeat(500), variants: [], images: [], status: 'available', ...more },
})
const SUMMARIES: readonly Summary[] = [
  { id: true, name: true, status: true, variants: { sku: true } },
  { id: true, name: true },
]

test('empty values and second spellings are dropped; zero, false and null stay', () => {
  const order = {
    id: 7,
    status: 'Pending Payment',
    status_name: 'Pending Payment',
    status_enum: 'pending_payment',
    shipment_status: 'In Transit',
    shipment_status_enum: 'in_transit',
    coupons: null,
    promotions: [],
    total: 0,
    same_day_delivery: false,
    customer: { phone: null, email: 'a@b.example' },
  }
  expect(fitAnswer({ order })).toEqual({
    order: {
      id: 7,
      status: 'pending_payment',
      shipment_status: 'in_transit',
      total: 0,
      same_day_delivery: false,
      customer: { email: 'a@b.example' },
    },
  })
  expect(fitAnswer('OK')).toBe('OK')
})

test('that nothing was found is an answer', () => {
  expect(fitAnswer([], SUMMARIES)).toEqual([])
  expect(fitAnswer({ orders: [], count: 0 }, SUMMARIES)).toEqual({ orders: [], count: 0 })
})

test('a list has the main keys of its entries, in their envelopes and beside their count', () => {
  const entry = product(1, 'Lamp', { variants: [{ sku: 'a', price: 1 }] })
  const short = { product: { id: 1, name: 'Lamp', status: 'available', variants: [{ sku: 'a' }] } }
  expect(fitAnswer([entry], SUMMARIES)).toEqual([short])
  expect(fitAnswer({ products: [entry], count: 9 }, SUMMARIES)).toEqual({ products: [short], count: 9 })
})

test('a long list has fewer keys, then shorter names, and all of its entries as long as that is possible', () => {
  const listOf = (count: number, name: string) => Array.from({ length: count }, (_, id) => product(id, name))
  const fewer = fitAnswer(listOf(100, 'Lamp with a name that is long'), SUMMARIES) as object[]
  expect(fewer).toHaveLength(100)
  expect(fewer[99]).toEqual({ product: { id: 99, name: 'Lamp with a name that is long' } })
  const shorter = fitAnswer(listOf(100, '灯'.repeat(200)), SUMMARIES) as { product: { name: string } }[]
  expect([shorter.length, bytesOf(shorter) <= MAX_ANSWER_BYTES]).toEqual([100, true])
  expect(shorter[0]?.product.name).toMatch(/^灯+…$/)

  const all = fitAnswer(listOf(1_000, 'Lamp'), SUMMARIES) as object[]
  expect(bytesOf(all)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  const note = `The first ${all.length - 1} of 1000 results are shown: use a smaller limit.`
  expect(all.at(-1)).toEqual({ cut: note })
})

test('one object has shorter texts, then shorter lists, and says which', () => {
  const url = `https://shop.example/${'x'.repeat(2_500)}`
  const long = fitAnswer(product(1, 'Lamp', { url, description: 'é'.repeat(50_000) })) as {
    product: { description: string; url: string }
  }
  expect(long.product.url).toBe(url)
  expect(bytesOf(long)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(long.product.description).toMatch(/^é{1999}…$/)

  const variants = Array.from({ length: 2_000 }, (_, id) => ({ id, sku: `LAMP-${id}`, price: 10 }))
  const wide = fitAnswer(product(1, 'Lamp', { variants })) as { product: { variants: object[] }; cut: string }
  expect(bytesOf(wide)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
  expect(wide.product.variants.length).toBeGreaterThan(50)
  expect(wide.cut).toBe(
    `The first ${wide.product.variants.length} of 2000 entries of product.variants are shown; REST has the others.`,
  )
})

test('keys that objects inherit are keys like others', () => {
  const text = `{"product": {"id": 1, "name": "x", "__proto__": {"status_enum": "paid"}, "constructor": null}}`
  expect(JSON.stringify(fitAnswer(JSON.parse(text), [{ id: true, ['constructor' as string]: true }]))).toBe(
    '{"product":{"id":1}}',
  )
})
