/** Public post of a user. */
export type Post = {
  readonly id: string
  readonly authorId: string
  readonly title: string
  readonly content: string
  /** Id of an item of the directory, as the directory spells it. */
  readonly aboutId: string | null
  /** Null for a draft. */
  readonly publishedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly likeCount: number
  readonly commentCount: number
}

/**
 * Whether a user, null for an anonymous caller, sees the post: a draft is visible to its author
 * only.
 */
export const isVisible = ({ publishedAt, authorId }: Post, userId: string | null): boolean =>
  publishedAt !== null || authorId === userId

/** What the post is ordered by in every list. */
export const orderedAt = ({ publishedAt, createdAt }: Post): Date => publishedAt ?? createdAt
