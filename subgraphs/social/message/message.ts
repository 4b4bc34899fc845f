/** What a member says in a room. */
export type Message = {
  readonly id: string
  readonly roomId: string
  readonly authorId: string
  readonly text: string
  readonly createdAt: Date
}

/** The topic of a room's messages in the outbox. Payload: `id`, the row id of the message. */
export const topicOf = (roomId: string): string => `room:${roomId}`
