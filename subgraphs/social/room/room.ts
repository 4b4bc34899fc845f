import type { KeysetPage } from '../../toolkit/keyset.ts'
import { costOf, type WriteCost } from '../quota/quota.ts'

/** Where members write messages to each other. */
export type Room = { readonly id: string; readonly name: string; readonly ownerId: string; readonly createdAt: Date }

/** A membership. */
export type RoomMember = { readonly roomId: string; readonly userId: string; readonly joinedAt: Date }

/** A page of the members of a room. */
export type RoomMemberPage = KeysetPage<RoomMember>

/** What an invitation takes out of the quota of who invites: strangers get it, so each counts. */
export const INVITATION_COST: WriteCost = { writes: 1, bytes: 0 }

/** What a room with so many invitations takes. */
export const creationCost = (name: string, invitations: number): WriteCost => ({ ...costOf(name), writes: 1 + invitations })
