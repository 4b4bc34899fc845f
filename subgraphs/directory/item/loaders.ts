import { loaderByKey } from '../../toolkit/loader.ts'
import type { Context } from '../context.ts'
import type { ItemRepository } from './repository.ts'

/** Sources of values of items, for one operation. */
export const itemLoaders = (items: ItemRepository): Pick<Context['load'], 'provenanceByItem'> => ({
  provenanceByItem: loaderByKey(items.provenanceOf, ({ itemId }) => itemId),
})
