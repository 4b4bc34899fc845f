import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { NEEDS_FILE } from '../file/write.ts'
import { decodeId } from '../ids.ts'
import { pageRepository } from '../page/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { MAX_PAGE_IMAGES, movedTo, type PageImage } from './page-image.ts'
import { type PageImageRepository, pageImageRepository } from './repository.ts'

type Named = { readonly id: string; readonly pageId?: string | null | undefined }
type Change = { readonly url?: string | null | undefined; readonly position?: number | null | undefined }

/** Adds a picture behind the others of its page; without `file` it answers whether it needs one. */
export async function createPageImage(
  { query, storeId, now }: UnitOfWork,
  { pageId: id }: { readonly pageId: string },
  file: number | null,
) {
  const pages = pageRepository(query)
  const page = await pages.lock(storeId, decodeId(id, 'Page') ?? 0)
  if (!page) return notFoundError('page', id)
  const images = pageImageRepository(query)
  const before = await images.ofPages(storeId, [page.id])
  if (before.length >= MAX_PAGE_IMAGES) {
    return validationError([problem('pageId', `a page with fewer than ${MAX_PAGE_IMAGES} images`, id)])
  }
  if (file === null) return NEEDS_FILE
  const pageImage = await images.insert(storeId, { pageId: page.id, position: before.length + 1, fileId: file })
  await pages.touch(storeId, page.id, now)
  return { __typename: 'CreatePageImageSuccess' as const, pageImage }
}

/**
 * Replaces a picture by the one of `file`, and moves it. With a `url` and without `file`, it
 * answers whether it needs one. A `url` that is the picture's own (`isUrlOf`) replaces nothing.
 */
export async function updatePageImage(
  { query, storeId, now }: UnitOfWork,
  { id, pageId, isUrlOf }: Named & { readonly isUrlOf: (image: PageImage, url: string) => boolean },
  { url, position }: Change,
  file: number | null,
) {
  if (position != null && position < 1) return validationError([problem('position', '1 or more', position)])
  const images = pageImageRepository(query)
  const image = await imageOf({ query, storeId }, images, { id, pageId })
  if (!image) return notFoundError('image', id)
  if (url != null && file === null && !isUrlOf(image, url)) return NEEDS_FILE

  if (file !== null) await images.replace(storeId, image.id, file)
  if (position != null) {
    const siblings = await images.ofPages(storeId, [image.pageId])
    const order = movedTo(
      siblings.map((each) => each.id),
      image.id,
      position,
    )
    await images.arrange(storeId, order)
  }
  await pageRepository(query).touch(storeId, image.pageId, now)
  return { __typename: 'UpdatePageImageSuccess' as const, pageImage: image.id, file: file === null ? null : image.fileId }
}

/**
 * Deletes a picture; those behind it move up. `file`: whose bytes are to go once that is certain.
 */
export async function deletePageImage({ query, storeId, now }: UnitOfWork, named: Named) {
  const images = pageImageRepository(query)
  const image = await imageOf({ query, storeId }, images, named)
  if (!image) return notFoundError('image', named.id)
  await images.delete(storeId, image.id)
  const left = await images.ofPages(storeId, [image.pageId])
  await images.arrange(
    storeId,
    left.map(({ id }) => id),
  )
  await pageRepository(query).touch(storeId, image.pageId, now)
  return { __typename: 'DeletePageImageSuccess' as const, row: image.id, file: image.fileId }
}

/** Whether a picture is of the page that was named; of any, when none was. */
export const isOfPage = ({ pageId }: { readonly pageId: number }, named: string | null | undefined): boolean =>
  named == null || decodeId(named, 'Page') === pageId

/** The named picture, with its page locked; null when there is none. */
async function imageOf(
  { query, storeId }: Pick<UnitOfWork, 'query' | 'storeId'>,
  images: PageImageRepository,
  { id, pageId }: Named,
): Promise<PageImage | null> {
  const row = decodeId(id, 'PageImage')
  const [seen] = row === null ? [] : await images.findByIds(storeId, [row])
  if (!seen || !isOfPage(seen, pageId)) return null
  await pageRepository(query).lock(storeId, seen.pageId)
  // Again: the row may have changed before the lock.
  const [image] = await images.findByIds(storeId, [seen.id])
  return image ?? null
}
