import { loaderByKey } from '../../toolkit/loader.ts'
import type { Context } from '../context.ts'
import { packageKey } from '../item/package-name.ts'
import type { PackageRepository } from './repository.ts'

/** Observed packages, for one operation. */
export const packageLoaders = (packages: PackageRepository): Pick<Context['load'], 'packageByKey'> => ({
  packageByKey: loaderByKey(packages.findByKeys, packageKey),
})
