import { loaderByKey } from '../../toolkit/loader.ts'
import type { UserRepository } from './repository.ts'

export const userLoaders = (users: UserRepository) => ({
  userById: loaderByKey(users.findByIds, ({ id }) => id),
})
