import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { pageRepository } from '../page/repository.ts'
import { createLabel, deleteLabel, updateLabel } from '../page-label/actions.ts'
import type { UnitOfWork } from '../write.ts'

type Versioned = { readonly expectedVersion?: number | null | undefined }
type Filled = { readonly pageIds?: readonly string[] | null | undefined }

const MAX_PAGES = 250

const named = (id: string) => ({ id, row: decodeId(id, 'PageCategory') })

/** Creates a category with these pages, in this order. */
export async function createPageCategory(unit: UnitOfWork, { name, pageIds }: Filled & { readonly name: string }) {
  const made = await createLabel(unit, 'page_category', name)
  if ('__typename' in made) return made
  const failure = await fill(unit, made.row, pageIds)
  return failure ?? { __typename: 'CreatePageCategorySuccess' as const, pageCategory: made.row }
}

/** Changes what the input has; `pageIds` are all its pages from then on. */
export async function updatePageCategory(
  unit: UnitOfWork,
  id: string,
  input: Filled & Versioned & { readonly name?: string | null | undefined },
) {
  const changed = await updateLabel(unit, 'page_category', named(id), input)
  if ('__typename' in changed) return changed
  const failure = await fill(unit, changed.row, input.pageIds)
  return failure ?? { __typename: 'UpdatePageCategorySuccess' as const, pageCategory: changed.row }
}

/** Deletes a category; its pages stay. */
export async function deletePageCategory(unit: UnitOfWork, id: string, given: Versioned) {
  const gone = await deleteLabel(unit, 'page_category', named(id), given)
  if ('__typename' in gone) return gone
  return { __typename: 'DeletePageCategorySuccess' as const, row: gone.row }
}

/**
 * Sets the pages of the category, or returns their problem; undefined leaves them unchanged, null
 * removes all.
 */
async function fill({ query, storeId }: UnitOfWork, categoryId: number, pageIds: readonly string[] | null | undefined) {
  if (pageIds === undefined) return null
  const rows = (pageIds ?? []).map((id) => decodeId(id, 'Page') ?? 0)
  if (rows.length > MAX_PAGES) {
    return validationError([problem('pageIds', `at most ${MAX_PAGES} pages`, rows.length)])
  }
  const twice = pageIds?.find((_, index) => rows.indexOf(rows[index] ?? 0) < index && rows[index] !== 0)
  if (twice !== undefined) return validationError([problem('pageIds', 'pages that are named once each', twice)])

  const pages = pageRepository(query)
  const found = await pages.lockShared(storeId, rows)
  const missing = pageIds?.find((_, index) => !found.has(rows[index] ?? 0))
  if (missing !== undefined) return notFoundError('page', missing)
  await pages.setPages(storeId, categoryId, rows)
  return null
}
