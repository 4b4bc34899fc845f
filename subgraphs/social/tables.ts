// Written by npm run db:generate from prisma/social: do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely'
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
export type Timestamp = ColumnType<Date, Date | string, Date | string>

export type Comment = {
  id: GeneratedAlways<string>
  post_id: string
  author_id: string
  content: string
  created_at: Generated<Date>
}
export type Event = {
  topic: string
  /**
   * Position in the topic, from 1.
   */
  number: string
  payload: unknown
  created_at: Generated<Date>
}
export type EventListener = {
  id: string
  process: string
  topic: string
  /**
   * Name of the listener's session.
   */
  listener: string
  /**
   * Last event delivered to this listener; null: as far as its process.
   */
  number: string | null
}
export type EventPosition = {
  process: string
  topic: string
  /**
   * Number of the last event delivered.
   */
  number: string
}
export type EventProcess = {
  id: string
  /**
   * Last heartbeat.
   */
  seen_at: Date
}
export type EventTopic = {
  name: string
  /**
   * Number of the newest event; 0 before the first.
   */
  last_number: string
}
export type ItemCollection = {
  /**
   * Random: whoever has the id of an unlisted collection reads it.
   */
  id: GeneratedAlways<string>
  author_id: string
  name: string
  /**
   * Markdown; empty for none.
   */
  description: string
  /**
   * @kyselyType('PUBLIC' | 'UNLISTED' | 'PRIVATE')
   */
  visibility: 'PUBLIC' | 'UNLISTED' | 'PRIVATE'
  created_at: Generated<Date>
  /**
   * Last change of the collection or its entries; sort key of every list.
   */
  updated_at: Generated<Date>
}
export type ItemCollectionEntry = {
  collection_id: string
  /**
   * Id of a directory item: only the directory knows whether it exists.
   */
  item_id: string
  /**
   * Plain text; empty for none.
   */
  note: string
  /**
   * Order of the author; may have gaps.
   */
  position: number
  added_at: Generated<Date>
}
export type LoginAttempt = {
  /**
   * SHA-256 of the address.
   */
  email_hash: Buffer
  failures: number
  /**
   * Null: not locked.
   */
  locked_until: Date | null
  attempted_at: Date
}
export type LoginAttemptFrom = {
  email_hash: Buffer
  /**
   * SHA-256 of the address and the network, so that equal networks of two addresses differ.
   */
  network_hash: Buffer
  failures: number
  locked_until: Date | null
  attempted_at: Date
}
export type LoginNetwork = {
  user_id: string
  /**
   * SHA-256 of the user's id and the network.
   */
  network_hash: Buffer
  signed_in_at: Date
}
export type Message = {
  id: GeneratedAlways<string>
  room_id: string
  author_id: string
  text: string
  created_at: Generated<Date>
}
export type Post = {
  id: GeneratedAlways<string>
  author_id: string
  title: string
  content: string
  /**
   * Id of a directory item; null: about none.
   */
  about_id: string | null
  /**
   * Null: draft.
   */
  published_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
  /**
   * Sort key of every list; generated: published_at, or created_at for a draft.
   */
  ordered_at: Generated<Date>
  /**
   * Kept by triggers.
   */
  like_count: Generated<number>
  /**
   * Kept by triggers.
   */
  comment_count: Generated<number>
}
export type PostLike = {
  post_id: string
  author_id: string
  liked_at: Generated<Date>
}
export type RefreshToken = {
  /**
   * SHA-256 of the token, which is 256 random bits.
   */
  hash: Buffer
  session_id: string
  expires_at: Date
  /**
   * Null: not used yet.
   */
  used_at: Date | null
}
export type Room = {
  id: GeneratedAlways<string>
  name: string
  /**
   * Ownership passes on, or the room is deleted, before the owner is deleted.
   */
  owner_id: string
  created_at: Generated<Date>
}
export type RoomInvitation = {
  room_id: string
  user_id: string
  /**
   * Owner of the room at that time.
   */
  inviter_id: string
  invited_at: Generated<Date>
  /**
   * Declined: kept for a while so that the room cannot invite again. Null: pending.
   */
  declined_at: Date | null
}
export type RoomMember = {
  room_id: string
  user_id: string
  joined_at: Generated<Date>
}
export type Session = {
  id: string
  user_id: string
  created_at: Date
  expires_at: Date
  /**
   * Logged out, reuse of a refresh token, or a new password; null: active.
   */
  ended_at: Date | null
}
export type SigningKey = {
  kid: string
  public_key: unknown
  /**
   * Encrypted with the installation key.
   */
  private_key: unknown
  /**
   * Signs from here until it is retired; published until its last token expires.
   */
  created_at: Date
  retires_at: Date
}
export type User = {
  id: GeneratedAlways<string>
  /**
   * As entered; email_key is compared at log-in and for uniqueness.
   */
  email: string
  /**
   * The e-mail address in lower case.
   */
  email_key: string
  name: string
  /**
   * Name for search and sort order: without case and accents.
   */
  name_key: string
  /**
   * @kyselyType('USER' | 'ADMIN' | 'MODERATOR')
   */
  role: 'USER' | 'ADMIN' | 'MODERATOR'
  phone_number: string | null
  /**
   * argon2id in PHC form; null: cannot log in.
   */
  password_hash: string | null
  created_at: Generated<Date>
  /**
   * How often all sessions of this user were ended: a log-in in progress at that moment opens
   * none.
   */
  sign_outs: Generated<number>
}
export type WriteQuota = {
  author_id: string
  /**
   * Writes left at counted_at.
   */
  writes_left: number
  /**
   * Bytes left at counted_at.
   */
  bytes_left: number
  counted_at: Date
}
export type Tables = {
  comment: Comment
  event: Event
  event_listener: EventListener
  event_position: EventPosition
  event_process: EventProcess
  event_topic: EventTopic
  item_collection: ItemCollection
  item_collection_entry: ItemCollectionEntry
  login_attempt: LoginAttempt
  login_attempt_from: LoginAttemptFrom
  login_network: LoginNetwork
  message: Message
  post: Post
  post_like: PostLike
  refresh_token: RefreshToken
  room: Room
  room_invitation: RoomInvitation
  room_member: RoomMember
  session: Session
  signing_key: SigningKey
  user: User
  write_quota: WriteQuota
}
