/** Review of a product by a customer. */
export type ProductReview = {
  readonly id: number
  readonly status: 'UNREAD' | 'UNPUBLISHED' | 'PUBLISHED'
  /** 1 to 5. */
  readonly rating: number
  readonly review: string | null
  /** Null when it was deleted, as with the order. */
  readonly productId: number | null
  readonly productName: string
  readonly orderId: number | null
  readonly customerEmail: string | null
  readonly createdAt: Date
}
