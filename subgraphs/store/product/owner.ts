import { decodeId } from '../ids.ts'
import type { UnitOfWork } from '../write.ts'
import { productRepository } from './repository.ts'

/**
 * The row of the product that is to get a part, locked until the transaction ends; null when there
 * is no such product.
 */
export async function lockedOwner({ query, storeId }: UnitOfWork, productId: string): Promise<number | null> {
  const product = await productRepository(query).lock(storeId, decodeId(productId, 'Product') ?? 0)
  return product?.id ?? null
}

/**
 * What a part that is to be changed is, with its product locked; null when there is no such part,
 * or when it is not of the product that was named. `find` finds it by its row.
 */
export async function ownedPart<Part extends { readonly productId: number }>(
  { query, storeId }: UnitOfWork,
  find: (storeId: number, ids: readonly number[]) => Promise<readonly Part[]>,
  { row, productId }: { readonly row: number | null; readonly productId: string | null | undefined },
): Promise<Part | null> {
  if (row === null) return null
  const [seen] = await find(storeId, [row])
  if (!seen || !isOf(seen, productId)) return null
  await productRepository(query).lock(storeId, seen.productId)
  // Again: what was seen before the lock may have moved, or gone.
  const [part] = await find(storeId, [row])
  return part ?? null
}

/** Whether a part is of the product that was named; of any, when none was. */
export const isOf = ({ productId }: { readonly productId: number }, named: string | null | undefined): boolean =>
  named == null || decodeId(named, 'Product') === productId

/** Says that a product has changed in one of its parts. */
export async function ownerChanged({ query, storeId, now, emit }: UnitOfWork, productId: number): Promise<void> {
  await productRepository(query).touch(storeId, productId, now)
  emit({ event: 'product_updated', entity: 'Product', id: productId })
}
