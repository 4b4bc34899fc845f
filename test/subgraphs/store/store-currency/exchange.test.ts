import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountOf, minorUnitOf, textOf } from '../../../../subgraphs/store/amount.ts'
import { adjustedPrice } from '../../../../subgraphs/store/price-list/rule.ts'
import { type PromotionRule, promotionIn } from '../../../../subgraphs/store/promotion/rule.ts'
import {
  converted,
  convertedCharge,
  convertedPrice,
  inStoreCurrency,
  type OrderCurrency,
  ownCurrency,
  PLAIN_ROUNDING,
} from '../../../../subgraphs/store/store-currency/exchange.ts'
import { storeCurrencyProblems } from '../../../../subgraphs/store/store-currency/store-currency.ts'

const inCode = (code: string, rate: string, more: object = {}, base = '1'): OrderCurrency => ({
  ...{ code, exchange: { rate, base } },
  rounding: { ...PLAIN_ROUNDING, ...more },
})

const NOTHING: PromotionRule['selection'] = { products: new Set(), categories: new Set() }
const PROMOTION: PromotionRule = {
  ...{ id: 1, name: 'Five', isEnabled: true, target: 'ORDER', condition: 'PRICE', conditionPrice: null, conditionQuantity: null },
  ...{ discount: { isFixed: true, value: amountOf('5') }, lasts: 'NONE', beginsAt: null, expiresAt: null, timesUsed: 0 },
  ...{ maxTimesUsed: null, isCumulative: false, customers: 'ALL', customerCategories: new Set<number>(), selection: NOTHING },
  ...{ required: NOTHING, quantityX: 1, coupons: [], destinations: { countries: [], regions: [], municipalities: [] } },
}

test.each([
  ['yen have no parts', '10.49', inCode('JPY', '162.4'), '1704'],
  ['dinars have three places', '10', inCode('KWD', '0.3337'), '3.337'],
  ['a small rate is exact for a larger base', '1999', inCode('KWD', '2.05', {}, '1000'), '4.098'],
  ['the nearer ending', '10', inCode('USD', '1.1', { roundingStep: '1', roundingEnding: '0.99' }), '10.99'],
  [
    'the ending above',
    '10',
    inCode('USD', '1.1', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'UP' }),
    '11.99',
  ],
  ['hundreds of yen, down', '10.5', inCode('JPY', '162', { roundingStep: '100', roundingDirection: 'DOWN' }), '1700'],
  [
    'what is free stays free',
    '0',
    inCode('USD', '1.1', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'UP' }),
    '0',
  ],
  ['what is below half a step is no gift', '0.3', inCode('JPY', '162', { roundingStep: '100' }), '49'],
  ['nor down', '0.3', inCode('JPY', '162', { roundingStep: '100', roundingDirection: 'DOWN' }), '48'],
  ['nor what is less than the minor unit', '5', inCode('USD', '0.0007'), '0.01'],
  ['the store’s own currency is as it is', '10.4999', ownCurrency('EUR'), '10.4999'],
])('a converted price: %s', (_why, price, currency, expected) => {
  expect(textOf(convertedPrice(amountOf(price), currency))).toBe(expected)
})

test('what is charged has whole minor units, and no ending', () => {
  const currency = inCode('JPY', '162.4', { roundingStep: '100' })
  expect(textOf(convertedCharge(amountOf('4.5'), currency))).toBe('731')
  expect(textOf(convertedCharge(amountOf('4.5'), ownCurrency('EUR')))).toBe('4.5')
})

test('a list does not give away what costs something in another currency', () => {
  const list = { id: 1, currency: 'JPY', adjustmentPercent: '-10', ...PLAIN_ROUNDING, roundingStep: '100' }
  const item = (price: string) => ({ productId: 1, variantId: null, price, discount: '0' })
  expect(textOf(adjustedPrice(list, item('0.3'), inCode('JPY', '162')))).toBe('44')
  expect(textOf(adjustedPrice({ ...list, adjustmentPercent: '-100' }, item('0.3'), inCode('JPY', '162')))).toBe('0')
})

test('a converted price reaches the converted condition of a promotion', () => {
  const currency = inCode('JPY', '160.006')
  const { conditionPrice } = promotionIn({ ...PROMOTION, conditionPrice: amountOf('50') }, currency)
  expect(conditionPrice).toBe(convertedPrice(amountOf('50'), currency))
})

test('there and back is at most half a ten-thousandth of the rate away', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const rate = fc.bigInt({ min: 1n, max: 10n ** 9n })
  fc.assert(
    fc.property(amount, rate, fc.bigInt({ min: 1n, max: 10n ** 8n }), (of, units, base) => {
      const exchange = { rate: textOf(units), base: textOf(base) }
      const away = inStoreCurrency(converted(of, exchange), exchange) - of
      // Half a unit of each rounding, the first one seen through the rate.
      expect((away < 0n ? -away : away) * 2n * units <= base + 2n * units).toBe(true)
      const price = convertedPrice(of, { code: 'KWD', exchange, rounding: PLAIN_ROUNDING })
      expect(price >= 0n && price % minorUnitOf('KWD') === 0n).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test.each([
  [{ code: 'usd' }, 'code'],
  [{ code: 'EUR' }, 'code'],
  [{ code: 'XQQ' }, 'code'],
  [{ rate: '0' }, 'rate'],
  [{ rate: '-1' }, 'rate'],
  [{ rateBase: '0' }, 'rateBase'],
  [{ code: 'JPY', roundingStep: '0.5' }, 'roundingStep'],
  [{ roundingStep: '1', roundingEnding: '1' }, 'roundingEnding'],
])('a currency is refused with %j', (input, field) => {
  const fields = { code: 'USD', rate: '1.1', rateBase: '1', ...PLAIN_ROUNDING, ...input }
  expect(storeCurrencyProblems(fields, 'EUR').map((each) => each.field)).toEqual([field])
})
