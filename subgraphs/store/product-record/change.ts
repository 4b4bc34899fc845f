import { keysOf } from '../../../platform/collections/keys-of.ts'
import { updateProduct } from '../product/actions.ts'
import { NEW_PRODUCT, type ProductChange } from '../product/product.ts'
import { productRepository } from '../product/repository.ts'
import { productOptionRepository } from '../product-option/repository.ts'
import { identityKey } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import { rowsOfCategories, urlRows } from './insert-repository.ts'
import { combinationKey, type ProductRecord, type VariantRecord } from './product-record.ts'
import type { StoredProduct } from './repository.ts'

/** Changes a product to what the record says: what differs, through the actions of products. */
export async function changeProduct(
  unit: UnitOfWork,
  { id, record: before, variantIds, storedImages }: StoredProduct,
  record: ProductRecord,
  categories: ReadonlyMap<string, number>,
) {
  const { query, storeId } = unit
  await addOptions(query, storeId, id, before, record)
  const known = new Map(before.variants.map((variant, index) => [combinationKey(variant), { variant, id: variantIds[index] }]))
  const variants = record.variants.flatMap((variant) => {
    const was = known.get(combinationKey(variant))
    if (was && JSON.stringify(was.variant) === JSON.stringify(variant)) return []
    const { options, ...fields } = variant
    return [
      was
        ? { ...differing(was.variant, variant, keysOf(fields)), id: String(was.id) }
        : { ...fields, options: optionsOf(options, record) },
    ]
  })
  const fields: ProductChange = differing(before, record, keysOf(NEW_PRODUCT))
  const rows = rowsOfCategories(record, categories).map(String)
  const isMoved = JSON.stringify(record.categories) !== JSON.stringify(before.categories)
  const result = await updateProduct(unit, String(id), { ...fields, variants, ...(isMoved && { categoryIds: rows }) })
  if (result.__typename !== 'UpdateProductSuccess') return result
  const images = record.images.slice(storedImages)
  if (JSON.stringify(images) !== JSON.stringify(before.images.slice(storedImages))) {
    await query.deleteFrom('product_image_url').where('store_id', '=', storeId).where('product_id', '=', id).execute()
    if (images.length > 0)
      await query
        .insertInto('product_image_url')
        .values(urlRows(storeId, id, images))
        .execute()
  }
  for (const { locale, ...texts } of record.translations) {
    const was = before.translations.find((each) => each.locale === locale)
    if (JSON.stringify(was) !== JSON.stringify({ locale, ...texts }))
      await productRepository(query).translate(storeId, id, locale, texts)
  }
  return result
}

/** What differs, and nothing else: orders may have taken from the stock since it was read. */
const differing = <Fields extends object, Key extends keyof Fields>(
  before: Fields,
  after: Fields,
  keys: readonly Key[],
): Partial<Pick<Fields, Key>> =>
  // An entry for some of the keys.
  Object.fromEntries(keys.filter((key) => after[key] !== before[key]).map((key) => [key, after[key]])) as Partial<
    Pick<Fields, Key>
  >

const optionsOf = (options: VariantRecord['options'], { options: all }: ProductRecord) =>
  options.map(({ name, value }) => {
    const optionType = all.find((option) => identityKey(option.name) === identityKey(name))?.optionType
    return { name, value, ...((optionType === 'OPTION' || optionType === 'COLOR') && { optionType }) }
  })

/** Adds the options and values that a product lacks. */
async function addOptions(
  query: UnitOfWork['query'],
  storeId: number,
  productId: number,
  before: ProductRecord,
  record: ProductRecord,
): Promise<void> {
  if (JSON.stringify(before.options) === JSON.stringify(record.options)) return
  const repository = productOptionRepository(query)
  const stored = await repository.ofProducts(storeId, [productId])
  for (const [index, { name, optionType, addonPrice, values }] of record.options.entries()) {
    const was = before.options[index]
    const optionId =
      stored.find((option) => identityKey(option.name) === identityKey(name))?.id ??
      (await repository.insert(storeId, { productId, name, position: index + 1, optionType, addonPrice }))
    for (const [at, value] of values.entries())
      if (!was?.values[at]) await repository.insertValue(storeId, { productId, optionId, ...value, position: at + 1 })
  }
}
