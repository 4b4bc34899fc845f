import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { settleStock } from '../inventory/stock.ts'
import type { Product } from '../product/product.ts'
import { productRepository } from '../product/repository.ts'
import { indexProducts } from '../product/search-repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  changedVariant,
  MAX_VARIANTS,
  newVariant,
  type ProductVariant,
  type VariantChange,
  variantProblems,
} from './product-variant.ts'
import { productVariantRepository } from './repository.ts'
import { type ValuesByName, type VariantOptionInput, valuesByName } from './values.ts'

/** A variant as a caller gives it. */
export type VariantInput = VariantChange & {
  readonly imageId?: string | null | undefined
  readonly options?: readonly VariantOptionInput[] | null | undefined
}

type Failure = ReturnType<typeof validationError> | ReturnType<typeof notFoundError>

/** Adds a variant to a product. */
export async function createProductVariant(
  unit: UnitOfWork,
  { productId, ...input }: VariantInput & { readonly productId: string },
) {
  const product = await productRepository(unit.query).lock(unit.storeId, decodeId(productId, 'Product') ?? 0)
  if (!product) return notFoundError('product', productId)
  const variants = await productVariantRepository(unit.query).ofProducts(unit.storeId, [product.id])
  if (variants.length >= MAX_VARIANTS) {
    return validationError([problem('productId', `a product with fewer than ${MAX_VARIANTS} variants`, productId)])
  }
  const written = await writeVariant(unit, product, null, input, { values: await valuesByName(unit, product.id), at: '' })
  if (typeof written !== 'number') return written
  await afterwards(unit, product.id)
  return { __typename: 'CreateProductVariantSuccess' as const, productVariant: written }
}

/** Changes what the input has. With `productId`, only a variant of that product. */
export async function updateProductVariant(
  unit: UnitOfWork,
  id: string,
  productId: string | null | undefined,
  input: VariantInput & { readonly expectedVersion?: number | null | undefined },
) {
  const found = await lockedVariant(unit, id, productId)
  if (!found) return notFoundError('variant', id)
  const { product, variant } = found
  const stale = staleVersion(input.expectedVersion, variant.version)
  if (stale) return stale
  const written = await writeVariant(unit, product, variant, input, { values: await valuesByName(unit, product.id), at: '' })
  if (typeof written !== 'number') return written
  await afterwards(unit, product.id)
  return { __typename: 'UpdateProductVariantSuccess' as const, productVariant: written }
}

/** Deletes a variant; its option values stay. */
export async function deleteProductVariant(
  unit: UnitOfWork,
  id: string,
  {
    productId,
    expectedVersion,
  }: { readonly productId?: string | null | undefined; readonly expectedVersion?: number | null | undefined },
) {
  const found = await lockedVariant(unit, id, productId)
  if (!found) return notFoundError('variant', id)
  const stale = staleVersion(expectedVersion, found.variant.version)
  if (stale) return stale
  await productVariantRepository(unit.query).delete(unit.storeId, found.variant.id)
  await afterwards(unit, found.product.id)
  return { __typename: 'DeleteProductVariantSuccess' as const, row: found.variant.id }
}

/**
 * Writes the variants that come with a product: those with an id are changed, the others added.
 * Null: all are written.
 */
export async function writeVariants(
  unit: UnitOfWork,
  product: Product,
  inputs: readonly (VariantInput & { readonly id?: string | null | undefined })[],
): Promise<Failure | null> {
  if (inputs.length === 0) return null
  const known = new Map(
    (await productVariantRepository(unit.query).ofProducts(unit.storeId, [product.id])).map((each) => [each.id, each]),
  )
  const added = inputs.filter(({ id }) => id == null).length
  if (known.size + added > MAX_VARIANTS) {
    return validationError([problem('variants', `at most ${MAX_VARIANTS} of a product`, known.size + added)])
  }
  const values = await valuesByName(unit, product.id)
  for (const [index, { id, ...input }] of inputs.entries()) {
    const before = id == null ? null : (known.get(decodeId(id, 'ProductVariant') ?? 0) ?? null)
    if (id != null && !before) return notFoundError('variant of this product', id)
    const written = await writeVariant(unit, product, before, input, { values, at: `variants.${index}.` })
    if (typeof written !== 'number') return written
  }
  return null
}

/** The row of the variant, or its problems. The product is locked. */
async function writeVariant(
  unit: UnitOfWork,
  product: Product,
  before: ProductVariant | null,
  input: VariantInput,
  { values, at }: { readonly values: ValuesByName; readonly at: string },
): Promise<Failure | number> {
  const { query, storeId, now } = unit
  const variants = productVariantRepository(query)
  const fields = changedVariant(before ?? newVariant(product.price), input)
  const problems = variantProblems(fields, at)
  if (problems.length > 0) return validationError(problems)

  const imageId = input.imageId === undefined ? (before?.imageId ?? null) : imageRow(input.imageId)
  if (input.imageId != null && (imageId === null || !(await variants.hasImage(storeId, product.id, imageId)))) {
    return notFoundError('image of this product', input.imageId)
  }

  const named = input.options ? await values(input.options, at) : null
  if (named && 'problems' in named) return validationError(named.problems)
  const valueIds = named?.valueIds ?? (before ? await variants.valueIdsOf(storeId, before.id) : [])
  const same = await variants.withCombination(storeId, product.id, valueIds)
  if (same !== null && same !== before?.id) {
    return validationError([
      problem(
        `${at}options`,
        `different from those of every other variant (variant ${same} has the same)`,
        input.options?.length ?? 0,
      ),
    ])
  }

  const written = { ...fields, imageId, valueIds }
  if (!before) return variants.insert(storeId, product.id, written, now)
  await variants.update(storeId, before, written, now)
  if (fields.stock !== before.stock) {
    await settleStock(unit, { productId: product.id, variantId: before.id }, fields.stock)
    unit.emit({ event: 'product_stock_updated', entity: 'Product', id: product.id })
  }
  return before.id
}

const imageRow = (id: string | null): number | null => (id === null ? null : decodeId(id, 'ProductImage'))

/**
 * The variant and its product, whose row is locked: everything about its variants is changed by one
 * at a time.
 */
async function lockedVariant({ query, storeId }: UnitOfWork, id: string, productId: string | null | undefined) {
  const variants = productVariantRepository(query)
  const row = decodeId(id, 'ProductVariant') ?? 0
  const [seen] = await variants.findByIds(storeId, [row])
  if (!seen || (productId != null && decodeId(productId, 'Product') !== seen.productId)) return null
  const product = await productRepository(query).lock(storeId, seen.productId)
  const [variant] = await variants.findByIds(storeId, [row])
  return product && variant ? { product, variant } : null
}

/** A change of a variant is a change of its product. */
async function afterwards({ query, storeId, now, emit }: UnitOfWork, productId: number): Promise<void> {
  await productRepository(query).touch(storeId, productId, now)
  await indexProducts(query, storeId, [productId])
  emit({ event: 'product_updated', entity: 'Product', id: productId })
}
