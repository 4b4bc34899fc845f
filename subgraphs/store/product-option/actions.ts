import { violates } from '../../../platform/database/postgres-error.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { productRepository } from '../product/repository.ts'
import { indexProducts } from '../product/search-repository.ts'
import { productVariantRepository } from '../product-variant/repository.ts'
import { identityKey } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import {
  MAX_OPTIONS,
  MAX_VALUES,
  makesVariants,
  optionProblems,
  type ProductOptionType,
  valueProblems,
} from './product-option.ts'
import { productOptionRepository } from './repository.ts'

/** Expected owner of a row; null or absent: any. */
type Within = { readonly productId?: string | null | undefined; readonly optionId?: string | null | undefined }
type OptionInput = {
  readonly name?: string | null | undefined
  readonly optionType?: ProductOptionType | null | undefined
  readonly position?: number | null | undefined
  readonly addonPrice?: string | null | undefined
}
type ValueInput = {
  readonly name?: string | null | undefined
  readonly custom?: string | null | undefined
  readonly position?: number | null | undefined
}

/** Adds an option to a product; those behind its place move up. */
export async function createProductOption(
  unit: UnitOfWork,
  { productId, ...input }: OptionInput & { readonly productId: string },
) {
  const { query, storeId } = unit
  const product = await productRepository(query).lock(storeId, decodeId(productId, 'Product') ?? 0)
  if (!product) return notFoundError('product', productId)
  const options = productOptionRepository(query)
  const siblings = await options.ofProducts(storeId, [product.id])
  const option = {
    productId: product.id,
    name: input.name ?? '',
    optionType: input.optionType ?? 'OPTION',
    position: input.position ?? siblings.length + 1,
    addonPrice: input.addonPrice ?? null,
  }
  const problems = [...optionProblems(option), ...taken(siblings, option.name, 'name', MAX_OPTIONS)]
  if (problems.length > 0) return validationError(problems)

  const id = await options.insert(storeId, option)
  await options.arrange(storeId, 'product_option', placed(siblings, id, option.position))
  await afterwards(unit, product.id)
  return { __typename: 'CreateProductOptionSuccess' as const, productOption: id }
}

/** Changes what the input has. */
export async function updateProductOption(unit: UnitOfWork, id: string, within: Within, input: OptionInput) {
  const { query, storeId } = unit
  const before = await lockedOption(unit, id, within)
  if (!before) return notFoundError('option', id)
  const options = productOptionRepository(query)
  const siblings = (await options.ofProducts(storeId, [before.productId])).filter((each) => each.id !== before.id)
  const option = {
    ...before,
    name: input.name === undefined ? before.name : (input.name ?? ''),
    optionType: input.optionType ?? before.optionType,
    position: input.position ?? before.position,
    addonPrice: input.addonPrice === undefined ? before.addonPrice : input.addonPrice,
  }
  const problems = [...optionProblems(option), ...taken(siblings, option.name, 'name', MAX_OPTIONS)]
  if (problems.length > 0) return validationError(problems)
  if (makesVariants(before.optionType) && !makesVariants(option.optionType) && (await hasVariants(unit, before.id))) {
    return validationError([problem('optionType', 'OPTION or COLOR, because variants are made of it', option.optionType)])
  }

  await options.update(storeId, option)
  await options.arrange(storeId, 'product_option', placed(siblings, before.id, option.position))
  await afterwards(unit, before.productId)
  return { __typename: 'UpdateProductOptionSuccess' as const, productOption: before.id }
}

/** Deletes an option with its values; variants go on without. */
export async function deleteProductOption(unit: UnitOfWork, id: string, within: Within) {
  const { query, storeId } = unit
  const before = await lockedOption(unit, id, within)
  if (!before) return notFoundError('option', id)
  const options = productOptionRepository(query)
  const siblings = (await options.ofProducts(storeId, [before.productId])).filter((each) => each.id !== before.id)
  await options.delete(storeId, 'product_option', before.id)
  try {
    await productVariantRepository(query).recombine(storeId, before.productId)
  } catch (thrown) {
    if (!violates(thrown, 'product_variant_store_id_product_id_combination_key')) throw thrown
    return validationError([
      problem('id', 'an option without which all variants still differ: delete variants first', before.name),
    ])
  }
  await options.arrange(
    storeId,
    'product_option',
    siblings.map((each) => each.id),
  )
  await afterwards(unit, before.productId)
  return { __typename: 'DeleteProductOptionSuccess' as const, row: before.id }
}

/** Adds a value to an option; those behind its place move up. */
export async function createProductOptionValue(
  unit: UnitOfWork,
  { optionId, productId, ...input }: ValueInput & Within & { readonly optionId: string },
) {
  const { query, storeId } = unit
  const option = await lockedOption(unit, optionId, { productId })
  if (!option) return notFoundError('option', optionId)
  if (!makesVariants(option.optionType) && option.optionType !== 'CHECKLIST') {
    return validationError([problem('optionId', 'an OPTION, a COLOR or a CHECKLIST', option.optionType)])
  }
  const options = productOptionRepository(query)
  const siblings = await options.valuesOf(storeId, [option.id])
  const value = {
    productId: option.productId,
    optionId: option.id,
    name: input.name ?? '',
    custom: blank(input.custom),
    position: input.position ?? siblings.length + 1,
  }
  const problems = [...valueProblems(value, option.optionType), ...taken(siblings, value.name, 'name', MAX_VALUES)]
  if (problems.length > 0) return validationError(problems)

  const id = await options.insertValue(storeId, value)
  await options.arrange(storeId, 'product_option_value', placed(siblings, id, value.position))
  await afterwards(unit, option.productId)
  return { __typename: 'CreateProductOptionValueSuccess' as const, productOptionValue: id }
}

/** Changes what the input has. */
export async function updateProductOptionValue(unit: UnitOfWork, id: string, within: Within, input: ValueInput) {
  const { query, storeId } = unit
  const found = await lockedValue(unit, id, within)
  if (!found) return notFoundError('value', id)
  const { option, value: before } = found
  const options = productOptionRepository(query)
  const siblings = (await options.valuesOf(storeId, [option.id])).filter((each) => each.id !== before.id)
  const value = {
    ...before,
    name: input.name === undefined ? before.name : (input.name ?? ''),
    custom: input.custom === undefined ? before.custom : blank(input.custom),
    position: input.position ?? before.position,
  }
  const problems = [...valueProblems(value, option.optionType), ...taken(siblings, value.name, 'name', MAX_VALUES)]
  if (problems.length > 0) return validationError(problems)

  await options.updateValue(storeId, value)
  await options.arrange(storeId, 'product_option_value', placed(siblings, before.id, value.position))
  await afterwards(unit, option.productId)
  return { __typename: 'UpdateProductOptionValueSuccess' as const, productOptionValue: before.id }
}

/** Deletes a value, with the variants that have it. */
export async function deleteProductOptionValue(unit: UnitOfWork, id: string, within: Within) {
  const { query, storeId } = unit
  const found = await lockedValue(unit, id, within)
  if (!found) return notFoundError('value', id)
  const options = productOptionRepository(query)
  await productVariantRepository(query).deleteWithValue(storeId, found.value.id)
  await options.delete(storeId, 'product_option_value', found.value.id)
  const left = await options.valuesOf(storeId, [found.option.id])
  await options.arrange(
    storeId,
    'product_option_value',
    left.map((each) => each.id),
  )
  await afterwards(unit, found.option.productId)
  return { __typename: 'DeleteProductOptionValueSuccess' as const, row: found.value.id }
}

/**
 * The option, with its product locked: everything about options and variants is changed by one at a
 * time.
 */
async function lockedOption({ query, storeId }: UnitOfWork, id: string, { productId }: Within) {
  const options = productOptionRepository(query)
  const row = decodeId(id, 'ProductOption') ?? 0
  const [seen] = await options.findByIds(storeId, [row])
  if (!seen || (productId != null && decodeId(productId, 'Product') !== seen.productId)) return null
  if (!(await productRepository(query).lock(storeId, seen.productId))) return null
  const [option] = await options.findByIds(storeId, [row])
  return option ?? null
}

/** The value and its option, with their product locked. */
async function lockedValue(unit: UnitOfWork, id: string, { productId, optionId }: Within) {
  const options = productOptionRepository(unit.query)
  const row = decodeId(id, 'ProductOptionValue') ?? 0
  const [seen] = await options.findValuesByIds(unit.storeId, [row])
  if (!seen || (optionId != null && decodeId(optionId, 'ProductOption') !== seen.optionId)) return null
  const option = await lockedOption(unit, String(seen.optionId), { productId })
  const [value] = await options.findValuesByIds(unit.storeId, [row])
  return option && value ? { option, value } : null
}

async function hasVariants({ query, storeId }: UnitOfWork, optionId: number): Promise<boolean> {
  const values = await productOptionRepository(query).valuesOf(storeId, [optionId])
  if (values.length === 0) return false
  const variants = await productVariantRepository(query).withValues(
    storeId,
    values.map(({ id }) => id),
  )
  return variants.length > 0
}

/** The ids of siblings with one of them at this place, or at the end. */
const placed = (siblings: readonly { readonly id: number }[], id: number, position: number): readonly number[] =>
  siblings.map((each) => each.id).toSpliced(position - 1, 0, id)

const taken = (siblings: readonly { readonly name: string }[], name: string, field: string, max: number) => [
  ...(siblings.some((each) => identityKey(each.name) === identityKey(name))
    ? [problem(field, 'one that no other has', name)]
    : []),
  ...(siblings.length >= max ? [problem(field, `one of at most ${max}`, name)] : []),
]

const blank = (text: string | null | undefined): string | null => (text?.trim() ? text : null)

/** A change of an option is a change of its product. */
async function afterwards({ query, storeId, now, emit }: UnitOfWork, productId: number): Promise<void> {
  await productRepository(query).touch(storeId, productId, now)
  await indexProducts(query, storeId, [productId])
  emit({ event: 'product_updated', entity: 'Product', id: productId })
}
