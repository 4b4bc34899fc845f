import { loaderByKey } from '../../toolkit/loader.ts'
import type { DecisionRepository } from './repository.ts'

/** Decisions of all keys, for fields of objects that only those who may read them reach. */
export const decisionLoaders = ({ decisions }: { readonly decisions: Pick<DecisionRepository, 'findByIds'> }) => ({
  decisionById: loaderByKey(decisions.findByIds, ({ id }) => id),
})
