import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { customFieldRepository } from '../custom-field/repository.ts'
import { customFieldSelectOptionRepository } from '../custom-field-select-option/repository.ts'
import { decodeId } from '../ids.ts'
import { lockedOwner, ownedPart, ownerChanged } from '../product/owner.ts'
import { indexProducts } from '../product/search-repository.ts'
import { productVariantRepository } from '../product-variant/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { MAX_FIELD_VALUES, MAX_FIELD_VARIANTS, saidBy } from './product-custom-field-value.ts'
import { productCustomFieldValueRepository } from './repository.ts'

type New = {
  readonly productId: string
  readonly customFieldId: string
  readonly value: string
  readonly variantIds?: readonly string[] | null | undefined
}
type Named = { readonly id: string; readonly productId?: string | null | undefined }

/** Adds a value of a field to a product, or to variants of it. */
export async function addProductCustomFieldValue(unit: UnitOfWork, { productId, customFieldId, value, ...rest }: New) {
  const { query, storeId } = unit
  const product = await lockedOwner(unit, productId)
  if (product === null) return notFoundError('product', productId)
  const field = await customFieldRepository(query).lockShared(storeId, decodeId(customFieldId, 'CustomField') ?? 0)
  if (!field) return notFoundError('custom field', customFieldId)
  const wanted = [...new Set(rest.variantIds ?? [])]
  if (wanted.length > MAX_FIELD_VARIANTS) {
    return validationError([problem('variantIds', `at most ${MAX_FIELD_VARIANTS} variants`, wanted.length)])
  }
  const rows = wanted.map((id) => decodeId(id, 'ProductVariant') ?? 0)
  const known = rows.length === 0 ? [] : await productVariantRepository(query).findByIds(storeId, rows)
  const missing = rows.findIndex((row) => !known.some((variant) => variant.id === row && variant.productId === product))
  if (missing !== -1) return notFoundError('variant of this product', wanted[missing] ?? '')

  const said = await read(unit, field, value)
  if ('problems' in said) return validationError(said.problems)
  const values = productCustomFieldValueRepository(query)
  const variantIds: readonly (number | null)[] = rows.length === 0 ? [null] : [...new Set(rows)]
  const others = await values.ofProducts(storeId, [product])
  if (others.some((other) => other.customFieldId === field.id && variantIds.includes(other.variantId))) {
    return validationError([problem('customFieldId', 'a field without a value for it; change the existing value', customFieldId)])
  }
  if (others.length + variantIds.length > MAX_FIELD_VALUES) {
    return validationError([
      problem('productId', `a product with at most ${MAX_FIELD_VALUES} values of custom fields`, productId),
    ])
  }
  const made = await values.insert(storeId, { productId: product, customFieldId: field.id, variantIds, said })
  await afterwards(unit, product)
  return { __typename: 'AddProductCustomFieldValueSuccess' as const, product, values: made }
}

/** Changes a value of a product. */
export async function updateProductCustomFieldValue(
  unit: UnitOfWork,
  { id, productId, value }: Named & { readonly value: string },
) {
  const { query, storeId } = unit
  const values = productCustomFieldValueRepository(query)
  const row = decodeId(id, 'ProductCustomFieldValue')
  const before = await ownedPart(unit, values.findByIds, { row, productId })
  const field = before && (await customFieldRepository(query).lockShared(storeId, before.customFieldId))
  if (!before || !field) return notFoundError('value of a custom field', id)
  const said = await read(unit, field, value)
  if ('problems' in said) return validationError(said.problems)
  await values.update(storeId, before.id, said)
  await afterwards(unit, before.productId)
  return { __typename: 'UpdateProductCustomFieldValueSuccess' as const, value: before.id }
}

/** Deletes a value of a product. */
export async function deleteProductCustomFieldValue(unit: UnitOfWork, { id, productId }: Named) {
  const values = productCustomFieldValueRepository(unit.query)
  const row = decodeId(id, 'ProductCustomFieldValue')
  const before = await ownedPart(unit, values.findByIds, { row, productId })
  if (!before) return notFoundError('value of a custom field', id)
  await values.delete(unit.storeId, before.id)
  await afterwards(unit, before.productId)
  return { __typename: 'DeleteProductCustomFieldValueSuccess' as const, row: before.id }
}

async function read({ query, storeId }: UnitOfWork, field: CustomField, value: string) {
  const options = field.type === 'SELECTION' ? await customFieldSelectOptionRepository(query).ofFields(storeId, [field.id]) : []
  return saidBy(value, field.type, options)
}

async function afterwards(unit: UnitOfWork, product: number): Promise<void> {
  await indexProducts(unit.query, unit.storeId, [product])
  await ownerChanged(unit, product)
}
