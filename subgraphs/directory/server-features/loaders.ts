import { loaderByKey, loaderOfLists } from '../../toolkit/loader.ts'
import type { Context } from '../context.ts'
import type { FeatureRepository } from './repository.ts'

/** Most changes of an item that are read: the largest page. */
export const MAX_CHANGES = 100

/** Features of servers, for one operation. */
export const featureLoaders = (features: FeatureRepository): Pick<Context['load'], 'featuresByItem' | 'changesByItem'> => ({
  featuresByItem: loaderByKey(features.findByItems, ({ itemId }) => itemId),
  changesByItem: loaderOfLists(
    (ids: readonly string[]) => features.changesOf(ids, MAX_CHANGES),
    ({ itemId }) => itemId,
  ),
})
