import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { RoomRepository } from './repository.ts'
import type { RoomMember } from './room.ts'

export const roomLoaders = (rooms: RoomRepository) => ({
  roomById: loaderByKey(rooms.findByIds, ({ id }) => id),
  /** Per user: the membership in a room, by the room's id. */
  membershipOf: loaderPerArguments((userId: string) =>
    loaderByKey(
      (roomIds) => rooms.membershipsIn(roomIds, userId),
      ({ roomId }: RoomMember) => roomId,
    ),
  ),
  /** Per range: members of a room, by its id. */
  membersOfRoom: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (roomIds) => rooms.members(roomIds, range),
      ({ roomId }) => roomId,
    ),
  ),
  memberCount: loaderByKey(rooms.countMembers, ({ roomId }) => roomId),
})
