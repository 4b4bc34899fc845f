import type { McpServerDetail } from '../item/item.ts'
import { type PackageName, packageKey, packageOfCommand, packagesOf, roundedDownloads } from '../item/package-name.ts'

/** What an item takes of a package that names its repository: others can name any. */
export type OwnPackage = {
  /** "owner/repository" in lower case. */
  readonly repository: string
  readonly license: string | null
  readonly isWithdrawn: boolean
  readonly monthlyDownloads: number | null
}

/** Observed packages by `packageKey`. */
export type Packages = ReadonlyMap<string, OwnPackage>

/** What the packages of a server say of it; `repository`: its own, null for none on GitHub. */
export type PackageStatement = {
  readonly license: string | null
  /** Whether the package of the recommended installation is withdrawn. */
  readonly isWithdrawn: boolean
  /** Rounded; null when unknown. */
  readonly monthlyDownloads: number | null
}

const NOTHING: PackageStatement = { license: null, isWithdrawn: false, monthlyDownloads: null }

/** What a server takes of its own packages; nothing of one that names another repository, or none. */
export function packageStatement(
  { installations }: Pick<McpServerDetail, 'installations'>,
  repository: string | null,
  packages: Packages,
): PackageStatement {
  if (repository === null || packages.size === 0) return NOTHING
  const ownPackages = (names: readonly PackageName[]): readonly OwnPackage[] =>
    names.flatMap((name) => packages.get(packageKey(name)) ?? []).filter((known) => known.repository === repository)
  const own = ownPackages(packagesOf(installations))
  // A server at an address, or in a container, is not gone with a package that it was once installed from.
  const recommended = packageOfCommand(installations[0]?.command ?? '')
  const counts = own.flatMap(({ monthlyDownloads }) => monthlyDownloads ?? [])
  return {
    license: own.find(({ license }) => license !== null)?.license ?? null,
    isWithdrawn: recommended !== null && ownPackages([recommended]).some((one) => one.isWithdrawn),
    monthlyDownloads: counts.length === 0 ? null : roundedDownloads(Math.max(...counts)),
  }
}
