import { loaderByKey } from '../../runtime/loader.ts'
import type { MessageRepository } from './repository.ts'

export const messageLoaders = (messages: MessageRepository) => ({
  messageById: loaderByKey(messages.findByIds, ({ id }) => id),
})
