import type { KeysetRange } from '../../toolkit/keyset.ts'
import { loaderByKey, loaderOfLists, loaderPerArguments } from '../../toolkit/loader.ts'
import type { MessageRepository } from './repository.ts'

export const messageLoaders = (messages: MessageRepository) => ({
  messageById: loaderByKey(messages.findByIds, ({ id }) => id),
  /** Per range: messages of a room, by its id. */
  messagesOfRoom: loaderPerArguments((range: KeysetRange) =>
    loaderOfLists(
      (roomIds) => messages.ofRooms(roomIds, range),
      ({ roomId }) => roomId,
    ),
  ),
  messageCount: loaderByKey(messages.countOfRooms, ({ roomId }) => roomId),
})
