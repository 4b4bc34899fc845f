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

/** Hosts that are called after what they do: a forge of somebody's own. */
const OWN_FORGE = /^(?:git|gitlab|gitea|forgejo)\./

/** Forges with groups inside of groups. */
const NESTS_GROUPS = /^gitlab\./

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/

/** GitLab nests at most 20 groups. */
const MAX_SEGMENTS = 21

/**
 * Reads the address of a repository in any of its spellings (https, git@host:, ssh, .git, /tree/…);
 * null for others. `owner` holds every group, such as `group/subgroup`. Hosts other than the known
 * forges are taken where host or address say that they serve Git.
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
  const { host: hostWithPort, hostname, pathname } = new URL(url)
  const isKnown = FORGES.has(hostname.replace(/^www\./, ''))
  const isGit = OWN_FORGE.test(hostname) || /\.git\/?$/.test(pathname) || /^(?:ssh:\/\/)?git@/.test(value.trim())
  if (!isKnown && !isGit) return null
  const host = isKnown ? hostname.replace(/^www\./, '') : hostWithPort
  const all = pathname.split('/').filter((segment) => segment !== '')
  // Behind a lone hyphen GitLab has its own pages; elsewhere two segments name the repository.
  const hyphen = all.indexOf('-')
  const view = hyphen > 0 ? hyphen : all.findIndex((segment, index) => index >= 2 && /^(?:tree|blob|src)$/.test(segment))
  const nests = NESTS_GROUPS.test(host) || (!isKnown && view === -1)
  const end = nests ? (view === -1 ? all.length : view) : Math.min(2, all.length)
  const path = all.slice(0, end)
  const repo = (path.at(-1) ?? '').replace(/\.git$/, '')
  const owners = path.slice(0, -1)
  if (owners.length === 0 || path.length > MAX_SEGMENTS || ![...owners, repo].every((segment) => SEGMENT.test(segment)))
    return null
  const [kind, , ...rest] = all.slice(hyphen > 0 && hyphen === end ? end + 1 : end)
  const subfolder = (kind === 'tree' || kind === 'blob') && rest.length > 0 ? decoded(rest) : null
  return { host, owner: owners.join('/'), repo, subfolder }
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
