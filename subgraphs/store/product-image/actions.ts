import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { NEEDS_FILE } from '../file/write.ts'
import { decodeId } from '../ids.ts'
import { lockedOwner, ownedPart, ownerChanged } from '../product/owner.ts'
import type { UnitOfWork } from '../write.ts'
import { MAX_IMAGES, placeAmong, positionProblems } from './product-image.ts'
import { productImageRepository } from './repository.ts'

type New = { readonly productId: string; readonly position?: number | null | undefined }
type Named = { readonly id: string; readonly productId?: string | null | undefined }

/** Adds a picture; without `file` it answers whether it needs one. */
export async function createProductImage(unit: UnitOfWork, { productId, position }: New, file: number | null) {
  const problems = positionProblems(position)
  if (problems.length > 0) return validationError(problems)
  const product = await lockedOwner(unit, productId)
  if (product === null) return notFoundError('product', productId)

  const images = productImageRepository(unit.query)
  const count = await images.count(unit.storeId, product)
  if (count >= MAX_IMAGES) {
    return validationError([problem('productId', `a product with fewer than ${MAX_IMAGES} images`, productId)])
  }
  if (file === null) return NEEDS_FILE
  const place = placeAmong(count + 1, position)
  const productImage = await images.insert(unit.storeId, { productId: product, position: place, fileId: file })
  await ownerChanged(unit, product)
  return { __typename: 'CreateProductImageSuccess' as const, productImage }
}

/** Moves a picture; the others make room. */
export async function moveProductImage(
  unit: UnitOfWork,
  { id, productId, position }: Named & { readonly position?: number | null | undefined },
) {
  const problems = positionProblems(position ?? 0)
  if (problems.length > 0) return validationError(problems)
  const images = productImageRepository(unit.query)
  const image = await ownedPart(unit, images.findByIds, { row: decodeId(id, 'ProductImage'), productId })
  if (!image) return notFoundError('image', id)

  const place = placeAmong(await images.count(unit.storeId, image.productId), position)
  if (place !== image.position) {
    await images.move(unit.storeId, image, place)
    await ownerChanged(unit, image.productId)
  }
  return { __typename: 'MoveProductImageSuccess' as const, productImage: image.id }
}

/** Deletes a picture. `file`: whose bytes are to go once that is certain. */
export async function deleteProductImage(unit: UnitOfWork, { id, productId }: Named) {
  const images = productImageRepository(unit.query)
  const image = await ownedPart(unit, images.findByIds, { row: decodeId(id, 'ProductImage'), productId })
  if (!image) return notFoundError('image', id)
  await images.delete(unit.storeId, image)
  await ownerChanged(unit, image.productId)
  return { __typename: 'DeleteProductImageSuccess' as const, row: image.id, file: image.fileId }
}
