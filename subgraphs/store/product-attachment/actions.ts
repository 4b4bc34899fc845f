import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { NEEDS_FILE } from '../file/write.ts'
import { decodeId } from '../ids.ts'
import { lockedOwner, ownedPart, ownerChanged } from '../product/owner.ts'
import type { UnitOfWork } from '../write.ts'
import { MAX_ATTACHMENTS } from './product-attachment.ts'
import { productAttachmentRepository } from './repository.ts'

/** Adds an attachment; without `file` it answers whether it needs one. */
export async function createProductAttachment(
  unit: UnitOfWork,
  { productId }: { readonly productId: string },
  file: number | null,
) {
  const product = await lockedOwner(unit, productId)
  if (product === null) return notFoundError('product', productId)
  const attachments = productAttachmentRepository(unit.query)
  if ((await attachments.count(unit.storeId, product)) >= MAX_ATTACHMENTS) {
    return validationError([problem('productId', `a product with fewer than ${MAX_ATTACHMENTS} attachments`, productId)])
  }
  if (file === null) return NEEDS_FILE
  const productAttachment = await attachments.insert(unit.storeId, { productId: product, fileId: file })
  await ownerChanged(unit, product)
  return { __typename: 'CreateProductAttachmentSuccess' as const, productAttachment }
}

/** Deletes an attachment. `file`: whose bytes are to go once that is certain. */
export async function deleteProductAttachment(
  unit: UnitOfWork,
  { id, productId }: { readonly id: string; readonly productId?: string | null | undefined },
) {
  const attachments = productAttachmentRepository(unit.query)
  const attachment = await ownedPart(unit, attachments.findByIds, { row: decodeId(id, 'ProductAttachment'), productId })
  if (!attachment) return notFoundError('attachment', id)
  await attachments.delete(unit.storeId, attachment)
  await ownerChanged(unit, attachment.productId)
  return { __typename: 'DeleteProductAttachmentSuccess' as const, row: attachment.id, file: attachment.fileId }
}
