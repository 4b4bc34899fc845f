import { z } from 'zod'
import type { GatewayJwtOptions } from '../options/jwt-options.ts'

const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'an http or https URL')

/** Variables of the standalone gateway for verifying JSON Web Tokens. */
export const jwtVariables = {
  JWT_JWKS_URL: {
    read: httpUrl,
    default: null,
    unit: null,
    meaning:
      'Address of the JSON Web Key Set that signs the tokens of callers ("Authorization: Bearer"); unset, no caller is authenticated, and every field with @authenticated, @requiresScopes or @policy is refused.',
  },
  JWT_ISSUER: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'The claim "iss" that tokens must have; unset, any.',
  },
  JWT_AUDIENCE: {
    read: z.string().transform((text) => text.split(',').map((each) => each.trim())),
    default: null,
    unit: null,
    meaning: 'Values of the claim "aud", separated by commas, of which tokens must have one; unset, any.',
  },
  JWT_SCOPES_CLAIM: {
    read: z.string().regex(/^[\w.:/-]+$/, 'the name of a claim'),
    default: 'scope',
    unit: null,
    meaning: 'The claim with the scopes of a token, as a text with spaces between them or as a list; points lead into objects.',
  },
  JWT_POLICIES_CLAIM: {
    read: z.string().regex(/^[\w.:/-]+$/, 'the name of a claim'),
    default: null,
    unit: null,
    meaning: 'The claim with the names of the policies that a token meets, in the same forms; unset, no caller meets any.',
  },
} as const

/** Values of these variables. */
export type JwtConfig = {
  readonly JWT_JWKS_URL: string | undefined
  readonly JWT_ISSUER: string | undefined
  readonly JWT_AUDIENCE: readonly string[] | undefined
  readonly JWT_SCOPES_CLAIM: string
  readonly JWT_POLICIES_CLAIM: string | undefined
}

/**
 * Token options from these variables, which override the configuration file; undefined without a
 * key set URL, so that no caller has grants. Several issuers need a configuration file.
 */
export function jwtOptionsOf(config: JwtConfig, given: GatewayJwtOptions | undefined): GatewayJwtOptions | undefined {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: aud, JWT_POLICIES_CLAIM: policiesClaim } = config
  if (given?.issuers) return given
  if (jwksUrl === undefined) return undefined
  return { ...given, jwksUrl, issuer, aud, scopesClaim: config.JWT_SCOPES_CLAIM, policiesClaim }
}
