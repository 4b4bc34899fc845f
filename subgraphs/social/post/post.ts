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
