import type { Generated, GeneratedAlways } from 'kysely'
import type { OutboxTables } from '../../platform/events/outbox.ts'
import type { Role } from './user/user.ts'

/**
 * The tables of the schema `social`, as the migrations make them. Ids of rows are digits: a bigint
 * does not fit a number.
 */
export type Tables = OutboxTables & {
  user: {
    id: GeneratedAlways<string>
    email: string
    email_key: string
    name: string
    name_key: string
    role: Role
    phone_number: string | null
    password_hash: string | null
    sign_outs: Generated<number>
    created_at: Generated<Date>
  }
  session: { id: string; user_id: string; created_at: Date; expires_at: Date; ended_at: Date | null }
  refresh_token: { hash: Buffer; session_id: string; expires_at: Date; used_at: Date | null }
  login_attempt: { email_hash: Buffer; failures: number; locked_until: Date | null; attempted_at: Date }
  login_attempt_from: {
    email_hash: Buffer
    network_hash: Buffer
    failures: number
    locked_until: Date | null
    attempted_at: Date
  }
  login_network: { user_id: string; network_hash: Buffer; signed_in_at: Date }
  write_quota: { author_id: string; writes_left: number; bytes_left: number; counted_at: Date }
  signing_key: { kid: string; public_key: unknown; private_key: unknown; created_at: Date; retires_at: Date }
  post: {
    id: GeneratedAlways<string>
    author_id: string
    title: string
    content: string
    about_id: string | null
    published_at: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
    ordered_at: GeneratedAlways<Date>
  }
  comment: { id: GeneratedAlways<string>; post_id: string; author_id: string; content: string; created_at: Generated<Date> }
  room: { id: GeneratedAlways<string>; name: string; owner_id: string; created_at: Generated<Date> }
  room_member: { room_id: string; user_id: string; joined_at: Generated<Date> }
  room_invitation: {
    room_id: string
    user_id: string
    inviter_id: string
    invited_at: Generated<Date>
    declined_at: Date | null
  }
  message: { id: GeneratedAlways<string>; room_id: string; author_id: string; text: string; created_at: Generated<Date> }
}
