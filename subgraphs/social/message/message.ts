/** What a member says in a room. */
export type Message = {
  readonly id: string
  readonly roomId: string
  readonly authorId: string
  readonly text: string
  readonly createdAt: Date
}

/** The topic of a room in the outbox. Payload: `id`, the row id of a message, or `NO_MESSAGE`. */
export const topicOf = (roomId: string): string => `room:${roomId}`

/** No message has this id: an event that tells of none, but of the end of the room. */
export const NO_MESSAGE = '0'

/** The room that a topic is about. */
export const roomIn = (topic: string): string => topic.slice(topicOf('').length)
