/** Message of a member in a room. */
export type Message = {
  readonly id: string
  readonly roomId: string
  readonly authorId: string
  readonly text: string
  readonly createdAt: Date
}
