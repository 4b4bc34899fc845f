/** An absolute http or https URL with a host and without credentials, as the URL standard writes it; null for anything else. */
export function cleanUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2_000) return null
  const url = URL.parse(value.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '' || url.username !== '' || url.password !== '') return null
  return url.href.replace(/^(https?:\/\/[^/?#]+)\/$/, '$1')
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

/** Reads the address of a repository in any of its spellings (https, git@host:, ssh, .git, /tree/…); null for others. */
export function repositoryOf(value: unknown): Repository | null {
  if (typeof value !== 'string') return null
  const address = value
    .trim()
    .replace(/^git\+/, '')
    .replace(/^(?:ssh:\/\/)?git@([^/:]+)[:/]/, 'https://$1/')
    .replace(/^git:\/\//, 'https://')
  const url = cleanUrl(address)
  if (url === null) return null
  const { hostname, pathname } = new URL(url)
  const host = hostname.replace(/^www\./, '')
  const [owner = '', name = '', kind, , ...rest] = pathname.split('/').filter((segment) => segment !== '')
  const repo = name.replace(/\.git$/, '')
  if (!FORGES.has(host) || !SEGMENT.test(owner) || !SEGMENT.test(repo)) return null
  const subfolder = (kind === 'tree' || kind === 'blob') && rest.length > 0 ? rest.join('/') : null
  return { host, owner, repo, subfolder }
}

/** The address of a repository's root. */
export const repositoryUrl = ({ host, owner, repo }: Repository): string => `https://${host}/${owner}/${repo}`
