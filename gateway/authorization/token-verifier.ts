import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { type refusal as Refusal, refusal } from '../operations/errors.ts'
import { type CallerGrants, NO_GRANTS } from './authorization.ts'
import { type Claims, textsIn } from './claims.ts'

/** An issuer of tokens, and how its tokens are verified. */
export type TokenIssuer = {
  /** URL of its JSON Web Key Set (RFC 7517). */
  readonly jwksUrl: string
  /** Required `iss` claim; null: not checked, for a single issuer only. */
  readonly issuer: string | null
  /** Accepted `aud` claims, of which a token needs one; empty: not checked. */
  readonly aud: readonly string[]
  /** Accepted signature algorithms; empty: every asymmetric one. */
  readonly algorithms: readonly string[]
}

/** Header or cookie with the token; the first source with a token is used. */
export type TokenSource =
  | { readonly kind: 'header'; readonly name: string; readonly scheme: string | null }
  | { readonly kind: 'cookie'; readonly name: string }

/** Options of token verification, and the claims with grants. */
export type TokenOptions = {
  readonly issuers: readonly TokenIssuer[]
  readonly sources: readonly TokenSource[]
  /**
   * The claim with the scopes: space-separated (RFC 8693 §4.2) or a list. Dots lead into objects.
   */
  readonly scopesClaim: string
  /** Claim with the policies that the user meets, in the same forms; null: no policies. */
  readonly policiesClaim: string | null
  /** Tolerated difference between the clocks of the issuer and of this machine. */
  readonly clockToleranceSeconds: number
  /** Whether operations without a valid token are rejected. */
  readonly isRequired: boolean
}

/** Grants of a verified token, or the denial of an invalid one, without claims. */
export type VerifiedToken = { readonly grants: CallerGrants; readonly claims: Claims | null }

/** Verifies the token of a request. */
export type TokenVerifier = {
  readonly isRequired: boolean
  /** Whether a token source is a header or cookie that is not among the credential headers. */
  readonly readsHeaders: boolean
  /** The token in credentials or headers of the client; null without one. */
  readonly tokenIn: (credentials: Caller['credentials'], headers: IncomingHttpHeaders | null) => string | null
  /** Synchronous for a cached token. Never rejects. */
  readonly verify: (token: string | null) => VerifiedToken | Promise<VerifiedToken>
}

/** Asymmetric algorithms only: with a shared secret, verifiers could sign (RFC 8725 §3.1, §3.2). */
export const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] as const
/** Default of `clockToleranceSeconds`. */
export const CLOCK_TOLERANCE_SECONDS = 5
/** How long a verified token is cached, never beyond its `exp`. */
const CHECKED_TTL_MS = 60_000
/** Bound of cached tokens; evicted ones are verified again. */
const MAX_REMEMBERED_TOKENS = 10_000
/** Longer tokens are ignored: Node.js limits all headers of a request to 16 KiB. */
const MAX_TOKEN_CHARACTERS = 16_000
/** Minimum interval between two downloads of a key set because of unknown key ids. */
const KEYS_COOLDOWN_MS = 10_000
const KEYS_TIMEOUT_MS = 5_000

export const BEARER_HEADER: TokenSource = { kind: 'header', name: 'authorization', scheme: 'Bearer' }

const CREDENTIALS: ReadonlySet<string> = new Set(CREDENTIAL_HEADERS)

const NO_TOKEN: VerifiedToken = { grants: NO_GRANTS, claims: null }

/**
 * Verifies JSON Web Tokens (RFC 7519) of one or several issuers. Without a token a caller has no
 * grants; an invalid or expired one makes every refusal UNAUTHENTICATED.
 */
export function createTokenVerifier(
  { issuers, sources, scopesClaim, policiesClaim, clockToleranceSeconds, isRequired }: TokenOptions,
  {
    keysOf = ({ jwksUrl }) =>
      createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: KEYS_COOLDOWN_MS, timeoutDuration: KEYS_TIMEOUT_MS }),
    now = Date.now,
  }: { readonly keysOf?: (issuer: TokenIssuer) => JWTVerifyGetKey; readonly now?: () => number } = {},
): TokenVerifier {
  const verified = new Map<string, { readonly until: number; readonly token: VerifiedToken }>()
  const keysByIssuer = new Map(issuers.map((issuer) => [issuer, keysOf(issuer)] as const))

  return {
    isRequired,
    readsHeaders: sources.some((source) => source.kind === 'cookie' || !CREDENTIALS.has(source.name)),
    tokenIn(credentials, headers) {
      for (const source of sources) {
        const token = tokenAt(source, credentials, headers)
        if (token !== null && token.length <= MAX_TOKEN_CHARACTERS) return token
      }
      return null
    },
    verify(token) {
      if (token === null) return NO_TOKEN
      const key = hash('sha256', token, 'base64url')
      const cached = verified.get(key)
      if (cached && cached.until > now()) return cached.token
      verified.delete(key)
      return check(token, key)
    },
  }

  async function check(token: string, key: string): Promise<VerifiedToken> {
    const issuer = issuerOf(token)
    const keys = issuer && keysByIssuer.get(issuer)
    if (!issuer || !keys) return denied(unauthenticated('The token is not one for this service: its issuer is not trusted.'))
    const { aud, algorithms } = issuer
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: algorithms.length > 0 ? [...algorithms] : [...ALGORITHMS],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
        ...(issuer.issuer !== null && { issuer: issuer.issuer }),
        ...(aud.length > 0 && { audience: [...aud] }),
      })
      const grants: CallerGrants = {
        ...NO_GRANTS,
        isAuthenticated: true,
        scopes: new Set(textsIn(payload, scopesClaim)),
        policies: new Set(policiesClaim === null ? [] : textsIn(payload, policiesClaim)),
      }
      const found = { grants, claims: payload }
      remember(key, found, (payload.exp ?? 0) * 1_000)
      return found
    } catch (error) {
      return denied(denialFor(error))
    }
  }

  /** The issuer that the token names, unverified: it only chooses the keys that verify it. */
  function issuerOf(token: string): TokenIssuer | null {
    const [first] = issuers
    if (first && issuers.length === 1) return first
    let named: unknown
    try {
      named = decodeJwt(token).iss
    } catch {
      return null
    }
    return issuers.find(({ issuer }) => issuer === named) ?? null
  }

  function remember(key: string, token: VerifiedToken, endsAt: number): void {
    verified.set(key, { token, until: Math.min(now() + CHECKED_TTL_MS, endsAt) })
    for (const oldest of verified.keys()) {
      if (verified.size <= MAX_REMEMBERED_TOKENS) break
      verified.delete(oldest)
    }
  }
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

function tokenAt(
  source: TokenSource,
  credentials: Readonly<Record<string, string | undefined>>,
  headers: IncomingHttpHeaders | null,
): string | null {
  if (source.kind === 'cookie') return compactToken(cookieIn(headers?.cookie ?? '', source.name))
  const given = credentials[source.name] ?? headers?.[source.name]
  const value = typeof given === 'string' ? given.trim() : ''
  if (source.scheme === null) return compactToken(value)
  const [scheme = '', rest = ''] = splitOnce(value, ' ')
  return scheme.toLowerCase() === source.scheme.toLowerCase() ? compactToken(rest.trim()) : null
}

const compactToken = (text: string): string | null => (COMPACT.test(text) ? text : null)

function cookieIn(header: string, name: string): string {
  for (const pair of header.split(';')) {
    const [key = '', value = ''] = splitOnce(pair, '=')
    if (key.trim() === name) return value.trim()
  }
  return ''
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

type Denial = ReturnType<typeof Refusal>

const denied = (denial: Denial): VerifiedToken => ({ grants: { ...NO_GRANTS, denial }, claims: null })

function denialFor(error: unknown): Denial {
  if (error instanceof errors.JWTExpired) return unauthenticated('The token has expired: send one that is valid now.')
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(
      `The token is not one for this service: its claim "${error.claim}" is missing, or not the one expected.`,
    )
  if (error instanceof errors.JOSEError && !KEY_SET_FAULTS.has(error.code))
    return unauthenticated('The token cannot be verified: expected one that is signed by a published key.')
  return refusal('UNAVAILABLE', 'The keys that check tokens cannot be had at the moment: try again.')
}

/** Error codes of a failed key set download, which do not mean that the token is invalid. */
const KEY_SET_FAULTS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

const unauthenticated = (message: string) => refusal('UNAUTHENTICATED', message)
