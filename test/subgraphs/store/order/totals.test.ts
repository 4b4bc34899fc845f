import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Amount,
  allocated,
  amountOf,
  minorUnitOf,
  percentOf,
  rounded,
  sumOf,
  textOf,
} from '../../../../subgraphs/store/amount.ts'
import type { TaxRate } from '../../../../subgraphs/store/order/calculation/tax.ts'
import { isStorable, orderTotals, type TotalsInput } from '../../../../subgraphs/store/order/calculation/totals.ts'

const CENT = minorUnitOf('EUR')

describe('a decimal number', () => {
  test.each([
    ['0', 0n],
    ['12.50', 125_000n],
    ['0.0001', 1n],
    ['9999999999.9999', 99_999_999_999_999n],
    ['-3.3', -33_000n],
  ])('%s is read exactly', (text, amount) => {
    expect(amountOf(text)).toBe(amount)
    expect(Number(textOf(amount))).toBe(Number(text))
  })

  test.each(['', '.5', '1.', '1e3', '1.00001', ' 1', '0x10', 'NaN', '1,5'])('"%s" is no amount', (text) => {
    expect(() => amountOf(text)).toThrow('Expected a decimal number of at most 4 places')
  })

  test('is written without zeros at its end', () => {
    expect([0n, 1n, 125_000n, -33_000n, 10_000n].map(textOf)).toEqual(['0', '0.0001', '12.5', '-3.3', '1'])
  })
})

test.each([
  ['CLP', '1'],
  ['clp', '1'],
  ['EUR', '0.01'],
  ['USD', '0.01'],
  ['BRL', '0.01'],
  ['KWD', '0.001'],
  ['CLF', '0.0001'],
])('the smallest sum in %s is %s', (currency, unit) => {
  expect(textOf(minorUnitOf(currency))).toBe(unit)
})

test('half a minor unit is rounded up, less is rounded down', () => {
  const roundedTexts = ['0.005', '0.0049', '0.015', '0.0251', '1.2349'].map((text) => textOf(rounded(amountOf(text), CENT)))
  expect(roundedTexts).toEqual(['0.01', '0', '0.02', '0.03', '1.23'])
  // 0.1 + 0.2, and 1.005, are what floats get wrong.
  expect(textOf(amountOf('0.1') + amountOf('0.2'))).toBe('0.3')
  expect(textOf(rounded(amountOf('1.005'), CENT))).toBe('1.01')
  // 1.15 % of 100.00 is 1.15; floats say 1.1499999….
  expect(textOf(percentOf(amountOf('100'), amountOf('1.15'), CENT))).toBe('1.15')
})

test.each([
  ['thirds: the first gets the cent', '10', ['1', '1', '1'], ['3.34', '3.33', '3.33']],
  ['in proportion', '1', ['30', '10'], ['0.75', '0.25']],
  ['the largest remainder gets the cent', '0.05', ['10', '20', '40'], ['0.01', '0.01', '0.03']],
  ['nothing on what costs nothing', '5', ['0', '5', '0'], ['0', '5', '0']],
  ['nothing to give', '0', ['1', '2'], ['0', '0']],
  ['nobody to give to', '0', ['0', '0'], ['0', '0']],
])('a sum is split: %s', (_, total, weights, shares) => {
  expect(allocated(amountOf(total), weights.map(amountOf), CENT).map(textOf)).toEqual(shares)
})

const tax = (rate: string, isFixed = false): TaxRate => ({ rate: amountOf(rate), isFixed })

type Figures = Partial<Omit<TotalsInput, 'discount' | 'shipping' | 'shippingDiscount' | 'giftCards' | 'lines'>> & {
  lines: readonly (readonly [price: string, quantity: number, discount?: string, taxes?: readonly TaxRate[]])[]
  discount?: string
  shipping?: string
  shippingDiscount?: string
  giftCards?: string
}

const anOrder = ({
  lines,
  discount = '0',
  shipping = '0',
  shippingDiscount = '0',
  giftCards = '0',
  ...more
}: Figures): TotalsInput => ({
  currency: 'EUR',
  pricesIncludeTax: false,
  shippingTaxes: [],
  ...more,
  lines: lines.map(([price, quantity, off = '0', taxes = []]) => ({
    price: amountOf(price),
    quantity,
    discount: amountOf(off),
    taxes,
  })),
  discount: amountOf(discount),
  shipping: amountOf(shipping),
  shippingDiscount: amountOf(shippingDiscount),
  giftCards: amountOf(giftCards),
})

const figures = (order: TotalsInput) => {
  const { lines, shippingTaxes, ...money } = orderTotals(order)
  return Object.fromEntries(Object.entries(money).flatMap(([name, amount]) => (amount === 0n ? [] : [[name, textOf(amount)]])))
}

const VAT = tax('19')

describe('orders that were worked by hand', () => {
  test.each<[string, TotalsInput, Record<string, string>]>([
    // 2 × 10.00 + 19.99.
    [
      'lines add up',
      anOrder({
        lines: [
          ['10', 2],
          ['19.99', 1],
        ],
      }),
      { subtotal: '39.99', total: '39.99' },
    ],
    // 3 × 1.3333 = 3.9999: 4.00. Rounded by unit it would be 3.99.
    ['a line is rounded, not its unit', anOrder({ lines: [['1.3333', 3]] }), { subtotal: '4', total: '4' }],
    // 19 % of 20.00 is 3.80; of 19.99 3.7981: 3.80.
    [
      'tax on top, line by line',
      anOrder({
        lines: [
          ['10', 2, '0', [VAT]],
          ['19.99', 1, '0', [VAT]],
        ],
      }),
      { subtotal: '39.99', tax: '7.6', total: '47.59' },
    ],
    // 20.00 − 5.00 = 15.00; 19 % is 2.85.
    [
      'tax is on what is paid, after the discount of the line',
      anOrder({ lines: [['10', 2, '5', [VAT]]] }),
      { subtotal: '20', discount: '5', tax: '2.85', total: '17.85' },
    ],
    // 10.00 in thirds of 3 equal lines: 3.34, 3.33, 3.33. Taxes of 26.66 (5.0654), 26.67 (5.0673),
    // 26.67: 5.07 each.
    [
      'a discount of the order is borne by the lines',
      anOrder({
        discount: '10',
        lines: [
          ['30', 1, '0', [VAT]],
          ['30', 1, '0', [VAT]],
          ['30', 1, '0', [VAT]],
        ],
      }),
      { subtotal: '90', discount: '10', tax: '15.21', total: '95.21' },
    ],
    // 119.00 with 19 % inside: 19.00 of tax, 100.00 without.
    [
      'tax inside the price',
      anOrder({ pricesIncludeTax: true, lines: [['119', 1, '0', [VAT]]] }),
      { subtotal: '100', tax: '19', total: '119' },
    ],
    // 119.00 − 59.50 = 59.50, of which 9.50 are tax. 119.00 − 9.50 = 109.50 without tax.
    [
      'tax inside the price, and a discount',
      anOrder({ pricesIncludeTax: true, lines: [['119', 1, '59.5', [VAT]]] }),
      { subtotal: '109.5', tax: '9.5', discount: '59.5', total: '59.5' },
    ],
    // 2 × 1.50 for each unit, then 10 % of 20.00: 3.00 + 2.00.
    [
      'a fixed tax is for each unit, a percentage beside it of the price',
      anOrder({ lines: [['10', 2, '0', [tax('1.5', true), tax('10')]]] }),
      { subtotal: '20', tax: '5', total: '25' },
    ],
    // 10.00 − 10.00: nothing is paid, nothing is taxed.
    [
      'what is free is not taxed',
      anOrder({ lines: [['10', 1, '10', [VAT, tax('1', true)]]] }),
      { subtotal: '10', discount: '10' },
    ],
    // 6.00 − 1.00 = 5.00; 19 % is 0.95. 10.00 + 6.00 + 0.95 − 1.00.
    [
      'shipping has its own discount and tax',
      anOrder({ lines: [['10', 1]], shipping: '6', shippingDiscount: '1', shippingTaxes: [VAT] }),
      { subtotal: '10', shipping: '6', shippingDiscount: '1', shippingTax: '0.95', total: '15.95' },
    ],
    // 5.00 of goods and 2.00 of shipping: a card with 100.00 pays 7.00.
    [
      'gift cards pay for shipping too, and not more than is due',
      anOrder({ lines: [['5', 1]], shipping: '2', giftCards: '100' }),
      { subtotal: '5', shipping: '2', giftCardsDiscount: '7' },
    ],
    // 50.00 off 10.00 of goods is 10.00 off; shipping stays.
    [
      'a discount stops at the goods',
      anOrder({ lines: [['10', 1]], discount: '50', shipping: '2' }),
      { subtotal: '10', discount: '10', shipping: '2', total: '2' },
    ],
    // 3 × 1990 = 5970; 19 % is 1134.3: 1134.
    [
      'pesos are whole',
      anOrder({ currency: 'CLP', lines: [['1990', 3, '0', [VAT]]] }),
      { subtotal: '5970', tax: '1134', total: '7104' },
    ],
  ])('%s', (_, order, expected) => expect(figures(order)).toEqual(expected))
})

test('an order that the database cannot hold is known before it is written', () => {
  expect(isStorable(orderTotals(anOrder({ lines: [['9999999999.99', 1]] })))).toBe(true)
  expect(isStorable(orderTotals(anOrder({ lines: [['9999999999.99', 2]] })))).toBe(false)
})

// 10,000 orders, the same in every run.
const RUNS = { seed: 20261120, numRuns: 10_000 }
const amounts = (max: bigint) => fc.bigInt({ min: 0n, max })
const taxes = fc.array(fc.record({ rate: amounts(400_000n), isFixed: fc.boolean() }), { maxLength: 3 })
const orders: fc.Arbitrary<TotalsInput> = fc.record({
  currency: fc.constantFrom('EUR', 'CLP', 'KWD', 'CLF'),
  pricesIncludeTax: fc.boolean(),
  lines: fc.array(
    fc.record({
      price: fc.oneof(amounts(30_000n), amounts(10n ** 9n)),
      quantity: fc.integer({ min: 1, max: 50 }),
      discount: fc.oneof(fc.constant(0n), amounts(10n ** 6n)),
      taxes,
    }),
    { maxLength: 8 },
  ),
  discount: fc.oneof(fc.constant(0n), amounts(10n ** 8n)),
  shipping: amounts(10n ** 6n),
  shippingDiscount: amounts(10n ** 6n),
  shippingTaxes: taxes,
  giftCards: fc.oneof(fc.constant(0n), amounts(10n ** 9n)),
})

test('in 10,000 random orders the figures add up, to the minor unit, and none is below zero', () => {
  fc.assert(
    fc.property(orders, (order) => {
      const unit = minorUnitOf(order.currency)
      const money = orderTotals(order)
      const { lines, shippingTaxes, ...totals } = money
      for (const amount of [
        ...Object.values(totals),
        ...shippingTaxes,
        ...lines.flatMap(({ taxes, ...line }) => [...taxes, ...Object.values(line)]),
      ]) {
        expect(amount).toBeGreaterThanOrEqual(0n)
        expect(amount % unit).toBe(0n)
      }
      const { subtotal, tax, shipping, shippingTax, discount, shippingDiscount, giftCardsDiscount, total } = totals
      expect(total).toBe(subtotal + tax + shipping + shippingTax - discount - shippingDiscount - giftCardsDiscount)
      const sum = (name: 'subtotal' | 'tax' | 'discount' | 'total'): Amount => sumOf(lines.map((line) => line[name]))
      expect([sum('subtotal'), sum('tax'), sum('discount')]).toEqual([subtotal, tax, discount])
      expect(sum('total') + shipping + shippingTax - shippingDiscount - giftCardsDiscount).toBe(total)
      for (const line of lines) {
        expect(sumOf(line.taxes)).toBe(line.tax)
        expect(line.subtotal + line.tax - line.discount).toBe(line.total)
      }
      expect(sumOf(shippingTaxes)).toBe(shippingTax)
    }),
    RUNS,
  )
})

test('in 10,000 random orders the total is the list price less discounts, where prices include taxes', () => {
  fc.assert(
    fc.property(orders, (order) => {
      const unit = minorUnitOf(order.currency)
      const { lines, shipping, shippingTax } = orderTotals({ ...order, pricesIncludeTax: true })
      for (const [index, { price, quantity }] of order.lines.entries())
        expect((lines[index]?.subtotal ?? 0n) + (lines[index]?.tax ?? 0n)).toBe(rounded(price * BigInt(quantity), unit))
      expect(shipping + shippingTax).toBe(rounded(order.shipping, unit))
    }),
    RUNS,
  )
})

test('shares sum to what is split, are next to their exact part, and are never above their weight', () => {
  const split = fc
    .array(amounts(10n ** 10n), { minLength: 1, maxLength: 12 })
    .chain((weights) => fc.tuple(fc.constant(weights), fc.bigInt({ min: 0n, max: sumOf(weights) })))
  fc.assert(
    fc.property(split, ([weights, total]) => {
      const shares = allocated(total, weights, 1n)
      const sum = sumOf(weights)
      expect(sumOf(shares)).toBe(total)
      for (const [index, share] of shares.entries()) {
        const weight = weights[index] ?? 0n
        expect(share <= weight).toBe(true)
        const off = share * sum - total * weight
        expect(off === 0n || (off < sum && off > -sum)).toBe(true)
      }
    }),
    RUNS,
  )
})
