import { type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { amountOf, ONE } from '../amount.ts'
import { countryOf } from '../country/country.ts'
import type { Promotion } from './promotion.ts'
import { couponKey } from './rule.ts'

/** Fields of a promotion to write. */
export type PromotionFields = Omit<Promotion, 'id' | 'timesUsed' | 'createdAt' | 'updatedAt' | 'version'>
/** A coupon as it is to be. */
export type CouponFields = { readonly code: string; readonly usageLimit: number }

export const MAX_COUPONS = 1_000
const MAX_CATEGORIES = 250
const MAX_PRODUCTS = 1_000
const MAX_COUNTRIES = 250
const MAX_REGIONS = 1_000
const MAX_MUNICIPALITIES = 5_000

/**
 * The fields with nothing in them that the others do not ask for: callers repeat whole promotions,
 * old conditions included.
 */
export function withoutStrays(fields: PromotionFields): PromotionFields {
  const { discountTarget, buysAtLeast, type, lasts, customers } = fields
  const stored = <Value, None>(isRequested: boolean, value: Value, none: None) => (isRequested ? value : none)
  const hasDates = lasts === 'DATE' || lasts === 'BOTH'
  const isShipping = discountTarget === 'SHIPPING'
  const isBuy = discountTarget === 'BUY_X_GET_Y'
  const hasProducts = isBuy || discountTarget === 'CATEGORIES'
  return {
    ...fields,
    conditionPrice: stored(buysAtLeast === 'PRICE', fields.conditionPrice, null),
    conditionQty: stored(buysAtLeast === 'QTY' || buysAtLeast === 'SINGLE_ITEM', fields.conditionQty, null),
    quantityX: stored(isBuy, fields.quantityX ?? 1, null),
    discountAmountFix: stored(type === 'FIX', fields.discountAmountFix, null),
    discountAmountPercent: stored(type === 'PERCENTAGE', fields.discountAmountPercent, null),
    beginsAt: stored(hasDates, fields.beginsAt, null),
    expiresAt: stored(hasDates, fields.expiresAt, null),
    maxTimesUsed: stored(lasts === 'MAX_TIMES_USED' || lasts === 'BOTH', fields.maxTimesUsed, null),
    customerCategories: stored(customers === 'CATEGORIES', fields.customerCategories, []),
    categories: stored(hasProducts, fields.categories, []),
    products: stored(hasProducts, fields.products, []),
    categoriesX: stored(isBuy, fields.categoriesX, []),
    productsX: stored(isBuy, fields.productsX, []),
    countries: stored(isShipping, fields.countries, []),
    regions: stored(isShipping, fields.regions, []),
    municipalities: stored(isShipping, fields.municipalities, []),
  }
}

/** Which lists have to hold something. */
export type RequiredLists = { readonly customers: boolean; readonly selected: boolean }

/**
 * Problems of a promotion with valid references, in the order of its fields. A list may be empty
 * unless `filled` says otherwise: its rows may have been deleted, and the rest can then still be
 * changed.
 */
export function promotionProblems(fields: PromotionFields, filled: RequiredLists): readonly Problem[] {
  const { discountTarget, buysAtLeast, lasts, beginsAt, expiresAt, maxTimesUsed, quantityX } = fields
  return problemsIn([
    textProblem('name', fields.name, 200),
    buysAtLeast === 'PRICE' && !isMoney(fields.conditionPrice)
      ? problem('conditionPrice', '0 or more, as "buysAtLeast" is PRICE', fields.conditionPrice)
      : null,
    (buysAtLeast === 'QTY' || buysAtLeast === 'SINGLE_ITEM') && !isCount(fields.conditionQty)
      ? problem('conditionQty', `1 or more, as "buysAtLeast" is ${buysAtLeast}`, fields.conditionQty)
      : null,
    discountTarget === 'BUY_X_GET_Y' && !isCount(quantityX) ? problem('quantityX', '1 or more', quantityX) : null,
    amountProblem(fields),
    (lasts === 'DATE' || lasts === 'BOTH') && beginsAt === null && expiresAt === null
      ? problem('expiresAt', `there, or "beginsAt", as "lasts" is ${lasts}`, null)
      : null,
    beginsAt !== null && expiresAt !== null && expiresAt <= beginsAt
      ? problem('expiresAt', 'after "beginsAt"', expiresAt.toISOString())
      : null,
    (lasts === 'MAX_TIMES_USED' || lasts === 'BOTH') && !isCount(maxTimesUsed)
      ? problem('maxTimesUsed', `1 or more, as "lasts" is ${lasts}`, maxTimesUsed)
      : null,
    filled.customers && fields.customers === 'CATEGORIES' && fields.customerCategories.length === 0
      ? problem('customerCategoryIds', 'not empty, as "customers" is CATEGORIES', 'none')
      : null,
    countProblem('customerCategoryIds', fields.customerCategories, MAX_CATEGORIES),
    filled.selected &&
    (discountTarget === 'CATEGORIES' || discountTarget === 'BUY_X_GET_Y') &&
    fields.categories.length + fields.products.length === 0
      ? problem('categoryIds', `not empty, or "productIds", as "discountTarget" is ${discountTarget}`, 'none')
      : null,
    countProblem('categoryIds', fields.categories, MAX_CATEGORIES),
    filled.selected && discountTarget === 'BUY_X_GET_Y' && fields.categoriesX.length + fields.productsX.length === 0
      ? problem('categoryIdsX', 'not empty, or "productIdsX", as "discountTarget" is BUY_X_GET_Y', 'none')
      : null,
    countProblem('categoryIdsX', fields.categoriesX, MAX_CATEGORIES),
    countProblem('productIds', fields.products, MAX_PRODUCTS),
    countProblem('productIdsX', fields.productsX, MAX_PRODUCTS),
    countProblem('countries', fields.countries, MAX_COUNTRIES),
    ...fields.countries.map((code, index) =>
      code === '*' || countryOf(code)?.code === code
        ? null
        : problem(`countries.${index}`, 'an ISO 3166-1 alpha-2 code such as "PT", or "*"', code),
    ),
    countProblem('regions', fields.regions, MAX_REGIONS),
    ...fields.regions.map((code, index) => placeProblem(`regions.${index}`, code, 2, '"CL_03", or "*_*"')),
    countProblem('municipalities', fields.municipalities, MAX_MUNICIPALITIES),
    ...fields.municipalities.map((code, index) =>
      placeProblem(`municipalities.${index}`, code, 3, '"CL_03_8261495", or "*_*_*"'),
    ),
  ])
}

/** Problems of the coupons of a promotion. */
export function couponProblems(coupons: readonly CouponFields[]): readonly Problem[] {
  const keys = new Set<string>()
  return problemsIn([
    countProblem('coupons', coupons, MAX_COUPONS),
    ...coupons.flatMap(({ code, usageLimit }, index) => {
      const key = couponKey(code)
      const isTwice = keys.has(key)
      keys.add(key)
      return [
        code === code.trim() && key !== '' ? textProblem(`coupons.${index}.code`, code, 100) : codeProblem(index, code),
        isTwice ? problem(`coupons.${index}.code`, 'different from those of the other coupons', code) : null,
        usageLimit >= 0 ? null : problem(`coupons.${index}.usageLimit`, '0 or more', usageLimit),
      ]
    }),
  ])
}

const codeProblem = (index: number, code: string): Problem =>
  problem(`coupons.${index}.code`, '1 to 100 characters without white space around them', code)

/** A code that another promotion has. */
export const takenProblem = (index: number, code: string): Problem =>
  problem(`coupons.${index}.code`, 'a code that no other promotion of the store has', code)

function amountProblem({ type, discountAmountFix, discountAmountPercent }: PromotionFields): Problem | null {
  if (type === 'FIX') {
    return isMoney(discountAmountFix) && amountOf(discountAmountFix) > 0n
      ? null
      : problem('discountAmountFix', 'above 0, as "type" is FIX', discountAmountFix)
  }
  const percent = isMoney(discountAmountPercent) ? amountOf(discountAmountPercent) : 0n
  return percent > 0n && percent <= 100n * ONE
    ? null
    : problem('discountAmountPercent', 'above 0 and at most 100, as "type" is PERCENTAGE', discountAmountPercent)
}

const isMoney = (text: string | null): text is string => text !== null && amountOf(text) >= 0n
const isCount = (count: number | null): boolean => count !== null && count >= 1

const countProblem = (field: string, list: readonly unknown[], max: number): Problem | null =>
  list.length <= max ? null : problem(field, `a list of at most ${max}`, list.length)

/**
 * Codes of countries, regions and municipalities, joined: each part letters and digits, or all of
 * them stars.
 */
function placeProblem(field: string, code: string, parts: number, examples: string): Problem | null {
  const given = code.split('_')
  const [country = '', ...below] = given
  const isEverywhere = given.every((part) => part === '*')
  const isPlace = countryOf(country)?.code === country && below.every((part) => /^([A-Z0-9-]{1,20}|\*)$/.test(part))
  return given.length === parts && (isEverywhere || isPlace) ? null : problem(field, `a code such as ${examples}`, code)
}
