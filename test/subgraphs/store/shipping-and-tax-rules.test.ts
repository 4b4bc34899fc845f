import { describe, expect, test } from 'vitest'
import { amountOf, textOf } from '../../../subgraphs/store/amount.ts'
import type { OrderDestination } from '../../../subgraphs/store/destination.ts'
import { applyRules } from '../../../subgraphs/store/order/calculation/cart.ts'
import { type Parcel, parcelOf, shippingPrice } from '../../../subgraphs/store/shipping-method/price.ts'
import type { ShippingRule, ShippingTable } from '../../../subgraphs/store/shipping-method/shipping-method.ts'
import { isPostalWithin, type Zone } from '../../../subgraphs/store/shipping-method/zone.ts'
import { type Tax, taxesOnProduct, taxesOnShipping } from '../../../subgraphs/store/tax/tax.ts'

const CALAMA: OrderDestination = { country: 'CL', region: '03', municipality: '8261495', postal: '1390000' }
const LISBON: OrderDestination = { country: 'PT', region: '14', municipality: null, postal: '1000-001' }
const NOWHERE: OrderDestination = { country: null, region: null, municipality: null, postal: null }

const NOON = new Date('2026-11-20T12:00:00Z')
const tax = (id: number, options: Partial<Tax>): Tax => ({
  id,
  name: `Tax ${id}`,
  country: null,
  region: null,
  categoryId: null,
  rate: '10',
  fixed: false,
  shipping: false,
  createdAt: NOON,
  updatedAt: NOON,
  version: 1,
  ...options,
})

describe('taxes', () => {
  const TAXES = [
    tax(1, {}),
    tax(2, { country: 'CL' }),
    tax(3, { country: 'CL', region: '03' }),
    tax(4, { country: 'CL', region: 'CL_05' }),
    tax(5, { country: 'PT', categoryId: 20 }),
    tax(6, { country: 'cl', shipping: true }),
    tax(7, { shipping: true }),
  ]
  const ids = (taxes: readonly Tax[]) => taxes.map(({ id }) => id)
  const on = (destination: OrderDestination, ...categories: number[]) =>
    ids(taxesOnProduct(TAXES, new Set(categories), destination))

  test('of the country and the region are added to those for everywhere', () => {
    expect(on(CALAMA)).toEqual([1, 2, 3])
    expect(on({ ...CALAMA, region: 'CL_05' })).toEqual([1, 2, 4])
    expect(on({ ...CALAMA, region: null })).toEqual([1, 2])
  })

  test('of a category are for its products only', () => {
    expect(on(LISBON)).toEqual([1])
    expect(on(LISBON, 20, 21)).toEqual([1, 5])
  })

  test('for an unknown address, only those for everywhere apply', () => {
    expect(on(NOWHERE, 20)).toEqual([1])
  })

  test('on shipping are not on products', () => {
    expect(ids(taxesOnShipping(TAXES, CALAMA))).toEqual([6, 7])
    expect(ids(taxesOnShipping(TAXES, LISBON))).toEqual([7])
  })
})

const table = (
  basedOn: ShippingTable['basedOn'],
  steps: readonly (readonly [string, string])[],
  ...zones: Zone[]
): ShippingTable => ({
  basedOn,
  values: steps.map(([amount, price]) => ({ amount, price })),
  locations: zones,
})
const zone = (options: Partial<Zone>): Zone => ({
  country: null,
  region: null,
  municipality: null,
  postalCodeRangeStart: null,
  postalCodeRangeEnd: null,
  ...options,
})
const method = (options: Partial<ShippingRule>): ShippingRule => ({
  type: 'TABLES',
  enabled: true,
  freeShipping: false,
  freeShippingFrom: null,
  fees: [],
  tables: [],
  ...options,
})
const parcel = (options: Partial<Record<'weight' | 'price' | 'distance', string>> & { quantity?: number } = {}): Parcel => ({
  quantity: options.quantity ?? 3,
  weight: amountOf(options.weight ?? '2.5'),
  price: amountOf(options.price ?? '40'),
  distance: options.distance === undefined ? null : amountOf(options.distance),
})
type PriceOptions = { parcel?: Parcel; destination?: OrderDestination; currency?: string; external?: string }
const price = (given: Partial<ShippingRule>, request: PriceOptions = {}): string | null => {
  const found = shippingPrice(method(given), request.parcel ?? parcel(), {
    destination: request.destination ?? CALAMA,
    currency: request.currency ?? 'EUR',
    external: request.external === undefined ? null : amountOf(request.external),
  })
  return found === null ? null : textOf(found)
}

describe('a shipping table', () => {
  const STEPS = [
    ['0', '4'],
    ['2.5', '6'],
    ['10', '12'],
  ] as const

  test.each([
    ['2.4999', '4'],
    ['2.5', '6'],
    ['9.9999', '6'],
    ['1000', '12'],
  ])('has for a weight of %s the step that is reached: %s', (weight, expected) => {
    expect(price({ tables: [table('WEIGHT', STEPS)] }, { parcel: parcel({ weight }) })).toBe(expected)
  })

  test('goes by price, quantity and distance as well', () => {
    expect(price({ tables: [table('PRICE', [['40', '1']])] })).toBe('1')
    expect(price({ tables: [table('PRICE', [['40.01', '1']])] })).toBeNull()
    expect(price({ tables: [table('QUANTITY', [['3', '2']])] })).toBe('2')
    expect(price({ tables: [table('QUANTITY', [['4', '2']])] })).toBeNull()
    expect(price({ tables: [table('DISTANCE', [['0', '3']])] }, { parcel: parcel({ distance: '12' }) })).toBe('3')
  })

  test('by distance has no price where the distance is not known', () => {
    expect(price({ tables: [table('DISTANCE', [['0', '3']])] })).toBeNull()
  })

  test('applies to its zones; the most specific zone counts', () => {
    const tables = [
      table('WEIGHT', [['0', '9']]),
      table('WEIGHT', [['0', '8']], zone({ country: 'CL' })),
      table('WEIGHT', [['0', '7']], zone({ country: 'CL', region: '03' })),
      table('WEIGHT', [['0', '6']], zone({ country: 'CL', region: 'CL_03', municipality: 'CL_03_8261495' })),
      table('WEIGHT', [['0', '5']], zone({ country: 'PT', postalCodeRangeStart: '1000', postalCodeRangeEnd: '1999' })),
    ]
    expect(price({ tables })).toBe('6')
    expect(price({ tables }, { destination: { ...CALAMA, municipality: null } })).toBe('7')
    expect(price({ tables }, { destination: { ...CALAMA, region: '05' } })).toBe('8')
    expect(price({ tables }, { destination: LISBON })).toBe('5')
    expect(price({ tables }, { destination: { ...LISBON, postal: '2000-001' } })).toBe('9')
    expect(price({ tables: tables.slice(1) }, { destination: NOWHERE })).toBeNull()
  })

  test('of several zones for an address the first with a price counts', () => {
    const tables = [table('WEIGHT', [['5', '9']]), table('WEIGHT', [['1', '8']]), table('WEIGHT', [['0', '7']])]
    expect(price({ tables })).toBe('8')
  })
})

test.each([
  ['1500-123', '1000', '1999', true],
  ['1000', '1000', '1999', true],
  ['1999-999', '1000', '1999', true],
  ['2000-000', '1000', '1999', false],
  ['150', '1000', '1999', false],
  ['sw1a 1aa', 'SW1', 'SW5', true],
  ['SW9', 'SW1', 'SW5', false],
  ['1500', null, '1999', true],
  ['1500', '1600', null, false],
  ['', null, '1999', false],
  [null, '1000', '1999', false],
])('postal code %s in %s to %s: %s', (postal, from, to, expected) => {
  expect(isPostalWithin(postal, from, to)).toBe(expected)
})

describe('a shipping method', () => {
  test('that is off has no price', () => {
    expect(price({ type: 'FREE', enabled: false })).toBeNull()
  })

  test('of type FREE costs nothing', () => {
    expect(price({ type: 'FREE' })).toBe('0')
  })

  test('of type FLAT costs its fees: for each unit, and of the goods', () => {
    // 3 × 2.00 + 1.5 % of 40.00 (0.60).
    const fees = [
      { type: 'FIXED' as const, value: '2' },
      { type: 'PERCENTAGE' as const, value: '1.5' },
    ]
    expect(price({ type: 'FLAT', fees })).toBe('6.6')
    // In pesos 0.60 is 1.
    expect(price({ type: 'FLAT', fees }, { currency: 'CLP' })).toBe('7')
  })

  test('has its fees on top of a table', () => {
    expect(price({ tables: [table('WEIGHT', [['0', '4']])], fees: [{ type: 'FIXED' as const, value: '0.5' }] })).toBe('5.5')
  })

  test('is free from a price of the goods on, where it goes at all', () => {
    const tables = [table('WEIGHT', [['0', '4']], zone({ country: 'CL' }))]
    const fees = [{ type: 'FIXED' as const, value: '1' }]
    expect(price({ tables, fees, freeShipping: true, freeShippingFrom: '40' })).toBe('0')
    expect(price({ tables, fees, freeShipping: true, freeShippingFrom: '40.01' })).toBe('7')
    expect(price({ tables, fees, freeShipping: true })).toBe('0')
    expect(price({ tables, fees, freeShipping: false, freeShippingFrom: '1' })).toBe('7')
    expect(price({ tables, freeShipping: true }, { destination: LISBON })).toBeNull()
  })

  test('of type EXTERNAL has the rate of its service, rounded', () => {
    expect(price({ type: 'EXTERNAL' }, { external: '7.125' })).toBe('7.13')
    expect(price({ type: 'EXTERNAL' })).toBeNull()
  })

  test.each(['CORREOS_CHILE', 'CHILEXPRESS', 'UPS'] as const)('of type %s has no price by rules', (type) => {
    expect(price({ type })).toBeNull()
  })
})

test('downloads are not in the parcel, and an order of downloads has none', () => {
  const line = { price: amountOf('10'), quantity: 2, weight: amountOf('0.75'), requiresShipping: true }
  expect(parcelOf([line, { ...line, requiresShipping: false }], null)).toEqual({
    quantity: 2,
    weight: amountOf('1.5'),
    price: amountOf('20'),
    distance: null,
  })
  expect(parcelOf([{ ...line, requiresShipping: false }], null)).toBeNull()
})

test('a basket is discounted, then taxed where it goes', () => {
  const line = { productId: 1, categories: new Set([20]), price: amountOf('10'), quantity: 2, discount: 0n }
  const {
    totals: money,
    lineTaxes,
    shippingTaxes,
  } = applyRules(
    {
      currency: 'EUR',
      pricesIncludeTax: false,
      lines: [line, { ...line, productId: 2, categories: new Set() }],
      shipping: amountOf('6'),
      destination: CALAMA,
      taxDestination: LISBON,
      customer: null,
      couponCodes: [],
      giftCards: amountOf('1'),
      now: NOON,
    },
    {
      promotions: [],
      taxes: [
        tax(1, { country: 'PT', rate: '23' }),
        tax(2, { country: 'PT', categoryId: 20, rate: '1', fixed: true }),
        tax(3, { country: 'CL' }),
        tax(4, { country: 'PT', shipping: true, rate: '6' }),
      ],
    },
  )
  expect(lineTaxes.map((taxes) => taxes.map(({ id }) => id))).toEqual([[1, 2], [1]])
  expect(shippingTaxes.map(({ id }) => id)).toEqual([4])
  // Goods 20.00 + 20.00; taxes 4.60 + 2 × 1.00 and 4.60; shipping 6.00 with 0.36; a gift card of
  // 1.00.
  const { lines, shippingTaxes: _, ...totals } = money
  expect(Object.entries(totals).map(([name, amount]) => `${name} ${textOf(amount)}`)).toEqual([
    'subtotal 40',
    'tax 11.2',
    'shipping 6',
    'shippingTax 0.36',
    'discount 0',
    'shippingDiscount 0',
    'giftCardsDiscount 1',
    'total 56.56',
  ])
})
