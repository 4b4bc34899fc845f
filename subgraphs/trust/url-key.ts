import { createHash } from 'node:crypto'
import { getDomain } from 'tldts'
import { PATH_TENANTS } from './path-tenants.ts'

/**
 * A URL as threat feeds and decisions compare it: hashes only, so that stored data does not reveal
 * the path of a request.
 */
export type UrlKeys = {
  /**
   * Hashes of the URL and of what lists it as well, exact first: path with query, path alone, and
   * the directories above (`/a/b/`, `/a/`), at most `MAX_KEYS`.
   */
  readonly keys: readonly string[]
  /**
   * Hash of the part of the path that belongs to one user of a host shared by path
   * (`github.com/user/`); null where the path has no such part.
   */
  readonly tenantKey: string | null
}

/** Path with query, path without, and eight directories: Safe Browsing v4 looks at four. */
const MAX_KEYS = 10
/** Escapes within escapes that are read; more are an attempt to hide. */
const MAX_UNESCAPES = 8

/**
 * Hashes of a URL, from its A-label host or canonical address, its port, and everything from the
 * path on. Null for the root of a host: a listing of it lists the host. Scheme and fragment, a
 * leading `www.` and the ports 80 and 443 make no difference.
 */
export function urlKeysOf(host: string, port: number | null, rest: string): UrlKeys | null {
  const { path, query } = canonicalPath(rest)
  if (path === '/' && query === '') return null
  const site = `${withoutWww(host)}${port === null || port === 80 || port === 443 ? '' : `:${port}`}`
  const segments = path.split('/').slice(1, -1)
  const directories = segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}/`).slice(0, MAX_KEYS - 2)
  const paths = new Set([...(query === '' ? [] : [`${path}?${query}`]), path, ...directories.reverse()])
  const tenant = pathTenantOf(host, path)
  return {
    keys: [...paths].map((each) => hashOf(site + each)),
    tenantKey: tenant === null ? null : hashOf(site + tenant),
  }
}

/** 128 bits of SHA-256, in hexadecimal: enough for billions of URLs. */
const hashOf = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 32)

/**
 * Path and query in one spelling, as in Safe Browsing: escapes decoded until there are none, `.`
 * and `..` resolved, repeated slashes merged. One character per byte.
 */
export function canonicalPath(rest: string): { readonly path: string; readonly query: string } {
  const [beforeFragment = ''] = rest.split('#', 1)
  const mark = beforeFragment.indexOf('?')
  const path = mark === -1 ? beforeFragment : beforeFragment.slice(0, mark)
  const segments: string[] = []
  const written = unescaped(path).replaceAll('\\', '/').split('/')
  for (const segment of written) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const isDirectory = ['', '.', '..'].includes(written.at(-1) ?? '') && segments.length > 0
  return {
    path: escaped(`/${segments.join('/')}${isDirectory ? '/' : ''}`),
    query: mark === -1 ? '' : escaped(unescaped(beforeFragment.slice(mark + 1))),
  }
}

function unescaped(text: string): string {
  let bytes = Buffer.from(text, 'utf8').toString('latin1')
  for (let round = 0; round < MAX_UNESCAPES && /%[0-9a-f]{2}/i.test(bytes); round++) {
    bytes = bytes.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return bytes
}

const escaped = (bytes: string): string =>
  bytes.replaceAll(/[^!-~]|[#%]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)

/** `www.` above a registrable name means that name. */
export const withoutWww = (host: string): string => {
  if (!host.startsWith('www.')) return host
  const rest = host.slice('www.'.length)
  return getDomain(rest, { allowPrivateDomains: true, validateHostname: false }) === null ? host : rest
}

/** The leading part of a path that one user owns, with a slash at its end; null for none. */
function pathTenantOf(host: string, path: string): string | null {
  const segments = path.split('/').slice(1)
  const depth = Object.hasOwn(PATH_TENANTS, withoutWww(host))
    ? (PATH_TENANTS[withoutWww(host)] ?? 0)
    : // Home directories, on any host.
      segments[0]?.startsWith('~')
      ? 1
      : 0
  const owned = segments.slice(0, depth)
  return depth === 0 || owned.length < depth || owned.includes('') ? null : `/${owned.join('/')}/`
}
