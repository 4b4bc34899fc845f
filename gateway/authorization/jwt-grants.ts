import { hash } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Caller } from '../../platform/http/caller.ts'
import { refusal } from '../operations/errors.ts'
import { type CallerGrants, type FindGrants, NO_GRANTS } from './authorization.ts'

/** How tokens are verified, and which claims hold the grants. */
export type JwtOptions = {
  /** Address of the keys that sign tokens, as a JSON Web Key Set (RFC 7517). */
  readonly jwksUrl: string
  /** The `iss` that tokens must have; null: any. */
  readonly issuer: string | null
  /** Values of `aud` of which tokens must have one; empty: any. */
  readonly audiences: readonly string[]
  /**
   * The claim with the scopes: space-separated (RFC 8693 §4.2) or a list. Dots lead into objects.
   */
  readonly scopesClaim: string
  /** The claim with the policies that the holder meets, in the same forms; null: none are met. */
  readonly policiesClaim: string | null
}

/** Asymmetric algorithms only: with a shared secret, verifiers could sign (RFC 8725 §3.1, §3.2). */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
/** Tolerated difference between the clocks of the issuer and of this machine. */
const CLOCK_TOLERANCE_SECONDS = 5
/** How long a verified token is cached, never beyond its `exp`. */
const CHECKED_TTL_MS = 60_000
/** Bound of cached tokens; evicted ones are verified again. */
const MAX_REMEMBERED_TOKENS = 10_000
/** A token with an unknown key id refetches the keys, at most this often. */
const KEYS_COOLDOWN_MS = 10_000
const KEYS_TIMEOUT_MS = 5_000

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/**
 * Reads grants from JSON Web Tokens (RFC 7519) in `Authorization: Bearer`. Without a token a caller
 * has no grants; an invalid or expired one makes every refusal UNAUTHENTICATED.
 */
export function jwtGrants(
  { jwksUrl, issuer, audiences, scopesClaim, policiesClaim }: JwtOptions,
  {
    keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: KEYS_COOLDOWN_MS, timeoutDuration: KEYS_TIMEOUT_MS }),
    now = Date.now,
  }: { readonly keys?: JWTVerifyGetKey; readonly now?: () => number } = {},
): FindGrants {
  const verified = new Map<string, { readonly until: number; readonly grants: CallerGrants }>()

  return ({ caller }) => {
    const token = tokenIn(caller)
    if (token === null) return NO_GRANTS
    const key = hash('sha256', token, 'base64url')
    const cached = verified.get(key)
    if (cached && cached.until > now()) return cached.grants
    verified.delete(key)
    return check(token, key)
  }

  async function check(token: string, key: string): Promise<CallerGrants> {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(now()),
        requiredClaims: ['exp'],
        ...(issuer !== null && { issuer }),
        ...(audiences.length > 0 && { audience: [...audiences] }),
      })
      const grants: CallerGrants = {
        ...NO_GRANTS,
        isAuthenticated: true,
        scopes: new Set(stringsIn(payload, scopesClaim)),
        policies: new Set(policiesClaim === null ? [] : stringsIn(payload, policiesClaim)),
      }
      remember(key, grants, (payload.exp ?? 0) * 1_000)
      return grants
    } catch (error) {
      return { ...NO_GRANTS, denial: denialFor(error) }
    }
  }

  function remember(key: string, grants: CallerGrants, endsAt: number): void {
    verified.set(key, { grants, until: Math.min(now() + CHECKED_TTL_MS, endsAt) })
    for (const oldest of verified.keys()) {
      if (verified.size <= MAX_REMEMBERED_TOKENS) break
      verified.delete(oldest)
    }
  }
}

const tokenIn = ({ credentials }: Caller): string | null => BEARER.exec(credentials.authorization?.trim() ?? '')?.[1] ?? null

/** The strings of a claim in either form; none where it is absent or of another form. */
function stringsIn(payload: JWTPayload, claim: string): readonly string[] {
  let value: unknown = Object.hasOwn(payload, claim) ? payload[claim] : undefined
  if (value === undefined && claim.includes('.')) {
    value = claim
      .split('.')
      .reduce<unknown>((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), payload)
  }
  if (typeof value === 'string') return value.split(' ').filter((text) => text !== '')
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

function denialFor(error: unknown): ReturnType<typeof refusal> | null {
  if (error instanceof errors.JWTExpired) return unauthenticated('The token has expired: send one that is valid now.')
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthenticated(
      `The token is not one for this service: its claim "${error.claim}" is missing, or not the one expected.`,
    )
  if (error instanceof errors.JOSEError && !KEY_SET_FAULTS.has(error.code))
    return unauthenticated('The token cannot be verified: expected one that is signed by a published key.')
  return refusal('UNAVAILABLE', 'The keys that check tokens cannot be had at the moment: try again.')
}

/** Failures to get the keys, which say nothing about the token. */
const KEY_SET_FAULTS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

const unauthenticated = (message: string) => refusal('UNAUTHENTICATED', message)
