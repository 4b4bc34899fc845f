import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { given, required, type Versioned } from '../input.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  type CouponFields,
  couponProblems,
  type PromotionFields,
  promotionProblems,
  type RequiredLists,
  takenProblem,
  withoutStrays,
} from './problems.ts'
import type { Promotion } from './promotion.ts'
import { type PromotionRepository, promotionRepository } from './repository.ts'
import { couponKey } from './rule.ts'

type Ids = readonly string[] | null | undefined
type Plain = Exclude<
  keyof PromotionFields,
  'type' | 'customerCategories' | 'categories' | 'categoriesX' | 'products' | 'productsX'
>
type Input = { readonly [Key in Plain]?: PromotionFields[Key] | null | undefined } & {
  readonly type?: Promotion['type'] | null | undefined
  readonly customerCategoryIds?: Ids
  readonly categoryIds?: Ids
  readonly categoryIdsX?: Ids
  readonly productIds?: Ids
  readonly productIdsX?: Ids
  readonly coupons?: readonly { readonly code: string; readonly usageLimit?: number | null | undefined }[] | null | undefined
}

/** The lists of ids of an input: the type that they refer to, and their path. */
const REFERENCES = [
  {
    field: 'customerCategoryIds',
    member: 'customerCategories',
    type: 'CustomerCategory',
    table: 'customer_category',
    what: 'customer category',
  },
  { field: 'categoryIds', member: 'categories', type: 'ProductCategory', table: 'product_category', what: 'category' },
  { field: 'categoryIdsX', member: 'categoriesX', type: 'ProductCategory', table: 'product_category', what: 'category' },
  { field: 'productIds', member: 'products', type: 'Product', table: 'product', what: 'product' },
  { field: 'productIdsX', member: 'productsX', type: 'Product', table: 'product', what: 'product' },
] as const

const NEW: PromotionFields = {
  name: '',
  enabled: true,
  discountTarget: 'ORDER',
  buysAtLeast: 'NONE',
  conditionPrice: null,
  conditionQty: null,
  quantityX: null,
  type: 'PERCENTAGE',
  discountAmountFix: null,
  discountAmountPercent: null,
  lasts: 'NONE',
  beginsAt: null,
  expiresAt: null,
  maxTimesUsed: null,
  cumulative: false,
  customers: 'ALL',
  countries: [],
  regions: [],
  municipalities: [],
  customerCategories: [],
  categories: [],
  categoriesX: [],
  products: [],
  productsX: [],
}

export async function createPromotion({ query, storeId, now }: UnitOfWork, input: Input) {
  const promotions = promotionRepository(query)
  const fields = fieldsOf(input, NEW)
  const coupons = couponsOf(input.coupons)
  const problems = [...promotionProblems(fields, { customers: true, selected: true }), ...couponProblems(coupons)]
  if (problems.length > 0) return validationError(problems)
  const missing = await missingOf(promotions, storeId, input, fields)
  if (missing) return missing

  const promotion = await promotions.insert(storeId, fields, now)
  const taken = await takenCoupons(promotions, storeId, promotion, coupons)
  return taken ?? { __typename: 'CreatePromotionSuccess' as const, promotion }
}

export async function updatePromotion({ query, storeId, now }: UnitOfWork, id: string, input: Input & Versioned) {
  const promotions = promotionRepository(query)
  const before = await promotions.lock(storeId, decodeId(id, 'Promotion') ?? 0)
  if (!before) return notFoundError('promotion', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const fields = fieldsOf(input, before)
  const problems = [
    ...required(input, ['name', 'enabled', 'discountTarget', 'buysAtLeast', 'lasts', 'cumulative', 'customers']),
    ...promotionProblems(fields, filledBy(input)),
    ...couponProblems(couponsOf(input.coupons)),
  ]
  if (problems.length > 0) return validationError(problems)
  const missing = await missingOf(promotions, storeId, input, fields)
  if (missing) return missing

  await promotions.update(storeId, before.id, fields, now)
  if (input.coupons !== undefined) {
    const coupons = couponsOf(input.coupons)
    const overused = overusedOf(coupons, await promotions.lockCoupons(storeId, before.id))
    if (overused) return overused
    const taken = await takenCoupons(promotions, storeId, before.id, coupons)
    if (taken) return taken
  }
  return { __typename: 'UpdatePromotionSuccess' as const, promotion: before.id }
}

export async function deletePromotion({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const promotions = promotionRepository(query)
  const before = await promotions.lock(storeId, decodeId(id, 'Promotion') ?? 0)
  if (!before) return notFoundError('promotion', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await promotions.delete(storeId, before.id)
  return { __typename: 'DeletePromotionSuccess' as const, row: before.id }
}

/** The lists that a change needs filled. */
function filledBy(input: Input): RequiredLists {
  const has = (...fields: readonly (keyof Input)[]) => fields.some((field) => input[field] !== undefined)
  return {
    customers: has('customers', 'customerCategoryIds'),
    selected: has('discountTarget', 'categoryIds', 'categoryIdsX', 'productIds', 'productIdsX'),
  }
}

/**
 * The fields to write: those of the input over the current ones. Invalid ids are row 0, which does
 * not exist.
 */
function fieldsOf(input: Input, before: PromotionFields): PromotionFields {
  const members = Object.fromEntries(
    REFERENCES.map(({ field, member, type }) => {
      const ids = input[field]
      const rows = ids === undefined ? before[member] : (ids ?? []).map((id) => decodeId(id, type) ?? 0)
      return [member, [...new Set(rows)]]
    }),
  )
  return withoutStrays({
    ...before,
    ...members,
    name: input.name ?? before.name,
    enabled: input.enabled ?? before.enabled,
    discountTarget: input.discountTarget ?? before.discountTarget,
    buysAtLeast: input.buysAtLeast ?? before.buysAtLeast,
    conditionPrice: given(input.conditionPrice, before.conditionPrice),
    conditionQty: given(input.conditionQty, before.conditionQty),
    quantityX: given(input.quantityX, before.quantityX),
    type: typeOf(input) ?? before.type,
    discountAmountFix: given(input.discountAmountFix, before.discountAmountFix),
    discountAmountPercent: given(input.discountAmountPercent, before.discountAmountPercent),
    lasts: input.lasts ?? before.lasts,
    beginsAt: given(input.beginsAt, before.beginsAt),
    expiresAt: given(input.expiresAt, before.expiresAt),
    maxTimesUsed: given(input.maxTimesUsed, before.maxTimesUsed),
    cumulative: input.cumulative ?? before.cumulative,
    customers: input.customers ?? before.customers,
    countries: given(input.countries, before.countries) ?? [],
    regions: given(input.regions, before.regions) ?? [],
    municipalities: given(input.municipalities, before.municipalities) ?? [],
  })
}

/**
 * The type that an input means: the one that it names, or that of the only amount that it gives.
 */
function typeOf({ type, discountAmountFix: fix, discountAmountPercent: percent }: Input): Promotion['type'] | null {
  if (type != null) return type
  if (fix != null && percent == null) return 'FIX'
  return percent != null && fix == null ? 'PERCENTAGE' : null
}

const couponsOf = (coupons: Input['coupons']): readonly CouponFields[] =>
  (coupons ?? []).map(({ code, usageLimit }) => ({ code, usageLimit: usageLimit ?? 0 }))

/**
 * A failure that names the first of the ids that the store does not have; null when it has all that
 * are written.
 */
async function missingOf(promotions: PromotionRepository, storeId: number, input: Input, fields: PromotionFields) {
  for (const { field, member, type, table, what } of REFERENCES) {
    if (input[field] == null) continue
    const [missing] = await promotions.missing(storeId, table, fields[member])
    if (missing !== undefined) {
      const id = input[field]?.find((one) => (decodeId(one, type) ?? 0) === missing)
      return notFoundError(what, id ?? String(missing))
    }
  }
  return null
}

/** A failure when a coupon was used more often than it is to be usable. */
function overusedOf(coupons: readonly CouponFields[], before: readonly { readonly code: string; readonly timesUsed: number }[]) {
  const used = new Map(before.map(({ code, timesUsed }) => [couponKey(code), timesUsed]))
  const problems = coupons.flatMap(({ code, usageLimit }, index) => {
    const times = used.get(couponKey(code)) ?? 0
    const isFine = usageLimit === 0 || usageLimit >= times
    return isFine ? [] : [problem(`coupons.${index}.usageLimit`, `0, or at least ${times}, as often as it was used`, usageLimit)]
  })
  return problems.length === 0 ? null : validationError(problems)
}

/** Writes coupons; a failure when another promotion has one of them. */
async function takenCoupons(promotions: PromotionRepository, storeId: number, id: number, coupons: readonly CouponFields[]) {
  const taken = await promotions.setCoupons(storeId, id, coupons)
  if (taken.size === 0) return null
  return validationError(coupons.flatMap(({ code }, index) => (taken.has(couponKey(code)) ? [takenProblem(index, code)] : [])))
}
