/** Something a user writes for everybody. */
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
}

/** Whether this user, or null for nobody, sees the post: a draft is its author's alone. */
export const isVisible = ({ publishedAt, authorId }: Post, userId: string | null): boolean =>
  publishedAt !== null || authorId === userId

/** What the post is ordered by in every list. */
export const orderedAt = ({ publishedAt, createdAt }: Post): Date => publishedAt ?? createdAt
