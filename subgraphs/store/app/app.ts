import { isText, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { isScope, type Scope } from '../access/scopes.ts'

/** A third-party program that requests access to stores. */
export type App = {
  readonly id: number
  /** The only store that can use it; null: every store that agrees. */
  readonly storeId: number | null
  /** `client_id` of the protocol. */
  readonly code: string
  readonly name: string
  readonly isPublic: boolean
  /** The one app of a store that what its authtoken makes belongs to. */
  readonly isStoreItself: boolean
  readonly redirectUris: readonly string[]
  /** In alphabetical order. */
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of an app to write; undefined stays unchanged. */
export type AppInput = {
  readonly name?: string | null | undefined
  readonly redirectUris?: readonly string[] | null | undefined
  readonly scopes?: readonly string[] | null | undefined
}

/** Apps that a store can have of its own. */
export const MAX_APPS = 100
const MAX_REDIRECT_URIS = 10
const MAX_NAME_LENGTH = 100
const MAX_URI_LENGTH = 2_000

/**
 * Instead of an address: the code is shown, to be typed into the app. Clients of the published API
 * test with it.
 */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob'

/** http is allowed on this machine only (RFC 8252 §7.3): elsewhere the code could be read. */
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/

/**
 * What a host is made of (RFC 952, RFC 3986 for IPv6). URLs allow more, such as `;` and `*`, which
 * no host has and which means something in a policy of a page.
 */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:.]+\])$/

/** Whether answers may be sent to this address. */
export function isRedirectUri(uri: string): boolean {
  if (uri === OUT_OF_BAND) return true
  if (uri.length > MAX_URI_LENGTH || !isText(uri) || /[\s#\\]/.test(uri) || !URL.canParse(uri)) return false
  const { protocol, hostname, username, password } = new URL(uri)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return !LOOPBACK.test(hostname) && HOST.test(hostname)
  if (protocol === 'http:') return LOOPBACK.test(hostname)
  // RFC 8252 §7.1: a name that its maker owns, backwards. Those without a point are common
  // property, and some of them run code.
  return /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol)
}

/** Invalid fields of an app to register or change, in their order. */
export function appProblems({ name, redirectUris, scopes }: AppInput): readonly Problem[] {
  return problemsIn([
    name === undefined ? null : textProblem('name', name ?? '', MAX_NAME_LENGTH),
    redirectUris === undefined || isCounted(redirectUris, MAX_REDIRECT_URIS)
      ? null
      : problem('redirectUris', `1 to ${MAX_REDIRECT_URIS} addresses`, redirectUris?.length ?? null),
    ...(redirectUris ?? []).map((uri, index) =>
      isRedirectUri(uri)
        ? null
        : problem(
            `redirectUris.${index}`,
            `an https URL, an http URL of this computer, a scheme like com.example.app:, or ${OUT_OF_BAND}, without fragment and user`,
            uri,
          ),
    ),
    scopes === undefined || isCounted(scopes, Number.POSITIVE_INFINITY) ? null : problem('scopes', 'at least one scope', 0),
    ...(scopes ?? []).map((scope, index) =>
      isScope(scope) ? null : problem(`scopes.${index}`, 'a scope such as "read_products"', scope),
    ),
  ])
}

/** The scopes among these words, each once, in alphabetical order. */
export const scopesIn = (words: readonly string[]): readonly Scope[] => [...new Set(words)].filter(isScope).toSorted()

const isCounted = (list: readonly string[] | null, max: number): boolean =>
  list !== null && list.length >= 1 && list.length <= max
