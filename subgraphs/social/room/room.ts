import type { KeysetPage } from '../../runtime/keyset.ts'

/** Where members write messages to each other. */
export type Room = { readonly id: string; readonly name: string; readonly ownerId: string; readonly createdAt: Date }

/** A membership. */
export type RoomMember = { readonly roomId: string; readonly userId: string; readonly joinedAt: Date }

/** A page of the members of a room. */
export type RoomMemberPage = KeysetPage<RoomMember>
