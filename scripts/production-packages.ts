import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** One package that a production installation has, or may have, by the lock file. */
export type ProductionPackage = {
  readonly name: string
  readonly version: string
  /** As the package says it, usually an SPDX expression; null where it says none. */
  readonly license: string | null
  /** Where it is installed, from the project's folder on. */
  readonly path: string
  /** Not installed everywhere, such as what is for one platform. */
  readonly isOptional: boolean
}

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.unknown().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
})

/**
 * Production dependencies of the project in `root`, for every platform, ordered by name, version
 * and path.
 */
export function productionPackages(root: string): readonly ProductionPackage[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version = '', license, optional, devOptional }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license: typeof license === 'string' ? license : null,
      path,
      isOptional: (optional ?? false) || (devOptional ?? false),
    }))
    .sort((one, other) => compare(labelOf(one), labelOf(other)) || compare(one.path, other.path))
}

/** `name@version`. */
export const labelOf = ({ name, version }: Pick<ProductionPackage, 'name' | 'version'>): string => `${name}@${version}`

/** By code units: the same order in every locale. */
export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
