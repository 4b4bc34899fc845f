import { loaderByKey } from '../../runtime/loader.ts'
import type { RoomRepository } from './repository.ts'

export const roomLoaders = (rooms: RoomRepository) => ({
  roomById: loaderByKey(rooms.findByIds, ({ id }) => id),
})
