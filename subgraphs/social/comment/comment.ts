/** Comment of a user on a post. */
export type Comment = {
  readonly id: string
  readonly postId: string
  readonly authorId: string
  readonly content: string
  readonly createdAt: Date
}
