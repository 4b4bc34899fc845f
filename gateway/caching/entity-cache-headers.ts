import type { IncomingHttpHeaders } from 'node:http'
import { CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'

/** Cache policy of a subgraph's response headers (RFC 9111). */
export type HeaderPolicy = {
  /** Lifetime in seconds; 0: must not be stored; null: not specified. */
  readonly ttlSeconds: number | null
  /** `public`, or `s-maxage`, which implies it (RFC 9111 §5.2.2.10). */
  readonly isPublic: boolean
  /** `private`, or `Vary` names credentials. */
  readonly isPrivate: boolean
  /** Tags in `Cache-Tag`, separated by commas. */
  readonly tags: readonly string[]
}

const UNSAID: HeaderPolicy = { ttlSeconds: null, isPublic: false, isPrivate: false, tags: [] }

/** Request headers that are the same for every caller, or (`origin`) that subgraphs never get. */
const CONSTANT_HEADERS = new Set(['accept', 'accept-encoding', 'content-type', 'origin'])
const CREDENTIALS = new Set<string>(CREDENTIAL_HEADERS)

/** Reads `Cache-Control`, `Age`, `Vary` and `Cache-Tag`; null: a response without headers. */
export function headerPolicyOf(headers: IncomingHttpHeaders | null): HeaderPolicy {
  if (!headers) return UNSAID
  const vary = listIn(headers.vary).map((each) => each.toLowerCase())
  // The response varies by a header that is not part of the cache key.
  const isUnknown = vary.some((each) => !CONSTANT_HEADERS.has(each) && !CREDENTIALS.has(each))
  const directives = directivesIn(headers['cache-control'])
  const isPrivate = directives.has('private') || vary.some((each) => CREDENTIALS.has(each))
  return {
    ttlSeconds: isUnknown ? 0 : ttlIn(directives, headers.age),
    isPublic: directives.has('public') || directives.has('s-maxage'),
    isPrivate,
    tags: listIn(headers['cache-tag']),
  }
}

function ttlIn(directives: ReadonlyMap<string, string>, age: string | undefined): number | null {
  if (directives.has('no-store') || directives.has('no-cache')) return 0
  const said = directives.get('s-maxage') ?? directives.get('max-age')
  if (said === undefined) return null
  // An invalid age counts as stale (RFC 9111 §4.2.1).
  return /^\d{1,10}$/.test(said) ? Math.max(0, Number(said) - (Number.parseInt(age ?? '0', 10) || 0)) : 0
}

/** Cache directives by lower-case name; the shorter time of a repeated directive. */
function directivesIn(header: string | undefined): ReadonlyMap<string, string> {
  const directives = new Map<string, string>()
  for (const part of listIn(header)) {
    const [name = '', value = ''] = part.split('=', 2).map((each) => each.trim())
    const text = value.replace(/^"(.*)"$/, '$1')
    const earlier = directives.get(name.toLowerCase())
    if (earlier === undefined || !(Number(earlier) <= Number(text))) directives.set(name.toLowerCase(), text)
  }
  return directives
}

const listIn = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((each) => each.split(','))
    .map((each) => each.trim())
    .filter((each) => each !== '')
