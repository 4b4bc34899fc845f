/** The longest address that is stored, in characters as the URL standard writes them. */
const MAX_URL_LENGTH = 2_000

/**
 * An absolute http or https URL with a host and without credentials, as the URL standard writes it;
 * null for anything else. Line breaks and blanks are refused: the standard would drop or encode
 * them, and so make another address.
 */
export function cleanUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return null
  const text = value.trim()
  const url = /[\p{Cc}\s]/u.test(text) ? null : URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username !== '' || url.password !== '') return null
  const address = url.href.replace(/^(https?:\/\/[^/?#]+)\/$/, '$1')
  return address.length <= MAX_URL_LENGTH ? address : null
}

/** A repository of a forge; `subfolder` null when the address is of its root. */
export type Repository = {
  readonly host: string
  readonly owner: string
  readonly repo: string
  readonly subfolder: string | null
}

const FORGES = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'gitee.com'])

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/

/**
 * Reads the address of a repository in any of its spellings (https, git@host:, ssh, .git, /tree/…);
 * null for others.
 */
export function repositoryOf(value: unknown): Repository | null {
  if (typeof value !== 'string') return null
  const address = value
    .trim()
    .replace(/^git\+/, '')
    .replace(/^(ssh:\/\/git@[^/:]+):\d+\//, '$1/')
    .replace(/^(?:ssh:\/\/)?git@([^/:]+)[:/]/, 'https://$1/')
    .replace(/^git:\/\//, 'https://')
  const url = cleanUrl(address)
  if (url === null) return null
  const { hostname, pathname } = new URL(url)
  const host = hostname.replace(/^www\./, '')
  const [owner = '', name = '', kind, , ...rest] = pathname.split('/').filter((segment) => segment !== '')
  const repo = name.replace(/\.git$/, '')
  if (!FORGES.has(host) || !SEGMENT.test(owner) || !SEGMENT.test(repo)) return null
  // GitLab nests groups: what follows is then the repository, and two segments name only a group.
  if (host === 'gitlab.com' && kind !== undefined && !/^(-|tree|blob)$/.test(kind)) return null
  const subfolder = (kind === 'tree' || kind === 'blob') && rest.length > 0 ? decoded(rest) : null
  return { host, owner, repo, subfolder }
}

/** Segments of a URL as a path; null when they hide what a path can not hold. */
function decoded(segments: readonly string[]): string | null {
  try {
    const names = segments.map(decodeURIComponent)
    return names.some((name) => /[\p{Cc}/\\]|^\.{1,2}$/u.test(name)) ? null : names.join('/')
  } catch {
    return null
  }
}

/** The address of a repository's root. */
export const repositoryUrl = ({ host, owner, repo }: Repository): string => `https://${host}/${owner}/${repo}`
