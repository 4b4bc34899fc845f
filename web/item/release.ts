import type { ComparedItemFragment } from '#generated/operations.ts'

/** What registry entries say where no source states a version. */
const UNKNOWN_VERSION = '0.0.0'

/** Release that a registry entry names, without a `v`; null for none and for tags such as `latest`. */
export const releaseOf = (version: string): string | null =>
  version !== UNKNOWN_VERSION && /^v?\d/i.test(version) ? version.replace(/^v/i, '') : null

type Server = Extract<ComparedItemFragment, { readonly publishedPackages: unknown }>

/** Newest release of a server; `publishedAt` null: unknown. */
export type Release = { readonly version: string; readonly publishedAt: string | null; readonly isWithdrawn: boolean }

/**
 * That of its package by its registry, unless it names another repository, which says nothing about this one; else the
 * version of its registry entry. Null when neither is known.
 */
export function newestRelease({
  registryEntry,
  publishedPackages,
}: Pick<Server, 'registryEntry' | 'publishedPackages'>): Release | null {
  const own = publishedPackages.find(({ isOfRepository }) => isOfRepository !== false)
  if (own && own.version !== null) return { version: own.version, publishedAt: own.publishedAt, isWithdrawn: own.isWithdrawn }
  const version = releaseOf(registryEntry.version)
  return version === null ? null : { version, publishedAt: null, isWithdrawn: false }
}
