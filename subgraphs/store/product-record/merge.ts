import { NEW_PRODUCT } from '../product/product.ts'
import { newVariant } from '../product-variant/product-variant.ts'
import { identityKey } from '../text-key.ts'
import {
  changedBy,
  combinationKey,
  type OptionRecord,
  type ProductInput,
  type ProductRecord,
  pathKey,
  type TranslationRecord,
  type VariantRecord,
  type VariantRecordInput,
} from './product-record.ts'

/**
 * A product after an import: fields of the file replace those of the product; options, variants and
 * translations are added to or changed, never removed. `storedImages`: how many images of `before`
 * are stored, which stay.
 */
export function merged(
  before: { readonly record: ProductRecord; readonly storedImages: number } | null,
  { permalink, categories, options, variants, images, translations, createdAt, ...fields }: ProductInput,
  now: Date,
): ProductRecord {
  const was: ProductRecord = before?.record ?? { ...NEW_RECORD, permalink, createdAt: createdAt ?? now.toISOString() }
  const product: ProductRecord = changedBy(was, fields)
  const stored = was.images.slice(0, before?.storedImages ?? 0)
  const own = new Set(stored.map(({ url }) => url))
  return {
    ...product,
    categories: categories?.toSorted((one, other) => (pathKey(one) < pathKey(other) ? -1 : 1)) ?? was.categories,
    options: options ? mergedOptions(was.options, options) : was.options,
    variants: variants ? mergedVariants(was.variants, variants, product.price) : was.variants,
    images: images ? [...stored, ...images.filter(({ url }) => !own.has(url))] : was.images,
    translations: translations ? byLocale([...was.translations, ...translations]) : was.translations,
  }
}

const NEW_RECORD = {
  ...NEW_PRODUCT,
  // Of an import, what is not counted is not there.
  stock: 0,
  categories: [],
  options: [],
  variants: [],
  images: [],
  translations: [],
}

const mergedOptions = (before: readonly OptionRecord[], given: readonly OptionRecord[]): readonly OptionRecord[] => [
  ...before.map((option) => {
    const same = given.find(({ name }) => identityKey(name) === identityKey(option.name))
    const known = new Set(option.values.map(({ name }) => identityKey(name)))
    const added = same?.values.filter(({ name }) => !known.has(identityKey(name))) ?? []
    return added.length === 0 ? option : { ...option, values: [...option.values, ...added] }
  }),
  ...given
    .filter(({ name }) => !before.some((option) => identityKey(option.name) === identityKey(name)))
    .map((option) => changedBy(option, option)),
]

function mergedVariants(
  before: readonly VariantRecord[],
  given: readonly VariantRecordInput[],
  price: string,
): readonly VariantRecord[] {
  const left = new Map(before.map((variant) => [combinationKey(variant), variant]))
  const found = new Map(left)
  const added: VariantRecord[] = []
  for (const input of given) {
    const key = combinationKey(input)
    const was = left.get(key)
    // A second one with the same values is added, so that it is found to be the same.
    if (was) {
      left.delete(key)
      found.set(key, { ...changedBy(was, input), options: was.options })
    } else added.push(changedBy({ ...newVariant(price), stock: 0, options: input.options }, input))
  }
  return [...found.values(), ...added]
}

/** Of each language the last, by language. */
function byLocale(all: readonly TranslationRecord[]): readonly TranslationRecord[] {
  return [...new Map(all.map((each) => [each.locale, each])).values()].sort((one, other) => (one.locale < other.locale ? -1 : 1))
}
