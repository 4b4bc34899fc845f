import { notFoundError, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { pageLabelRepository } from '../page-label/repository.ts'
import { freePermalink } from '../permalink-repository.ts'
import { permalinkOf } from '../text-key.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { type Page, type PageInput, pageProblems } from './page.ts'
import { pageRepository } from './repository.ts'

/** Creates a page, the last of each of its categories. */
export async function createPage(unit: UnitOfWork, input: PageInput & { readonly legal?: boolean | null | undefined }) {
  const problems = pageProblems({ ...input, title: input.title ?? '' })
  if (problems.length > 0) return validationError(problems)
  const wanted = await references(unit, input)
  if ('__typename' in wanted) return wanted

  const { query, storeId, now } = unit
  const pages = pageRepository(query)
  const title = input.title ?? ''
  const written = {
    title,
    body: input.body ?? null,
    status: input.status ?? ('PUBLIC' as const),
    legal: input.legal ?? false,
    pageTitle: input.pageTitle ?? null,
    metaDescription: input.metaDescription ?? null,
    permalink: await freePermalink(query, 'page', storeId, { wanted: permalinkOf(input.permalink ?? title), own: null }),
    templateId: wanted.templateId ?? null,
  }
  const page = await pages.insert(storeId, written, now)
  if (wanted.categoryIds) await pages.setCategories(storeId, page, wanted.categoryIds)
  return { __typename: 'CreatePageSuccess' as const, page }
}

/** Changes what the input has. */
export async function updatePage(unit: UnitOfWork, id: string, input: PageInput & Versioned) {
  const problems = pageProblems(input)
  if (problems.length > 0) return validationError(problems)
  const { query, storeId, now } = unit
  const pages = pageRepository(query)
  const before = await pages.lock(storeId, decodeId(id, 'Page') ?? 0)
  if (!before) return notFoundError('page', id)
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  const wanted = await references(unit, input)
  if ('__typename' in wanted) return wanted

  const stored = <Value>(given: Value | undefined, was: Value): Value => (given === undefined ? was : given)
  const title = input.title ?? before.title
  const permalink =
    input.permalink === undefined
      ? before.permalink
      : await freePermalink(query, 'page', storeId, { wanted: permalinkOf(input.permalink ?? title), own: before.id })
  const page: Page = {
    ...before,
    title,
    body: stored(input.body, before.body),
    status: input.status ?? before.status,
    pageTitle: stored(input.pageTitle, before.pageTitle),
    metaDescription: stored(input.metaDescription, before.metaDescription),
    permalink,
    templateId: stored(wanted.templateId, before.templateId),
  }
  await pages.update(storeId, page, now)
  if (wanted.categoryIds) await pages.setCategories(storeId, before.id, wanted.categoryIds)
  return { __typename: 'UpdatePageSuccess' as const, page: before.id }
}

/** Deletes a page that is not a legal one. */
export async function deletePage({ query, storeId }: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const pages = pageRepository(query)
  const before = await pages.lock(storeId, decodeId(id, 'Page') ?? 0)
  if (!before) return notFoundError('page', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  if (before.legal) {
    return validationError([
      { field: 'id', message: `Expected "id" to be a page that may go, got the legal page "${before.title}": hide it instead.` },
    ])
  }
  await pages.delete(storeId, before.id)
  return { __typename: 'DeletePageSuccess' as const, row: before.id }
}

/**
 * The referenced rows of an input, locked against deletion until the transaction ends; undefined
 * for absent references.
 */
async function references({ query, storeId }: UnitOfWork, { template, categoryIds }: PageInput) {
  const rows = categoryIds?.map((id) => decodeId(id, 'PageCategory') ?? 0)
  const found = await pageLabelRepository(query, 'page_category').lockShared(storeId, rows ?? [])
  const missing = categoryIds?.find((_, index) => !found.has(rows?.[index] ?? 0))
  if (missing !== undefined) return notFoundError('page category', missing)

  const templateId = template == null ? template : await templateNamed({ query, storeId }, template)
  if (template != null && templateId === null) return notFoundError('page template', template)
  return { templateId, categoryIds: categoryIds === undefined ? undefined : [...new Set(rows)] }
}

/** The template with this name, or else with this id; null when there is none. */
async function templateNamed(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  template: string,
): Promise<number | null> {
  const templates = pageLabelRepository(query, 'page_template')
  const named = await templates.keepNamed(storeId, template)
  if (named !== null) return named
  const row = decodeId(template, 'PageTemplate')
  return row !== null && (await templates.lockShared(storeId, [row])).has(row) ? row : null
}
