import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { freePermalink } from '../permalink-repository.ts'
import { permalinkOf } from '../text-key.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type ProductCategoryInput, productCategoryProblems } from './product-category.ts'
import { type ProductCategoryRepository, productCategoryRepository } from './repository.ts'

type Placed = ProductCategoryInput & { readonly parentId?: string | null | undefined }
type Versioned = { readonly expectedVersion?: number | null | undefined }

/** Creates a category, the last of its siblings. */
export async function createProductCategory({ query, storeId, now }: UnitOfWork, input: Placed) {
  const problems = productCategoryProblems({ ...input, name: input.name ?? '' })
  if (problems.length > 0) return validationError(problems)

  const categories = productCategoryRepository(query)
  const parentId = await parentOf(categories, storeId, input.parentId)
  if (parentId === 'missing') return notFoundError('category', String(input.parentId))

  const name = input.name ?? ''
  const permalink = await freePermalink(query, 'product_category', storeId, {
    wanted: permalinkOf(input.permalink ?? name),
    own: null,
  })
  const productCategory = await categories.insert(storeId, { name, parentId, permalink, at: now })
  return { __typename: 'CreateProductCategorySuccess' as const, productCategory }
}

/** Changes what the input has; moving it moves everything below it. */
export async function updateProductCategory({ query, storeId, now }: UnitOfWork, id: string, input: Placed & Versioned) {
  const problems = productCategoryProblems(input)
  if (problems.length > 0) return validationError(problems)

  const categories = productCategoryRepository(query)
  // Before the row: two moves at once could otherwise make a circle.
  if (input.parentId != null) await categories.lockTree(storeId)
  const before = await categories.lock(storeId, decodeId(id, 'ProductCategory') ?? 0)
  if (!before) return notFoundError('category', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale

  const parentId = input.parentId === undefined ? before.parentId : await parentOf(categories, storeId, input.parentId)
  if (parentId === 'missing') return notFoundError('category', String(input.parentId))
  if (parentId !== null && input.parentId != null && (await categories.contains(storeId, before.id, parentId))) {
    return validationError([
      { field: 'parentId', message: `Expected "parentId" to be a category outside of this one, got ${input.parentId}.` },
    ])
  }

  const name = input.name ?? before.name
  const permalink =
    input.permalink === undefined
      ? before.permalink
      : await freePermalink(query, 'product_category', storeId, { wanted: permalinkOf(input.permalink ?? name), own: before.id })
  await categories.update(storeId, { ...before, name, parentId, permalink, at: now })
  return { __typename: 'UpdateProductCategorySuccess' as const, productCategory: before.id }
}

/**
 * Deletes a category; products stay, parts move up. Taxes would be lost unseen, and be missing from
 * orders: they are named instead.
 */
export async function deleteProductCategory({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const categories = productCategoryRepository(query)
  await categories.lockTree(storeId)
  const before = await categories.lock(storeId, decodeId(id, 'ProductCategory') ?? 0)
  if (!before) return notFoundError('category', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  const taxes = await categories.taxNames(storeId, before.id, MAX_NAMED + 1)
  if (taxes.length > 0) return validationError([taxedProblem(before.name, taxes)])
  await categories.delete(storeId, before)
  return { __typename: 'DeleteProductCategorySuccess' as const, row: before.id }
}

/** Most taxes named in the error of deleting a category. */
const MAX_NAMED = 10

function taxedProblem(category: string, taxes: readonly string[]) {
  const named = taxes.slice(0, MAX_NAMED).map((name) => `"${name}"`)
  const which = `${named.join(', ')}${taxes.length > MAX_NAMED ? ' …' : ''}`
  return problem('id', `a category that no tax is for: change or delete ${which} first`, category)
}

/** The row of the wanted parent; null for none, `missing` when there is no such category. */
async function parentOf(
  categories: ProductCategoryRepository,
  storeId: number,
  parentId: string | null | undefined,
): Promise<number | null | 'missing'> {
  if (parentId == null) return null
  const row = decodeId(parentId, 'ProductCategory')
  const [found] = row === null ? [] : await categories.findByIds(storeId, [row])
  return found?.id ?? 'missing'
}
