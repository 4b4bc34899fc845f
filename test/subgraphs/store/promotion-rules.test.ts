import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, rounded, sumOf, textOf } from '../../../subgraphs/store/amount.ts'
import {
  applyPromotions,
  type CartLine,
  type CouponRefusal,
  type PromotionCart,
} from '../../../subgraphs/store/promotion/apply.ts'
import {
  type Coupon,
  type PromotionRule,
  type PromotionSelection,
  promotionStatus,
} from '../../../subgraphs/store/promotion/rule.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const HOUR = 3_600_000
const KITCHEN = 10
const CLOTHES = 20
const SOCKS = 21
const BOOKS = 30
const REGULARS = 7

type LineOptions = { discount?: string; price?: string }
const line = (
  productId: number | null,
  price: string,
  categories: number[],
  quantity: number,
  options: LineOptions,
): CartLine => ({
  productId,
  categories: new Set(categories),
  price: amountOf(options.price ?? price),
  quantity,
  discount: amountOf(options.discount ?? '0'),
})
const mug = (quantity = 1, options: LineOptions = {}) => line(1, '10', [KITCHEN], quantity, options)
const pot = (quantity = 1, options: LineOptions = {}) => line(2, '25.5', [KITCHEN], quantity, options)
const tee = (quantity = 1, options: LineOptions = {}) => line(3, '19.99', [CLOTHES], quantity, options)
// A category of clothes: a line carries the categories above its own as well.
const sock = (quantity = 1, options: LineOptions = {}) => line(4, '3.33', [SOCKS, CLOTHES], quantity, options)
const book = (quantity = 1, options: LineOptions = {}) => line(5, '7.05', [BOOKS], quantity, options)
const unknown = (quantity = 1, options: LineOptions = {}) => line(null, '10', [], quantity, options)

const these = (products: number[], categories: number[] = []): PromotionSelection => ({
  products: new Set(products),
  categories: new Set(categories),
})
const NOTHING = these([])
const coupon = (id: number, code: string, options: Partial<Coupon> = {}): Coupon => ({
  id,
  code,
  usageLimit: 0,
  timesUsed: 0,
  ...options,
})
const ANYWHERE = { countries: [], regions: [], municipalities: [] }

function promotion(id: number, options: Partial<PromotionRule>): PromotionRule {
  return {
    id,
    name: `Promotion ${id}`,
    isEnabled: true,
    target: 'ORDER',
    condition: 'NONE',
    conditionPrice: null,
    conditionQuantity: null,
    discount: percent('10'),
    lasts: 'NONE',
    beginsAt: null,
    expiresAt: null,
    timesUsed: 0,
    maxTimesUsed: null,
    isCumulative: false,
    customers: 'ALL',
    customerCategories: new Set(),
    selection: NOTHING,
    required: NOTHING,
    quantityX: 1,
    coupons: [],
    destinations: ANYWHERE,
    ...options,
  }
}
const percent = (value: string) => ({ isFixed: false, value: amountOf(value) })
const fix = (value: string) => ({ isFixed: true, value: amountOf(value) })

const CALAMA = { country: 'CL', region: '03', municipality: '8261495', postal: '1390000' }
const LISBON = { country: 'PT', region: '14', municipality: null, postal: '1000-001' }

type Row = {
  readonly why: string
  readonly lines: readonly CartLine[]
  readonly promotions: readonly PromotionRule[]
  readonly currency?: string
  /** 6 when left out. */
  readonly shipping?: string | null
  readonly destination?: PromotionCart['destination']
  readonly customer?: PromotionCart['customer']
  readonly codes?: readonly string[]
  /** What comes off; nothing where left out. */
  readonly off?: { lines?: readonly string[]; order?: string; shipping?: string }
  /** Ids of the promotions that took something off, in turn. */
  readonly by?: readonly number[]
  readonly refused?: Readonly<Record<string, CouponRefusal>>
}

const MEMBER = { categories: new Set<number>() }
const REGULAR = { categories: new Set([REGULARS]) }
const SUMMER = coupon(1, 'Summer-26')

/**
 * Worked by hand; the comment of a row has the figures. Prices: mug 10.00, pot 25.50, tee 19.99,
 * sock 3.33, book 7.05; shipping 6.00.
 */
const ROWS: readonly Row[] = [
  // 1. Off the order
  // 20.00 + 19.99 = 39.99; 10 % is 3.999, rounded 4.00.
  {
    why: 'a percentage of all goods, rounded',
    lines: [mug(2), tee()],
    promotions: [promotion(1, {})],
    off: { order: '4' },
    by: [1],
  },
  // 3 × 3.33 = 9.99; 15 % is 1.4985, rounded 1.50. Shipping of 6.00 is not part of it.
  {
    why: 'shipping is no part of the goods',
    lines: [sock(3)],
    promotions: [promotion(1, { discount: percent('15') })],
    off: { order: '1.5' },
    by: [1],
  },
  // 10.00 + 7.05 = 17.05; 50 % is 8.525: half a cent goes up, 8.53.
  {
    why: 'half a minor unit is rounded up',
    lines: [mug(), book()],
    promotions: [promotion(1, { discount: percent('50') })],
    off: { order: '8.53' },
    by: [1],
  },
  // 7.05; 33.3333 % is 2.34999…, rounded 2.35.
  {
    why: 'percentages have four places',
    lines: [book()],
    promotions: [promotion(1, { discount: percent('33.3333') })],
    off: { order: '2.35' },
    by: [1],
  },
  // 25.50 of 25.50.
  {
    why: 'a hundred percent is all',
    lines: [pot()],
    promotions: [promotion(1, { discount: percent('100') })],
    off: { order: '25.5' },
    by: [1],
  },
  // 10.00 − 5.00 = 5.00 left.
  {
    why: 'money off the order',
    lines: [mug()],
    promotions: [promotion(1, { discount: fix('5') })],
    off: { order: '5' },
    by: [1],
  },
  // 50.00 are more than 3.33.
  {
    why: 'never more than the goods cost',
    lines: [sock()],
    promotions: [promotion(1, { discount: fix('50') })],
    off: { order: '3.33' },
    by: [1],
  },
  // 5.555 EUR cannot be paid: 5.56.
  {
    why: 'money off is rounded to the currency',
    lines: [mug()],
    promotions: [promotion(1, { discount: fix('5.555') })],
    off: { order: '5.56' },
    by: [1],
  },
  // CLP has no minor unit: 3 × 1990 = 5970; 7 % is 417.9, rounded 418.
  {
    why: 'pesos are whole',
    currency: 'CLP',
    lines: [tee(3, { price: '1990' })],
    promotions: [promotion(1, { discount: percent('7') })],
    off: { order: '418' },
    by: [1],
  },
  // KWD has three places: 2.125 + 2.125 = 4.25; 5 % is 0.2125, rounded 0.213.
  {
    why: 'dinars have three places',
    currency: 'KWD',
    lines: [mug(2, { price: '2.125' })],
    promotions: [promotion(1, { discount: percent('5') })],
    off: { order: '0.213' },
    by: [1],
  },
  // 10.00 − 4.00 of its own = 6.00; 50 % is 3.00.
  {
    why: 'a percentage is of what the own discount of a line leaves',
    lines: [mug(1, { discount: '4' })],
    promotions: [promotion(1, { discount: percent('50') })],
    off: { order: '3' },
    by: [1],
  },
  // The own discount of 12.00 takes all of 10.00.
  {
    why: 'nothing comes off what costs nothing any more',
    lines: [mug(1, { discount: '12' })],
    promotions: [promotion(1, { discount: percent('50') })],
  },
  // 0.00 of goods.
  { why: 'a gift is not discounted', lines: [mug(3, { price: '0' })], promotions: [promotion(1, { discount: fix('5') })] },
  // Nothing in it.
  { why: 'an empty cart', lines: [], promotions: [promotion(1, {})] },
  // 10.00 of something that the store does not have; 10 % is 1.00.
  {
    why: 'goods that the store does not have are part of the order',
    lines: [unknown()],
    promotions: [promotion(1, {})],
    off: { order: '1' },
    by: [1],
  },

  // 2. Off shipping
  // 50 % of 6.00.
  {
    why: 'half of shipping',
    lines: [mug()],
    promotions: [promotion(1, { target: 'SHIPPING', discount: percent('50') })],
    off: { shipping: '3' },
    by: [1],
  },
  // 10.00 are more than 6.00.
  {
    why: 'never more than shipping costs',
    lines: [mug()],
    promotions: [promotion(1, { target: 'SHIPPING', discount: fix('10') })],
    off: { shipping: '6' },
    by: [1],
  },
  // Nothing is sent.
  {
    why: 'no shipping, no discount',
    lines: [mug()],
    shipping: null,
    promotions: [promotion(1, { target: 'SHIPPING', discount: percent('100') })],
  },
  // 100 % of 6.00, as CL is listed.
  {
    why: 'shipping to a listed country',
    lines: [mug()],
    promotions: [
      promotion(1, { target: 'SHIPPING', discount: percent('100'), destinations: { ...ANYWHERE, countries: ['PT', 'CL'] } }),
    ],
    off: { shipping: '6' },
    by: [1],
  },
  // CL is not PT.
  {
    why: 'no discount on shipping to another country',
    lines: [mug()],
    promotions: [
      promotion(1, { target: 'SHIPPING', discount: percent('100'), destinations: { ...ANYWHERE, countries: ['PT'] } }),
    ],
  },
  // The star is every country: 1.00 off 6.00.
  {
    why: 'a star is every country',
    lines: [mug()],
    destination: LISBON,
    promotions: [promotion(1, { target: 'SHIPPING', discount: fix('1'), destinations: { ...ANYWHERE, countries: ['*'] } })],
    off: { shipping: '1' },
    by: [1],
  },
  // CL_03 is where Calama is: 2.00 off.
  {
    why: 'shipping to a listed region',
    lines: [mug()],
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2'),
        destinations: { ...ANYWHERE, countries: ['CL'], regions: ['CL_03'] },
      }),
    ],
    off: { shipping: '2' },
    by: [1],
  },
  // CL_05 is not where Calama is.
  {
    why: 'no discount on shipping to another region of a listed country',
    lines: [mug()],
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2'),
        destinations: { ...ANYWHERE, countries: ['CL'], regions: ['CL_05'] },
      }),
    ],
  },
  // The list of regions speaks of Chile; Portugal is listed as a whole: 2.00 off.
  {
    why: 'regions narrow only their own country',
    lines: [mug()],
    destination: LISBON,
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2'),
        destinations: { ...ANYWHERE, countries: ['CL', 'PT'], regions: ['CL_03'] },
      }),
    ],
    off: { shipping: '2' },
    by: [1],
  },
  // Only CL_03 is named, so Portugal is not meant.
  {
    why: 'a region without its country is no other country',
    lines: [mug()],
    destination: LISBON,
    promotions: [promotion(1, { target: 'SHIPPING', discount: fix('2'), destinations: { ...ANYWHERE, regions: ['CL_03'] } })],
  },
  // Calama itself: 2.50 off.
  {
    why: 'shipping to a listed municipality',
    lines: [mug()],
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2.5'),
        destinations: { ...ANYWHERE, municipalities: ['cl_03_8261495'] },
      }),
    ],
    off: { shipping: '2.5' },
    by: [1],
  },
  // Calama is listed, Antofagasta (of the same region) is asked for.
  {
    why: 'no discount on shipping to the municipality beside it',
    lines: [mug()],
    destination: { ...CALAMA, municipality: '8260000' },
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2.5'),
        destinations: { countries: ['CL'], regions: ['CL_03'], municipalities: ['CL_03_8261495'] },
      }),
    ],
  },
  // Only Calama is listed for Chile, so the rest of Chile is not meant.
  {
    why: 'a municipality without its region is no other region',
    lines: [mug()],
    destination: { ...CALAMA, region: '05', municipality: null },
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: fix('2.5'),
        destinations: { countries: ['CL'], regions: ['PT_14'], municipalities: ['CL_03_8261495'] },
      }),
    ],
  },
  // Stars on all three levels: 6.00 off.
  {
    why: 'stars are all regions and municipalities',
    lines: [mug()],
    promotions: [
      promotion(1, {
        target: 'SHIPPING',
        discount: percent('100'),
        destinations: { countries: ['*'], regions: ['*_*'], municipalities: ['*_*_*'] },
      }),
    ],
    off: { shipping: '6' },
    by: [1],
  },
  // Nobody knows where it goes.
  {
    why: 'an unknown destination is in no country',
    lines: [mug()],
    destination: { country: null, region: null, municipality: null, postal: null },
    promotions: [
      promotion(1, { target: 'SHIPPING', discount: percent('100'), destinations: { ...ANYWHERE, countries: ['CL'] } }),
    ],
  },
  // Countries belong to promotions of shipping: 10 % of 10.00.
  {
    why: 'countries do not narrow a promotion of the order',
    lines: [mug()],
    promotions: [promotion(1, { destinations: { ...ANYWHERE, countries: ['PT'] } })],
    off: { order: '1' },
    by: [1],
  },

  // 3. Off products
  // Mugs 20.00: 2.00. Pot 25.50: 2.55. The tee is none of kitchen.
  {
    why: 'a category, line by line',
    lines: [mug(2), tee(), pot()],
    promotions: [promotion(1, { target: 'CATEGORIES', selection: these([], [KITCHEN]) })],
    off: { lines: ['2', '0', '2.55'] },
    by: [1],
  },
  // 4 × 3.33 = 13.32; 25 % is 3.33.
  {
    why: 'a category has what is below it',
    lines: [sock(4)],
    promotions: [promotion(1, { target: 'CATEGORIES', discount: percent('25'), selection: these([], [CLOTHES]) })],
    off: { lines: ['3.33'] },
    by: [1],
  },
  // The tee is not a sock.
  {
    why: 'a category does not have what is above it',
    lines: [tee()],
    promotions: [promotion(1, { target: 'CATEGORIES', selection: these([], [SOCKS]) })],
  },
  // Tee 19.99 by itself, socks by category: 2.00 (1.999) and 0.33 (0.333).
  {
    why: 'products and categories together',
    lines: [tee(), sock(), book()],
    promotions: [promotion(1, { target: 'CATEGORIES', selection: these([3], [SOCKS]) })],
    off: { lines: ['2', '0.33', '0'] },
    by: [1],
  },
  // 1.50 off each of 3 mugs.
  {
    why: 'money off is off each unit',
    lines: [mug(3), book()],
    promotions: [promotion(1, { target: 'CATEGORIES', discount: fix('1.5'), selection: these([1]) })],
    off: { lines: ['4.5', '0'] },
    by: [1],
  },
  // 5.00 off each sock of 3.33 is all of 6.66.
  {
    why: 'money off a unit stops at its price',
    lines: [sock(2)],
    promotions: [promotion(1, { target: 'CATEGORIES', discount: fix('5'), selection: these([4]) })],
    off: { lines: ['6.66'] },
    by: [1],
  },
  // 20.00 − 5.00 of its own = 15.00; 20 % is 3.00.
  {
    why: 'a product that is discounted already',
    lines: [mug(2, { discount: '5' })],
    promotions: [promotion(1, { target: 'CATEGORIES', discount: percent('20'), selection: these([1]) })],
    off: { lines: ['3'] },
    by: [1],
  },
  // What the store does not have is in no category.
  {
    why: 'goods that the store does not have are in no category',
    lines: [unknown(2)],
    promotions: [promotion(1, { target: 'CATEGORIES', selection: these([1], [KITCHEN]) })],
  },
  // The category was deleted: nothing is selected.
  {
    why: 'an empty selection is nothing, not everything',
    lines: [mug()],
    promotions: [promotion(1, { target: 'CATEGORIES' })],
  },

  // 4. Buy X, get Y
  // Two tees give one pair of socks: all of 3.33.
  {
    why: 'two of X give one of Y',
    lines: [tee(2), sock(1)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([3]),
        selection: these([4]),
        quantityX: 2,
      }),
    ],
    off: { lines: ['0', '3.33'] },
    by: [1],
  },
  // One tee is not two.
  {
    why: 'one of X is not enough',
    lines: [tee(1), sock(1)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([3]),
        selection: these([4]),
        quantityX: 2,
      }),
    ],
  },
  // Five tees are two sets of two: two of three socks, 6.66 of 9.99.
  {
    why: 'each set gives one',
    lines: [tee(5), sock(3)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([3]),
        selection: these([4]),
        quantityX: 2,
      }),
    ],
    off: { lines: ['0', '6.66'] },
    by: [1],
  },
  // Three mugs: two are bought, one is given, 10.00 of 30.00.
  {
    why: 'three for two of one product',
    lines: [mug(3)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([1]),
        selection: these([1]),
        quantityX: 2,
      }),
    ],
    off: { lines: ['10'] },
    by: [1],
  },
  // Two mugs are both bought, none is left to give.
  {
    why: 'a unit is not bought and given at once',
    lines: [mug(2)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([1]),
        selection: these([1]),
        quantityX: 2,
      }),
    ],
  },
  // Seven mugs: four are bought for two given, one is over.
  {
    why: 'three for two, twice, and one over',
    lines: [mug(7)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([1]),
        selection: these([1]),
        quantityX: 2,
      }),
    ],
    off: { lines: ['20'] },
    by: [1],
  },
  // One set; of mug 10.00 and book 7.05 the book is cheaper. Half of 7.05 is 3.525, rounded 3.53.
  {
    why: 'the cheapest of Y is given',
    lines: [mug(1), book(1), tee(1)],
    promotions: [
      promotion(1, { target: 'BUY_X_GET_Y', discount: percent('50'), required: these([3]), selection: these([1, 5]) }),
    ],
    off: { lines: ['0', '3.53', '0'] },
    by: [1],
  },
  // Three sets: the book first (7.05), then two of three mugs (20.00).
  {
    why: 'then the next cheapest',
    lines: [mug(3), book(1), tee(3)],
    promotions: [
      promotion(1, { target: 'BUY_X_GET_Y', discount: percent('100'), required: these([3]), selection: these([1, 5]) }),
    ],
    off: { lines: ['20', '7.05', '0'] },
    by: [1],
  },
  // X by category: a mug and a pot are two of kitchen; 2.00 off one book.
  {
    why: 'X by category, money off each unit of Y',
    lines: [mug(), pot(), book(2)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: fix('2'),
        required: these([], [KITCHEN]),
        selection: these([], [BOOKS]),
        quantityX: 2,
      }),
    ],
    off: { lines: ['0', '0', '2'] },
    by: [1],
  },
  // X is there, Y is not.
  {
    why: 'Y has to be in the cart',
    lines: [tee(2)],
    promotions: [
      promotion(1, {
        target: 'BUY_X_GET_Y',
        discount: percent('100'),
        required: these([3]),
        selection: these([4]),
        quantityX: 2,
      }),
    ],
  },

  // 5. Conditions
  // 10.00 + 10.00 = 20.00 is just enough: 2.00.
  {
    why: 'a price that is just reached',
    lines: [mug(2)],
    promotions: [promotion(1, { condition: 'PRICE', conditionPrice: amountOf('20') })],
    off: { order: '2' },
    by: [1],
  },
  // 19.99 with 6.00 of shipping; shipping does not count.
  {
    why: 'a cent is missing, and shipping does not count',
    lines: [tee()],
    promotions: [promotion(1, { condition: 'PRICE', conditionPrice: amountOf('20') })],
  },
  // 20.00 before its own discount of 5.00; 10 % of 15.00.
  {
    why: 'a price is asked for before anything comes off',
    lines: [mug(2, { discount: '5' })],
    promotions: [promotion(1, { condition: 'PRICE', conditionPrice: amountOf('20') })],
    off: { order: '1.5' },
    by: [1],
  },
  // 2 + 1 = 3 units; 27.05 × 10 % = 2.705, rounded 2.71.
  {
    why: 'units of any kind',
    lines: [mug(2), book()],
    promotions: [promotion(1, { condition: 'QTY', conditionQuantity: 3 })],
    off: { order: '2.71' },
    by: [1],
  },
  // 2 units are not 3.
  {
    why: 'too few units',
    lines: [mug(), book()],
    promotions: [promotion(1, { condition: 'QTY', conditionQuantity: 3 })],
  },
  // Two of kitchen; the tee does not count.
  {
    why: 'a promotion of a category counts units of it',
    lines: [mug(2), tee(1)],
    promotions: [promotion(1, { target: 'CATEGORIES', selection: these([], [KITCHEN]), condition: 'QTY', conditionQuantity: 3 })],
  },
  // No product three times.
  {
    why: 'a single item three times, and there are three different',
    lines: [mug(), book(), tee()],
    promotions: [promotion(1, { condition: 'SINGLE_ITEM', conditionQuantity: 3 })],
  },
  // Two lines (variants) of the tee: 1 + 2 = 3; 59.97 × 10 % = 5.997, rounded 6.00.
  {
    why: 'variants of one product count together',
    lines: [tee(1), tee(2)],
    promotions: [promotion(1, { condition: 'SINGLE_ITEM', conditionQuantity: 3 })],
    off: { order: '6' },
    by: [1],
  },
  // Only the mugs are three of one: 10 % of 30.00; the pot is not.
  {
    why: 'of a category, what is there often enough is discounted',
    lines: [mug(3), pot(1)],
    promotions: [
      promotion(1, { target: 'CATEGORIES', selection: these([], [KITCHEN]), condition: 'SINGLE_ITEM', conditionQuantity: 3 }),
    ],
    off: { lines: ['3', '0'] },
    by: [1],
  },
  // Goods of 25.50 pay for shipping of 6.00.
  {
    why: 'free shipping from a price on',
    lines: [pot()],
    promotions: [
      promotion(1, { target: 'SHIPPING', discount: percent('100'), condition: 'PRICE', conditionPrice: amountOf('25') }),
    ],
    off: { shipping: '6' },
    by: [1],
  },

  // 6. Who
  // A guest is not logged in.
  { why: 'for those who are logged in', lines: [mug()], promotions: [promotion(1, { customers: 'LOGGEDIN' })] },
  {
    why: 'somebody is logged in',
    // 10 % of 10.00.
    lines: [mug()],
    customer: MEMBER,
    promotions: [promotion(1, { customers: 'LOGGEDIN' })],
    off: { order: '1' },
    by: [1],
  },
  // 10 % of 10.00 for a guest, nothing for a member.
  { why: 'for guests', lines: [mug()], promotions: [promotion(1, { customers: 'GUESTS' })], off: { order: '1' }, by: [1] },
  { why: 'a member is no guest', lines: [mug()], customer: MEMBER, promotions: [promotion(1, { customers: 'GUESTS' })] },
  // 10 % of 10.00 for a regular.
  {
    why: 'for a category of customers',
    lines: [mug()],
    customer: REGULAR,
    promotions: [promotion(1, { customers: 'CATEGORIES', customerCategories: new Set([6, REGULARS]) })],
    off: { order: '1' },
    by: [1],
  },
  {
    why: 'not for other members',
    lines: [mug()],
    customer: MEMBER,
    promotions: [promotion(1, { customers: 'CATEGORIES', customerCategories: new Set([REGULARS]) })],
  },

  // 7. How long
  { why: 'one that is off', lines: [mug()], promotions: [promotion(1, { isEnabled: false })] },
  // Begins at noon: 10 % of 10.00.
  {
    why: 'the first instant counts',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'DATE', beginsAt: NOON })],
    off: { order: '1' },
    by: [1],
  },
  {
    why: 'it begins in an hour',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'DATE', beginsAt: new Date(NOON.getTime() + HOUR) })],
  },
  { why: 'the last instant does not count', lines: [mug()], promotions: [promotion(1, { lasts: 'DATE', expiresAt: NOON })] },
  // Dates belong to DATE and BOTH: 10 % of 10.00.
  {
    why: 'dates that do not count',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'NONE', expiresAt: new Date(NOON.getTime() - HOUR) })],
    off: { order: '1' },
    by: [1],
  },
  // 4 of 5 uses: 10 % of 10.00.
  {
    why: 'the last use',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'MAX_TIMES_USED', timesUsed: 4, maxTimesUsed: 5 })],
    off: { order: '1' },
    by: [1],
  },
  {
    why: 'used up',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'MAX_TIMES_USED', timesUsed: 5, maxTimesUsed: 5 })],
  },
  {
    why: 'of both ends the first one counts',
    lines: [mug()],
    promotions: [promotion(1, { lasts: 'BOTH', expiresAt: new Date(NOON.getTime() + HOUR), timesUsed: 5, maxTimesUsed: 5 })],
  },

  // 8. Together or alone
  // Alone 10 % of 10.00 or 3.00: 3.00 is more.
  {
    why: 'of two that come alone the better one',
    lines: [mug()],
    promotions: [promotion(1, {}), promotion(2, { discount: fix('3') })],
    off: { order: '3' },
    by: [2],
  },
  // Both take 1.00.
  {
    why: 'of equal ones the older one',
    lines: [mug()],
    promotions: [promotion(2, { discount: fix('1') }), promotion(1, {})],
    off: { order: '1' },
    by: [1],
  },
  // 10 % of 10.00 is 1.00; 50 % of the 9.00 that are left is 4.50.
  {
    why: 'cumulative percentages, each of what is left',
    lines: [mug()],
    promotions: [promotion(1, { isCumulative: true }), promotion(2, { isCumulative: true, discount: percent('50') })],
    off: { order: '5.5' },
    by: [1, 2],
  },
  // Mugs 20.00 − 4.00 = 16.00; then 10 % of 16.00 + 19.99 = 35.99 is 3.599, rounded 3.60; then half
  // of shipping, 3.00.
  {
    why: 'products, then the order, then shipping',
    lines: [mug(2), tee()],
    promotions: [
      promotion(1, { isCumulative: true, target: 'SHIPPING', discount: percent('50') }),
      promotion(2, { isCumulative: true }),
      promotion(3, { isCumulative: true, target: 'CATEGORIES', discount: percent('20'), selection: these([], [KITCHEN]) }),
    ],
    off: { lines: ['4', '0'], order: '3.6', shipping: '3' },
    by: [3, 2, 1],
  },
  // Together 1.00 + 0.90 = 1.90; alone 2.50.
  {
    why: 'one that comes alone, and is better than all the others together',
    lines: [mug()],
    promotions: [
      promotion(1, { isCumulative: true }),
      promotion(2, { isCumulative: true }),
      promotion(3, { discount: fix('2.5') }),
    ],
    off: { order: '2.5' },
    by: [3],
  },
  // Together 1.00 + 0.90 = 1.90; alone 1.90: together, as more than one merchant's wish is met.
  {
    why: 'together, where alone saves the same',
    lines: [mug()],
    promotions: [
      promotion(1, { isCumulative: true }),
      promotion(2, { isCumulative: true }),
      promotion(3, { discount: fix('1.9') }),
    ],
    off: { order: '1.9' },
    by: [1, 2],
  },
  // 8.00 first, then 8.00 of the 2.00 that are left.
  {
    why: 'two that are more than the order together',
    lines: [mug()],
    promotions: [
      promotion(1, { isCumulative: true, discount: fix('8') }),
      promotion(2, { isCumulative: true, discount: fix('8') }),
    ],
    off: { order: '10' },
    by: [1, 2],
  },
  // The first takes all; the second has nothing left and is not counted as used.
  {
    why: 'one that takes nothing off is not applied',
    lines: [mug()],
    promotions: [promotion(1, { isCumulative: true, discount: percent('100') }), promotion(2, { isCumulative: true })],
    off: { order: '10' },
    by: [1],
  },
  // Two promotions of one product: 20.00 − 10.00 (5.00 each) = 10.00; 10 % of it is 1.00.
  {
    why: 'two on one product',
    lines: [mug(2)],
    promotions: [
      promotion(1, { isCumulative: true, target: 'CATEGORIES', discount: fix('5'), selection: these([1]) }),
      promotion(2, { isCumulative: true, target: 'CATEGORIES', selection: these([], [KITCHEN]) }),
    ],
    off: { lines: ['11'] },
    by: [1, 2],
  },

  // 9. Coupons
  // Nobody entered one.
  { why: 'a coupon that nobody entered', lines: [mug()], promotions: [promotion(1, { coupons: [SUMMER] })] },
  // 10 % of 10.00, whatever the case.
  {
    why: 'case and spaces of a coupon do not matter',
    lines: [mug()],
    codes: [' SUMMER-26 '],
    promotions: [promotion(1, { coupons: [SUMMER] })],
    off: { order: '1' },
    by: [1],
  },
  {
    why: 'a code that nobody knows',
    lines: [mug()],
    codes: ['winter'],
    promotions: [promotion(1, { coupons: [SUMMER] })],
    refused: { winter: 'UNKNOWN' },
  },
  // 0 is no limit.
  {
    why: 'a coupon without a limit',
    lines: [mug()],
    codes: ['Summer-26'],
    promotions: [promotion(1, { coupons: [{ ...SUMMER, timesUsed: 9_999 }] })],
    off: { order: '1' },
    by: [1],
  },
  {
    why: 'a coupon that is used up',
    lines: [mug()],
    codes: ['Summer-26'],
    promotions: [promotion(1, { coupons: [{ ...SUMMER, usageLimit: 3, timesUsed: 3 }] })],
    refused: { 'Summer-26': 'USED_UP' },
  },
  // The first one is used up, the second one of the same promotion is not: 1.00 once.
  {
    why: 'another coupon of the promotion',
    lines: [mug()],
    codes: ['a', 'b'],
    promotions: [promotion(1, { coupons: [coupon(1, 'A', { usageLimit: 1, timesUsed: 1 }), coupon(2, 'B')] })],
    off: { order: '1' },
    by: [1],
    refused: { a: 'USED_UP' },
  },
  // One promotion counts once: 1.00.
  {
    why: 'two coupons of one promotion',
    lines: [mug()],
    codes: ['a', 'b'],
    promotions: [promotion(1, { isCumulative: true, coupons: [coupon(1, 'A'), coupon(2, 'B')] })],
    off: { order: '1' },
    by: [1],
    refused: { b: 'NOT_COMBINABLE' },
  },
  // 3.00 with the coupon, 1.00 without: the coupon.
  {
    why: 'a coupon that saves more than what everybody gets',
    lines: [mug()],
    codes: ['summer-26'],
    promotions: [promotion(1, {}), promotion(2, { discount: fix('3'), coupons: [SUMMER] })],
    off: { order: '3' },
    by: [2],
  },
  // 0.50 with the coupon, 1.00 without: it stays unused.
  {
    why: 'a coupon that saves less stays unused',
    lines: [mug()],
    codes: ['summer-26'],
    promotions: [promotion(1, {}), promotion(2, { discount: fix('0.5'), coupons: [SUMMER] })],
    off: { order: '1' },
    by: [1],
    refused: { 'summer-26': 'NOT_COMBINABLE' },
  },
  // 1.00, then 3.00.
  {
    why: 'a cumulative coupon beside what everybody gets',
    lines: [mug()],
    codes: ['summer-26'],
    promotions: [
      promotion(1, { isCumulative: true }),
      promotion(2, { isCumulative: true, discount: fix('3'), coupons: [SUMMER] }),
    ],
    off: { order: '4' },
    by: [1, 2],
  },
  {
    why: 'the reason why a coupon does not count is told',
    lines: [mug()],
    codes: ['off', 'late', 'early', 'gone', 'rich', 'member', 'abroad', 'sock', 'OFF'],
    promotions: [
      promotion(1, { isEnabled: false, coupons: [coupon(1, 'off')] }),
      promotion(2, { lasts: 'DATE', expiresAt: NOON, coupons: [coupon(2, 'late')] }),
      promotion(3, { lasts: 'DATE', beginsAt: new Date(NOON.getTime() + HOUR), coupons: [coupon(3, 'early')] }),
      promotion(4, { lasts: 'MAX_TIMES_USED', timesUsed: 1, maxTimesUsed: 1, coupons: [coupon(4, 'gone')] }),
      promotion(5, { condition: 'PRICE', conditionPrice: amountOf('10.01'), coupons: [coupon(5, 'rich')] }),
      promotion(6, { customers: 'LOGGEDIN', coupons: [coupon(6, 'member')] }),
      promotion(7, {
        target: 'SHIPPING',
        destinations: { ...ANYWHERE, countries: ['PT'] },
        coupons: [coupon(7, 'abroad')],
      }),
      promotion(8, { target: 'CATEGORIES', selection: these([4]), coupons: [coupon(8, 'sock')] }),
    ],
    refused: {
      off: 'DISABLED',
      late: 'EXPIRED',
      early: 'NOT_BEGUN',
      gone: 'USED_UP',
      rich: 'CONDITION_NOT_MET',
      member: 'OTHER_CUSTOMERS',
      abroad: 'OTHER_DESTINATION',
      sock: 'NOTHING_TO_DISCOUNT',
    },
  },
]

describe('carts that were worked by hand', () => {
  test.each(ROWS)('$why', ({ lines, promotions, off = {}, by = [], refused = {}, ...row }) => {
    const cart: PromotionCart = {
      currency: row.currency ?? 'EUR',
      lines,
      shipping: row.shipping === null ? null : amountOf(row.shipping ?? '6'),
      destination: row.destination ?? CALAMA,
      customer: row.customer ?? null,
      couponCodes: row.codes ?? [],
      now: NOON,
    }
    const found = applyPromotions(cart, promotions)
    expect({
      lines: found.lines.map(textOf),
      order: textOf(found.order),
      shipping: textOf(found.shipping),
      by: found.applied.map(({ promotionId }) => promotionId),
      refused: Object.fromEntries(found.refused.map(({ code, reason }) => [code, reason])),
    }).toEqual({
      lines: off.lines ?? lines.map(() => '0'),
      order: off.order ?? '0',
      shipping: off.shipping ?? '0',
      by,
      refused,
    })
  })
})

test('a promotion is expired when it is past its end or used up, and active while it is off or yet to begin', () => {
  const ended = { lasts: 'BOTH', expiresAt: NOON, maxTimesUsed: 5 } as const
  expect(promotionStatus(promotion(1, {}), NOON)).toBe('ACTIVE')
  expect(promotionStatus(promotion(1, { isEnabled: false }), NOON)).toBe('ACTIVE')
  expect(promotionStatus(promotion(1, { lasts: 'DATE', beginsAt: new Date(NOON.getTime() + HOUR) }), NOON)).toBe('ACTIVE')
  expect(promotionStatus(promotion(1, ended), NOON)).toBe('EXPIRED')
  expect(promotionStatus(promotion(1, { ...ended, expiresAt: null, timesUsed: 5 }), NOON)).toBe('EXPIRED')
  expect(promotionStatus(promotion(1, { ...ended, expiresAt: null, timesUsed: 4 }), NOON)).toBe('ACTIVE')
})

const RUNS = { seed: 20261120, numRuns: 1_000 }
const anyLine = fc
  .tuple(fc.constantFrom(mug, pot, tee, sock, book, unknown), fc.integer({ min: 1, max: 6 }), fc.constantFrom('0', '1.999', '40'))
  .map(([make, quantity, discount]) => make(quantity, { discount }))
const anySelection = fc.constantFrom(these([1, 4]), these([], [CLOTHES]), these([5], [KITCHEN]), NOTHING)
const anyPromotion = fc.record<Partial<PromotionRule>>({
  target: fc.constantFrom('ORDER', 'SHIPPING', 'CATEGORIES', 'BUY_X_GET_Y'),
  condition: fc.constantFrom('NONE', 'PRICE', 'QTY', 'SINGLE_ITEM'),
  conditionPrice: fc.constant(amountOf('20')),
  conditionQuantity: fc.constantFrom(1, 3),
  discount: fc.constantFrom(percent('12.5'), percent('100'), fix('0.005'), fix('4.99'), fix('1000')),
  isCumulative: fc.boolean(),
  selection: anySelection,
  required: anySelection,
  quantityX: fc.integer({ min: 1, max: 3 }),
})
const anyPromotions = fc.array(anyPromotion, { maxLength: 5 }).map((all) => all.map((one, index) => promotion(index + 1, one)))

test('in random carts nothing goes below zero, and one more promotion never makes a cart dearer', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 5 }), anyPromotions, (lines, promotions) => {
      const cart: PromotionCart = {
        currency: 'EUR',
        lines,
        shipping: 60_000n,
        destination: CALAMA,
        customer: null,
        couponCodes: [],
        now: NOON,
      }
      const savedBy = (some: readonly PromotionRule[]) => {
        const found = applyPromotions(cart, some)
        const saved = sumOf([...found.lines, found.order, found.shipping])
        expect(sumOf(found.applied.map(({ amount }) => amount))).toBe(saved)
        const left = lines.map(({ price, quantity, discount }, index) => {
          const amount = price * BigInt(quantity)
          const own = rounded(discount, 100n)
          const rest = (own > amount ? 0n : amount - own) - (found.lines[index] ?? 0n)
          expect(rest).toBeGreaterThanOrEqual(0n)
          return rest
        })
        expect(sumOf(left) - found.order).toBeGreaterThanOrEqual(0n)
        expect(60_000n - found.shipping).toBeGreaterThanOrEqual(0n)
        return saved
      }
      const all = savedBy(promotions)
      for (const one of promotions) expect(savedBy(promotions.filter((other) => other !== one))).toBeLessThanOrEqual(all)
    }),
    RUNS,
  )
})
