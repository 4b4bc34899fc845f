import type { KeysetPage } from '../../toolkit/keyset.ts'
import { costOf, type WriteCost } from '../quota/quota.ts'

/** Where members write messages to each other. */
export type Room = { readonly id: string; readonly name: string; readonly ownerId: string; readonly createdAt: Date }

/** A membership. */
export type RoomMember = { readonly roomId: string; readonly userId: string; readonly joinedAt: Date }

/** A page of the members of a room. */
export type RoomMemberPage = KeysetPage<RoomMember>

/** Cost of an invitation in the quota of its sender: strangers get it, so each counts. */
export const INVITATION_COST: WriteCost = { writes: 1, bytes: 0 }

/** What a room with so many invitations takes. */
export const creationCost = (name: string, invitations: number): WriteCost => ({ ...costOf(name), writes: 1 + invitations })

/** The topic of a room in the outbox. Payload: `id`, the row id of a message, or `NO_MESSAGE`. */
export const topicOf = (roomId: string): string => `room:${roomId}`

/** Id of no message: an event for the end of a room. */
export const NO_MESSAGE = '0'

/** The room that a topic is about. */
export const roomIn = (topic: string): string => topic.slice(topicOf('').length)
