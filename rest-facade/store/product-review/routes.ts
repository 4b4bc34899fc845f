import { GetReviewDocument, ListProductReviewsDocument, ListReviewsDocument } from '#generated/rest-facade/store.ts'
import { route } from '../route.ts'

export const productReviewRoutes = [
  route({ run: ListReviewsDocument, answer: 'productReviews.nodes' }),
  route({ run: ListProductReviewsDocument, answer: 'product.reviews.nodes' }),
  route({ run: GetReviewDocument, answer: 'productReview' }),
]
