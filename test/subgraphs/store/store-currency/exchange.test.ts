import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountOf, minorUnitOf, textOf } from '../../../../subgraphs/store/amount.ts'
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
  ['the store’s own currency is as it is', '10.4999', ownCurrency('EUR'), '10.4999'],
])('a converted price: %s', (_why, price, currency, expected) => {
  expect(textOf(convertedPrice(amountOf(price), currency))).toBe(expected)
})

test('what is charged has whole minor units, and no ending', () => {
  const currency = inCode('JPY', '162.4', { roundingStep: '100' })
  expect(textOf(convertedCharge(amountOf('4.5'), currency))).toBe('731')
  expect(textOf(convertedCharge(amountOf('4.5'), ownCurrency('EUR')))).toBe('4.5')
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
