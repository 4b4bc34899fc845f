/** What a user says about a post. */
export type Comment = {
  readonly id: string
  readonly postId: string
  readonly authorId: string
  readonly content: string
  readonly createdAt: Date
}
