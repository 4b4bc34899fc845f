import { loaderByKey } from '../../toolkit/loader.ts'
import type { Context } from '../context.ts'
import type { ObservationRepository } from './repository.ts'

/** Observed repositories, for one operation. */
export const observationLoaders = (observations: ObservationRepository): Pick<Context['load'], 'factsByRepository'> => ({
  factsByRepository: loaderByKey(observations.findByRepositories, ({ repository }) => repository),
})
