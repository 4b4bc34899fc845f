import { z } from 'zod'
import type { Problem } from '../../toolkit/validation.ts'
import { problem, problemsIn } from '../../toolkit/validation.ts'
import { amountOf, textOf } from '../amount.ts'
import { type ProductFields, productProblems } from '../product/product.ts'
import { makesVariants, optionProblems, type ProductOptionType, valueProblems } from '../product-option/product-option.ts'
import { MAX_VARIANTS, type VariantFields, variantProblems } from '../product-variant/product-variant.ts'
import { decimal, flag, instant, list, strictObject, text, whole, word } from '../record-file/record-schema.ts'
import { identityKey, permalinkOf } from '../text-key.ts'

/** A category from the top: everything above it, and itself last. */
export type CategoryPath = readonly { readonly name: string; readonly permalink: string }[]

export type OptionRecord = {
  readonly name: string
  readonly optionType: ProductOptionType
  readonly addonPrice: string | null
  readonly values: readonly { readonly name: string; readonly custom: string | null }[]
}

export type VariantRecord = VariantFields & {
  /** Empty: the only variant of a product without options. */
  readonly options: readonly { readonly name: string; readonly value: string }[]
}

export type ImageRecord = { readonly url: string; readonly alt: string | null }

export type TranslationRecord = {
  readonly locale: string
  readonly name: string | null
  readonly description: string | null
  readonly pageTitle: string | null
  readonly metaDescription: string | null
  readonly permalink: string | null
}

/** A product as files hold it: without ids, and complete. Decimals have no zeros at their end. */
export type ProductRecord = { readonly permalink: string } & ProductFields & {
    /** By their permalinks. */
    readonly categories: readonly CategoryPath[]
    /** By position. */
    readonly options: readonly OptionRecord[]
    /** Oldest first. */
    readonly variants: readonly VariantRecord[]
    /** Stored images by their public URLs, then recorded ones. */
    readonly images: readonly ImageRecord[]
    /** By locale. */
    readonly translations: readonly TranslationRecord[]
    /** ISO 8601, UTC. */
    readonly createdAt: string
  }

/** Recorded images of a product. */
const MAX_IMAGES = 250
const MAX_URL_LENGTH = 2_000
const MAX_ALT_LENGTH = 1_000
/** As deep as a path of categories may be. */
const MAX_DEPTH = 20
const [MAX_CATEGORIES, MAX_CATEGORY_NAME_LENGTH] = [250, 200]

const category = strictObject({ name: text(MAX_CATEGORY_NAME_LENGTH), permalink: text(200) })
const VARIANT = z
  .object({
    price: decimal(),
    costPerItem: decimal().nullable(),
    compareAtPrice: decimal().nullable(),
    sku: text(255).nullable(),
    barcode: text(255).nullable(),
    stock: whole(),
    stockUnlimited: flag(),
    stockThreshold: whole(),
    stockNotification: flag(),
  })
  .partial().shape

/** A product in a line of JSON; what is absent stays as it is, or has the default of a new product. */
export const PRODUCT_SCHEMA = strictObject({
  permalink: text(200),
  ...z
    .object({
      name: text(255),
      pageTitle: text(255).nullable(),
      metaDescription: text(1_000).nullable(),
      description: text(100_000).nullable(),
      type: word(['PHYSICAL', 'DIGITAL', 'GIFT_CARD']),
      status: word(['AVAILABLE', 'NOT_AVAILABLE', 'DISABLED']),
      daysToExpire: whole(),
      price: decimal(),
      discount: decimal(),
      costPerItem: decimal().nullable(),
      compareAtPrice: decimal().nullable(),
      weight: decimal(),
      stock: whole(),
      stockUnlimited: flag(),
      stockThreshold: whole(),
      stockNotification: flag(),
      backInStockEnabled: flag(),
      minimumQuantity: whole().nullable(),
      maximumQuantity: whole().nullable(),
      sku: text(255).nullable(),
      brand: text(255).nullable(),
      barcode: text(255).nullable(),
      googleProductCategory: text(1_000).nullable(),
      quotable: flag(),
      featured: flag(),
      reviewsEnabled: flag(),
      shippingRequired: flag(),
      packageFormat: word(['BOX', 'CYLINDER']),
      length: decimal().nullable(),
      width: decimal().nullable(),
      height: decimal().nullable(),
      diameter: decimal().nullable(),
      categories: list(list(category, MAX_DEPTH).min(1), MAX_CATEGORIES),
      options: list(
        strictObject({
          name: text(100),
          optionType: word(['OPTION', 'INPUT', 'TEXT', 'FILE', 'COLOR', 'CHECKLIST']),
          addonPrice: decimal().nullable(),
          values: list(strictObject({ name: text(100), custom: text(7).nullable() }), 250),
        }),
        100,
      ),
      variants: list(
        strictObject({ ...VARIANT, options: list(strictObject({ name: text(100), value: text(100) }), 100) }),
        MAX_VARIANTS,
      ),
      images: list(strictObject({ url: text(MAX_URL_LENGTH), alt: text(MAX_ALT_LENGTH).nullable() }), MAX_IMAGES),
      translations: list(
        strictObject({
          locale: text(35),
          name: text(255).nullable(),
          description: text(100_000).nullable(),
          pageTitle: text(255).nullable(),
          metaDescription: text(1_000).nullable(),
          permalink: text(200).nullable(),
        }),
        100,
      ),
      createdAt: instant(),
    })
    .partial().shape,
})

/** Fields as a file has them: absent ones stay as they are. */
type Given<Fields extends object> = { readonly [Key in keyof Fields]?: Fields[Key] | undefined }

/** What a file says about a variant. */
export type VariantRecordInput = Given<VariantFields> & Pick<VariantRecord, 'options'>

/** What a file says about a product. */
export type ProductInput = Given<Omit<ProductRecord, 'permalink' | 'variants'>> & {
  readonly permalink: string
  readonly variants?: readonly VariantRecordInput[] | undefined
}

/** The permalink that a handle means: as it is where it is one. */
export const permalinkOfHandle = (handle: string): string =>
  /^[\p{L}\p{M}\p{N}]+(-[\p{L}\p{M}\p{N}]+)*$/u.test(handle) && handle.length <= 120 && handle === handle.toLowerCase()
    ? handle
    : permalinkOf(handle)

/** Problems of a record, each with its path. */
export function recordProblems(record: ProductRecord): readonly Problem[] {
  const { options, variants, images } = record
  const found = [
    ...productProblems(record),
    ...options.flatMap((option, index) => optionsProblems(option, index)),
    ...variants.flatMap((variant, index) => variantProblems(variant, `variants.${index}.`)),
    ...images.flatMap(({ url }, index) => (isWebUrl(url) ? [] : [problem(`images.${index}.url`, 'an http or https URL', url)])),
    ...categoryProblems(record),
    ...problemsIn([
      countProblem('variants', variants, MAX_VARIANTS),
      countProblem('images', images, MAX_IMAGES),
      countProblem('categories', record.categories, MAX_CATEGORIES),
    ]),
  ]
  return found.length > 0 ? found : mutualProblems(record)
}

const optionsProblems = ({ name, optionType, addonPrice, values }: OptionRecord, index: number): readonly Problem[] => [
  ...optionProblems({ name, optionType, addonPrice, position: index + 1 }, `options.${index}.`),
  ...values.flatMap((value, at) => valueProblems({ ...value, position: at + 1 }, optionType, `options.${index}.values.${at}.`)),
]

const countProblem = (field: string, { length }: readonly unknown[], max: number): Problem | null =>
  length > max ? problem(field, `a list of at most ${max}`, length) : null

const categoryProblems = ({ categories }: ProductRecord): readonly Problem[] =>
  problemsIn(
    categories.flat().map(({ name, permalink }) => {
      if (name.length > MAX_CATEGORY_NAME_LENGTH)
        return problem('categories', `categories with names of at most ${MAX_CATEGORY_NAME_LENGTH} characters`, name)
      return permalinkOfHandle(permalink) === permalink ? null : problem('categories', 'categories with permalinks', permalink)
    }),
  )

/** Problems between parts that are valid by themselves. */
function mutualProblems({ options, variants }: ProductRecord): readonly Problem[] {
  const known = new Map(options.map(({ name, optionType, values }) => [identityKey(name), { optionType, values }]))
  const combinations = new Set<string>()
  return problemsIn([
    known.size < options.length ? problem('options', 'options with different names', options.length) : null,
    ...options.map(({ values }, index) =>
      new Set(values.map(({ name }) => identityKey(name))).size < values.length
        ? problem(`options.${index}.values`, 'values with different names', values.length)
        : null,
    ),
    ...variants.map((variant, index) => {
      const key = combinationKey(variant)
      if (combinations.has(key)) return problem(`variants.${index}.options`, 'different from those of every other variant', key)
      combinations.add(key)
      const wrong = variant.options.find(({ name, value }) => {
        const option = known.get(identityKey(name))
        return (
          !option ||
          !makesVariants(option.optionType) ||
          !option.values.some((each) => identityKey(each.name) === identityKey(value))
        )
      })
      if (wrong) return problem(`variants.${index}.options`, 'values of options of the product', `${wrong.name}: ${wrong.value}`)
      const names = new Set(variant.options.map(({ name }) => identityKey(name)))
      return names.size < variant.options.length ? problem(`variants.${index}.options`, 'one value of each option', key) : null
    }),
  ])
}

/** What variants of a product differ by. */
export const combinationKey = ({ options }: Pick<VariantRecord, 'options'>): string =>
  options
    .map(({ name, value }) => `${identityKey(name)}\u001f${identityKey(value)}`)
    .sort()
    .join('\u001e')

/** What paths of categories are ordered by. */
export const pathKey = (path: CategoryPath): string => path.map(({ permalink }) => permalink).join('/')

/** Only a form: nothing is fetched. */
function isWebUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}

const DECIMALS = new Set<string>([
  ...['price', 'discount', 'costPerItem', 'compareAtPrice', 'weight', 'length', 'width', 'height', 'diameter', 'addonPrice'],
])

/** The same fields with decimals that have no zeros at their end, without undefined ones. */
const normalized = <Fields extends object>(fields: Given<Fields>): Partial<Fields> =>
  // The same keys; decimals stay texts.
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, typeof value === 'string' && DECIMALS.has(key) ? textOf(amountOf(value)) : value]),
  ) as Partial<Fields>

/** Fields with what a file says about them. */
export const changedBy = <Fields extends object>(before: Fields, given: Given<Fields>): Fields => ({
  ...before,
  ...normalized<Fields>(given),
})
