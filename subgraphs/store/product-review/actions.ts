import { notFoundError, type Problem, problem, problemsIn, textProblem, validationError } from '../../toolkit/validation.ts'
import { decodeId } from '../ids.ts'
import { orderRepository } from '../order/repository.ts'
import { shopRepository } from '../shop/repository.ts'
import { conflictError, type UnitOfWork } from '../write.ts'
import type { ProductReview } from './product-review.ts'
import { productReviewRepository } from './repository.ts'

const MAX_TEXT_LENGTH = 5_000

/** A review as a shopper gives it. */
export type ReviewInput = {
  readonly productId: string
  readonly rating: number
  readonly text?: string | null | undefined
}

/** What is wrong with a review by itself. */
export const reviewProblems = ({ rating, text }: ReviewInput): readonly Problem[] =>
  problemsIn([
    rating < 1 || rating > 5 ? problem('rating', '1 to 5', rating) : null,
    text?.trim() ? textProblem('text', text, MAX_TEXT_LENGTH) : null,
  ])

/**
 * Keeps a review of a product of a paid order, for the merchant to read. The lock of the order makes
 * a second one of the same product wait, and then fail.
 */
export async function createReview(unit: UnitOfWork, orderId: number, review: ReviewInput) {
  const { query, storeId, now } = unit
  const problems = reviewProblems(review)
  if (problems.length > 0) return validationError(problems)
  const order = await orderRepository(query).lock(storeId, orderId)
  const lines = await shopRepository(query).orderLines(storeId, orderId)
  const row = decodeId(review.productId, 'Product')
  const line = row === null ? undefined : lines.find(({ productId }) => productId === row)
  if (!order || !line) return notFoundError('product of this order', review.productId)
  if (order.status !== 'PAID') return conflictError('Expected a paid order: only what was bought can be reviewed.')
  if (line.isReviewed) return conflictError('This product was reviewed already.')
  await productReviewRepository(query).insert(storeId, {
    status: 'UNREAD',
    rating: review.rating,
    review: review.text?.trim() || null,
    productId: row,
    productName: line.name,
    orderId,
    customerEmail: order.customer?.email ?? null,
    createdAt: now,
  })
  return { __typename: 'CreateStorefrontReviewSuccess' as const, status: 'UNREAD' as const }
}

/** Publishes a review, or withdraws it; the summary of the product follows by a trigger. */
export async function moderateReview({ query, storeId }: UnitOfWork, id: string, status: ProductReview['status']) {
  const row = decodeId(id, 'ProductReview')
  const isThere = row !== null && (await productReviewRepository(query).setStatus(storeId, row, status))
  return isThere ? { __typename: 'ModerateProductReviewSuccess' as const, productReview: row } : notFoundError('review', id)
}

/** Deletes a review. */
export async function deleteReview({ query, storeId }: UnitOfWork, id: string) {
  const row = decodeId(id, 'ProductReview')
  const isThere = row !== null && (await productReviewRepository(query).delete(storeId, row))
  return isThere ? { __typename: 'DeleteProductReviewSuccess' as const, row } : notFoundError('review', id)
}
