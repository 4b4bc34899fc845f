import type { Contribution, Skip } from './contribution.ts'
import { byPrecedence } from './precedence.ts'

/** Which folders of which repositories the marketplaces list as plugins. */
export type Listings = {
  /**
   * The contributions that list exactly this folder of this repository, by the repository's part of
   * an identity.
   */
  readonly at: (repository: string, folder: string) => readonly Contribution[]
  /**
   * The contribution that lists a folder around this skill; null when none does. The nearest folder
   * counts.
   */
  readonly around: (skillIdentity: string) => Contribution | null
  /** Whether any marketplace of this repository is known. */
  readonly exists: (repository: string) => boolean
}

/** The repository part of an identity. */
const repositoryOfIdentity = (identity: string): string => identity.split(/[!#]/, 1)[0] ?? ''

/** Reads the plugins of all marketplaces. */
export function listingsOf(contributions: readonly Contribution[]): Listings {
  const byFolder = new Map<string, Contribution[]>()
  const repositories = new Set<string>()
  for (const contribution of contributions) {
    const { statement, format } = contribution
    if (statement.kind !== 'PLUGIN' || format === 'plugin-manifest') continue
    const repository = repositoryOfIdentity(statement.identity)
    repositories.add(repository)
    if (statement.folder === null) continue
    const place = `${repository}#${statement.folder.toLowerCase()}`
    const there = byFolder.get(place)
    if (there) there.push(contribution)
    else byFolder.set(place, [contribution])
  }
  for (const there of byFolder.values()) there.sort(byPrecedence)

  return {
    at: (repository, folder) => byFolder.get(`${repository}#${folder.toLowerCase()}`) ?? [],
    around: (skillIdentity) => {
      const [repository = '', folder = ''] = skillIdentity.split('#', 2)
      const segments = folder === '' ? [] : folder.split('/')
      for (let length = segments.length; length >= 0; length -= 1) {
        const [listing] = byFolder.get(`${repository}#${segments.slice(0, length).join('/')}`) ?? []
        if (listing) return listing
      }
      return null
    },
    exists: (repository) => repositories.has(repository),
  }
}

/**
 * Adds the fields of manifests to the plugins in their folders; a manifest stands alone only where
 * no marketplace exists.
 */
export function withManifests(
  contributions: readonly Contribution[],
  listings: Listings,
): { readonly contributions: readonly Contribution[]; readonly skipped: readonly Skip[] } {
  const skipped: Skip[] = []
  const addressed = contributions.flatMap((contribution) => {
    const { statement, format, origin, path } = contribution
    if (statement.kind !== 'PLUGIN' || format !== 'plugin-manifest') return [contribution]
    const repository = repositoryOfIdentity(statement.identity)
    const identities = new Set(listings.at(repository, statement.folder ?? '').map((listing) => listing.statement.identity))
    if (identities.size > 0)
      return [...identities].map((identity) => ({ ...contribution, statement: { ...statement, identity } }))
    if (!listings.exists(repository)) return [contribution]
    skipped.push({ origin, path, line: null, reason: 'no marketplace of its repository lists this plugin' })
    return []
  })
  return { contributions: addressed, skipped }
}
