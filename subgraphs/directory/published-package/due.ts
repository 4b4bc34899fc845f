import type { PackageRegistry } from '#generated/directory/resolvers.ts'
import type { DuePackage } from './facts.ts'
import type { PackageRepository } from './repository.ts'

/** A package is observed once a day. Milliseconds. */
const OBSERVE_EVERY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Packages of one turn: they are merged together. */
const MAX_PACKAGES = 100

/** The packages of a turn, of registries that do not pause, within the budget of the hour. Rejects when the database fails. */
export async function duePackages(
  packagesPerHour: number,
  registries: readonly PackageRegistry[],
  { packages, now }: { readonly packages: PackageRepository; readonly now: () => Date },
): Promise<readonly DuePackage[]> {
  if (registries.length === 0) return []
  const used = await packages.countSince(new Date(now().getTime() - HOUR_MS))
  const limit = Math.min(MAX_PACKAGES, packagesPerHour - used)
  return limit <= 0 ? [] : packages.due(registries, new Date(now().getTime() - OBSERVE_EVERY_MS), limit)
}
