import { loaderByKey } from '../../toolkit/loader.ts'
import type { AppRepository } from './repository.ts'

export const appLoaders = (apps: AppRepository) => ({
  /** Whosever it is. */
  appById: loaderByKey(apps.findByIds, ({ id }) => id),
})
