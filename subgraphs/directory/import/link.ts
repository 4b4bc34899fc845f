/** A repository has URLs; a folder without an owner and a host have none. */
export function isRepository(origin: string): boolean {
  return /^[A-Za-z0-9-]+\/[A-Za-z0-9._-]+$/.test(origin)
}

/** A host: what a registry answered at an address that the operator named. Files have other origins. */
export const isHost = (origin: string): boolean => !origin.includes('/') && !origin.startsWith('file:')

/** The part of an identity that stands for an origin. */
export const identityOfOrigin = (origin: string): string => (isRepository(origin) ? `github.com/${origin}` : origin).toLowerCase()

/**
 * Address of a folder of a repository at its newest commit; the repository's own for the root. Null
 * for other origins.
 */
export function folderUrl(origin: string, folder: string, ref = 'HEAD'): string | null {
  if (!isRepository(origin)) return null
  const repository = `https://github.com/${origin}`
  return folder === '' && ref === 'HEAD'
    ? repository
    : `${repository}/tree/${encodePath(ref)}${folder === '' ? '' : `/${encodePath(folder)}`}`
}

/** Address of a file of a repository at its newest commit; null for other origins. */
export const fileUrl = (origin: string, path: string): string | null =>
  isRepository(origin) ? `https://github.com/${origin}/blob/HEAD/${encodePath(path)}` : null

const encodePath = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

/**
 * `path` as seen from `folder`, both inside an origin, empty for its root; null when it leads
 * outside.
 */
export function resolveFolder(folder: string, path: string): string | null {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return null
  const segments: string[] = []
  for (const segment of [...folder.split('/'), ...path.split('/')]) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return null
  }
  return segments.join('/')
}

/** "owner/repository" in lower case of an address on GitHub; null for any other. */
export const repositoryOnGithub = (address: string): string | null =>
  /^https:\/\/github\.com\/([^/!#]+\/[^/!#]+)/.exec(address.toLowerCase())?.[1] ?? null

/** The folder of a path, empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
