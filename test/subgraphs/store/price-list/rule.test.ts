import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, minorUnitOf, ONE, textOf } from '../../../../subgraphs/store/amount.ts'
import type { PriceListPrice } from '../../../../subgraphs/store/price-list/price-list.ts'
import {
  type AppliedList,
  adjustedPrice,
  byItem,
  type CustomerPrices,
  priceByLists,
  quantityBreaks,
  reachableLists,
} from '../../../../subgraphs/store/price-list/rule.ts'
import { ownCurrency } from '../../../../subgraphs/store/store-currency/exchange.ts'

const aList = (list: Partial<AppliedList> = {}): AppliedList => ({
  ...{ id: 1, currency: null, adjustmentPercent: null, roundingStep: null, roundingEnding: '0', roundingDirection: 'NEAREST' },
  ...list,
})
const anItem = (price: string, discount = '0') => ({ productId: 7, variantId: 70, price, discount })
const aPrice = (price: Partial<PriceListPrice> = {}): PriceListPrice => ({
  ...{ id: 1, priceListId: 1, productId: 7, variantId: 70, minimumQuantity: 1, price: '5', compareAtPrice: null },
  ...price,
})
const prices = (lists: readonly AppliedList[], fixed: readonly PriceListPrice[] = [], currency = 'EUR'): CustomerPrices => ({
  currency: ownCurrency(currency),
  lists,
  fixed: byItem(fixed),
})

describe('an adjusted price', () => {
  test.each([
    ['a tenth less', '19.99', '-10', {}, '17.99'],
    ['half a cent goes up', '0.25', '-10', {}, '0.23'],
    ['0.95 is nearer than 0.85', '10', '-7', { roundingStep: '1', roundingEnding: '0.95' }, '8.95'],
    ['endings, up', '10', '-7', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'UP' }, '9.99'],
    ['endings, down', '10', '-7', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'DOWN' }, '8.99'],
    ['whole units', '10.49', '0', { roundingStep: '1' }, '10'],
    ['whole units, of two equally near the higher', '10.5', '0', { roundingStep: '1' }, '11'],
    ['below the first ending it is the minor unit', '0.4', '-7', { roundingStep: '1', roundingEnding: '0.99' }, '0.37'],
    ['below the first ending, up', '0.4', '-7', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'UP' }, '0.99'],
    ['what is free stays free', '10', '-100', { roundingStep: '1', roundingEnding: '0.99', roundingDirection: 'UP' }, '0'],
    ['more, not less', '10', '12.5', {}, '11.25'],
  ] as const)('%s', (_why, price, adjustmentPercent, list, expected) => {
    expect(textOf(adjustedPrice(aList({ adjustmentPercent, ...list }), anItem(price), ownCurrency('EUR')))).toBe(expected)
  })

  test.each([
    ['NEAREST', '11'],
    ['UP', '11'],
    ['DOWN', '10'],
  ] as const)('has no parts of a minor unit, also where the step is of a former currency: %s', (roundingDirection, expected) => {
    const list = aList({ adjustmentPercent: '0', roundingStep: '0.5', roundingDirection })
    expect(textOf(adjustedPrice(list, anItem('10.5'), ownCurrency('JPY')))).toBe(expected)
  })

  test('pesos end in 990', () => {
    const list = aList({ adjustmentPercent: '-15', roundingStep: '1000', roundingEnding: '990' })
    expect(textOf(adjustedPrice(list, anItem('24990'), ownCurrency('CLP')))).toBe('20990')
  })

  test('is that of what the item costs after its own discount, which is not taken off twice', () => {
    expect(priceByLists(prices([aList({ adjustmentPercent: '-10' })]), anItem('12', '2'), 1)).toEqual({
      price: '9',
      compareAt: null,
    })
  })

  const units = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const direction = fc.constantFrom('NEAREST', 'UP', 'DOWN')
  const places = (currency: string) => minorUnitOf(currency)
  test('is whole minor units, never below zero, and less than a step from the exact one', () => {
    fc.assert(
      fc.property(
        units,
        fc.bigInt({ min: -100n * ONE, max: 1_000n * ONE }),
        fc.bigInt({ min: 1n, max: 5_000n }),
        fc.bigInt({ min: 0n, max: 4_999n }),
        direction,
        fc.constantFrom('EUR', 'CLP', 'KWD'),
        (base, percent, stepUnits, endingUnits, roundingDirection, currency) => {
          const [unit, step] = [places(currency), stepUnits * places(currency)]
          const ending = (endingUnits % stepUnits) * unit
          const list = aList({
            adjustmentPercent: textOf(percent),
            roundingStep: textOf(step),
            roundingEnding: textOf(ending),
            roundingDirection,
          })
          const rounded = adjustedPrice(list, anItem(textOf(base)), ownCurrency(currency))
          const [exact, over] = [base * (100n * ONE + percent), 100n * ONE]
          expect(rounded >= 0n && rounded % unit === 0n).toBe(true)
          if (exact === 0n) expect(rounded).toBe(0n)
          const away = rounded * over - exact
          expect(away < step * over && -away < step * over).toBe(true)
          if (roundingDirection === 'UP') expect(away >= 0n).toBe(true)
          if (roundingDirection === 'DOWN') expect(away <= 0n).toBe(true)
          const endsRight = (rounded - ending) % step === 0n
          if (exact >= ending * over && exact > 0n) expect(endsRight).toBe(true)
          if (exact >= ending * over && exact > 0n && roundingDirection === 'NEAREST') {
            expect(2n * (away < 0n ? -away : away) <= step * over).toBe(true)
          }
          // Rounded again, nothing is gained or lost.
          if (exact > 0n) {
            const again = adjustedPrice({ ...list, adjustmentPercent: '0' }, anItem(textOf(rounded)), ownCurrency(currency))
            expect(again).toBe(rounded)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('the list that sets a price', () => {
  test('is the first one with a price for the item, and the price of the variant comes first', () => {
    const lists = [aList({ id: 1 }), aList({ id: 2, adjustmentPercent: '-50' })]
    expect(priceByLists(prices(lists), anItem('10'), 1)).toEqual({ price: '5', compareAt: null })
    const ofProduct = aPrice({ variantId: null, price: '8', compareAtPrice: '12' })
    expect(priceByLists(prices(lists, [ofProduct]), anItem('10'), 1)).toEqual({ price: '8', compareAt: '12' })
    expect(priceByLists(prices(lists, [ofProduct, aPrice({ price: '7' })]), anItem('10'), 1)?.price).toBe('7')
    expect(priceByLists(prices([aList()]), anItem('10'), 1)).toBeNull()
    expect(priceByLists(prices(lists, [aPrice({ productId: 8 })]), anItem('10'), 1)?.price).toBe('5')
    expect(reachableLists([...lists, aList({ id: 3 })])).toEqual(lists)
  })

  test('counts units of the item, and says from how many on it changes', () => {
    const fixed = [
      aPrice({ minimumQuantity: 10, price: '4' }),
      aPrice({ price: '6', minimumQuantity: 5 }),
      aPrice({ variantId: null, minimumQuantity: 2, price: '9' }),
    ]
    const of = prices([aList()], fixed)
    const at = (quantity: number) => priceByLists(of, anItem('10'), quantity)?.price ?? 'listed'
    expect([1, 2, 4, 5, 9, 10, 99].map(at)).toEqual(['listed', '9', '9', '6', '6', '4', '4'])
    expect(quantityBreaks(of, anItem('10'))).toEqual([2, 5, 10])
  })

  test('does not depend on the order in which prices were set', () => {
    const fixed = fc.array(
      fc.record({
        ...{ id: fc.nat(), productId: fc.constant(7), compareAtPrice: fc.constant(null) },
        priceListId: fc.integer({ min: 1, max: 3 }),
        variantId: fc.constantFrom(null, 70, 71),
        minimumQuantity: fc.integer({ min: 1, max: 4 }),
        price: fc.nat({ max: 99 }).map(String),
      }),
      { maxLength: 12 },
    )
    const lists = [aList({ id: 1 }), aList({ id: 2 }), aList({ id: 3, adjustmentPercent: '-10' })]
    fc.assert(
      fc.property(fixed, fc.integer({ min: 1, max: 6 }), fc.nat(), (rows, quantity, turn) => {
        const once = [...new Map(rows.map((row) => [`${row.priceListId} ${row.variantId} ${row.minimumQuantity}`, row])).values()]
        const turned = [...once.slice(turn % (once.length + 1)), ...once.slice(0, turn % (once.length + 1))].toReversed()
        const found = priceByLists(prices(lists, once), anItem('10'), quantity)
        expect(priceByLists(prices(lists, turned), anItem('10'), quantity)).toEqual(found)
        expect(amountOf(found?.price ?? '-1') >= 0n).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
