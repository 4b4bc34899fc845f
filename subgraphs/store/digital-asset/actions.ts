import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { NEEDS_FILE } from '../file/write.ts'
import { decodeId } from '../ids.ts'
import { lockedOwner, ownedPart, ownerChanged } from '../product/owner.ts'
import type { UnitOfWork } from '../write.ts'
import { digitalAssetProblems, MAX_ASSETS } from './digital-asset.ts'
import { digitalAssetRepository } from './repository.ts'

type New = {
  readonly productId: string
  readonly url: string
  readonly isExternal?: boolean | null | undefined
  readonly expirationSeconds?: number | null | undefined
}
type Named = {
  readonly id: string
  readonly productId?: string | null | undefined
  readonly isExternal?: boolean | null | undefined
}

/** Default lifetime of a URL. Seconds. */
const USUAL_SECONDS = 3_600

/** Adds a digital asset; without `file` it answers whether it needs one. */
export async function createDigitalAsset(unit: UnitOfWork, { productId, url, ...rest }: New, file: number | null) {
  const isExternal = rest.isExternal ?? false
  const expirationSeconds = rest.expirationSeconds ?? USUAL_SECONDS
  const problems = digitalAssetProblems({ url, isExternal, expirationSeconds })
  if (problems.length > 0) return validationError(problems)
  const product = await lockedOwner(unit, productId)
  if (product === null) return notFoundError('product', productId)

  const assets = digitalAssetRepository(unit.query)
  if ((await assets.count(unit.storeId, product)) >= MAX_ASSETS) {
    return validationError([problem('productId', `a product with fewer than ${MAX_ASSETS} digital assets`, productId)])
  }
  if (!isExternal && file === null) return NEEDS_FILE
  const where = isExternal ? { fileId: null, externalUrl: url } : { fileId: file, externalUrl: null }
  const digitalAsset = await assets.insert(unit.storeId, { productId: product, expirationSeconds, ...where })
  await ownerChanged(unit, product)
  return { __typename: 'CreateDigitalAssetSuccess' as const, digitalAsset }
}

/**
 * Deletes a digital asset. `file`: whose bytes are to go once that is certain; null: it had none.
 */
export async function deleteDigitalAsset(unit: UnitOfWork, { id, productId, isExternal }: Named) {
  const assets = digitalAssetRepository(unit.query)
  const asset = await ownedPart(unit, assets.findByIds, { row: decodeId(id, 'DigitalAsset'), productId })
  if (!asset || (isExternal != null && isExternal !== (asset.externalUrl !== null))) return notFoundError('digital asset', id)
  await assets.delete(unit.storeId, asset)
  await ownerChanged(unit, asset.productId)
  return { __typename: 'DeleteDigitalAssetSuccess' as const, row: asset.id, file: asset.fileId }
}
