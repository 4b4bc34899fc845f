import { decodeId } from '../ids.ts'
import type { UnitOfWork } from '../write.ts'
import { productRepository } from './repository.ts'

/**
 * The row of the product that gets a part, locked until the transaction ends; null when there is no
 * such product.
 */
export async function lockedOwner({ query, storeId }: UnitOfWork, productId: string): Promise<number | null> {
  const product = await productRepository(query).lock(storeId, decodeId(productId, 'Product') ?? 0)
  return product?.id ?? null
}

/**
 * A part to change, with its product locked; null when there is no such part, or it belongs to
 * another product. `find` reads it by its row.
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
  // Again: the row may have changed before the lock.
  const [part] = await find(storeId, [row])
  return part ?? null
}

/** Whether a part is of the product that was named; of any, when none was. */
export const isOf = ({ productId }: { readonly productId: number }, named: string | null | undefined): boolean =>
  named == null || decodeId(named, 'Product') === productId

/** Marks a product as changed in one of its parts. */
export async function ownerChanged({ query, storeId, now, emit }: UnitOfWork, productId: number): Promise<void> {
  await productRepository(query).touch(storeId, productId, now)
  emit({ event: 'product_updated', entity: 'Product', id: productId })
}
