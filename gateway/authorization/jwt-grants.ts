import { hash } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Caller } from '../../platform/http/caller.ts'
import { refusal } from '../operations/errors.ts'
import { type CallerGrants, type FindGrants, NO_GRANTS } from './authorization.ts'

/** How tokens are checked, and where they say what their holder may read. */
export type JwtOptions = {
  /** Address of the keys that sign tokens, as a JSON Web Key Set (RFC 7517). */
  readonly jwksUrl: string
  /** The `iss` that tokens must have; null: any. */
  readonly issuer: string | null
  /** Values of `aud` of which tokens must have one; empty: any. */
  readonly audiences: readonly string[]
  /** The claim with the scopes: a text with spaces between (RFC 8693 §4.2) or a list of texts. Points lead into objects. */
  readonly scopesClaim: string
  /** The claim with the policies that the holder meets, in the same forms; null: nobody meets any. */
  readonly policiesClaim: string | null
}

/** Signatures that a published key can check. With a shared secret, every verifier could sign as well (RFC 8725 §3.1, §3.2). */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512']
/** How far the clock of the issuer may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 5
/** A token that was checked is believed for so long, and never beyond its end by the own clock. */
const CHECKED_TTL_MS = 60_000
/** Tokens that are remembered at once; beyond it the oldest are checked again. */
const MAX_REMEMBERED_TOKENS = 10_000
/** Keys are fetched anew for a token of an unknown key, but not more often than this. */
const KEYS_COOLDOWN_MS = 10_000
const KEYS_TIMEOUT_MS = 5_000

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/**
 * Finds what callers hold in their JSON Web Tokens (RFC 7519), sent as `Authorization: Bearer`. Without a token a caller holds
 * nothing; with one that is wrong, or has ended, every refusal says so as UNAUTHENTICATED.
 */
export function jwtGrants(
  { jwksUrl, issuer, audiences, scopesClaim, policiesClaim }: JwtOptions,
  {
    keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: KEYS_COOLDOWN_MS, timeoutDuration: KEYS_TIMEOUT_MS }),
    now = Date.now,
  }: { readonly keys?: JWTVerifyGetKey; readonly now?: () => number } = {},
): FindGrants {
  const checked = new Map<string, { readonly until: number; readonly grants: CallerGrants }>()

  return ({ caller }) => {
    const token = tokenIn(caller)
    if (token === null) return NO_GRANTS
    const key = hash('sha256', token, 'base64url')
    const known = checked.get(key)
    if (known && known.until > now()) return known.grants
    checked.delete(key)
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
        scopes: new Set(textsIn(payload, scopesClaim)),
        policies: new Set(policiesClaim === null ? [] : textsIn(payload, policiesClaim)),
      }
      remember(key, grants, (payload.exp ?? 0) * 1_000)
      return grants
    } catch (error) {
      return { ...NO_GRANTS, denial: denialFor(error) }
    }
  }

  function remember(key: string, grants: CallerGrants, endsAt: number): void {
    checked.set(key, { grants, until: Math.min(now() + CHECKED_TTL_MS, endsAt) })
    for (const oldest of checked.keys()) {
      if (checked.size <= MAX_REMEMBERED_TOKENS) break
      checked.delete(oldest)
    }
  }
}

const tokenIn = ({ credentials }: Caller): string | null => BEARER.exec(credentials.authorization?.trim() ?? '')?.[1] ?? null

/** The texts of a claim, whichever form it has; none where it is absent or of another form. */
function textsIn(payload: JWTPayload, claim: string): readonly string[] {
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
  if (error instanceof errors.JOSEError && !FAULTS_OF_KEYS.has(error.code))
    return unauthenticated('The token cannot be verified: expected one that is signed by a published key.')
  return refusal('UNAVAILABLE', 'The keys that check tokens cannot be had at the moment: try again.')
}

/** Failures of who publishes the keys, not of the token. */
const FAULTS_OF_KEYS = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

const unauthenticated = (message: string) => refusal('UNAUTHENTICATED', message)
