import { z } from 'zod'
import {
  ALGORITHMS,
  BEARER_HEADER,
  CLOCK_TOLERANCE_SECONDS,
  type TokenIssuer,
  type TokenOptions,
  type TokenSource,
} from '../authorization/token-verifier.ts'
import { flag, httpUrl, options, text, wholeNumber } from './validate-options.ts'

const claim = () => z.string('the name of a claim').regex(/^[\w.:/-]+$/, 'the name of a claim')
const audClaim = () => z.array(text(), 'a list of texts').max(100, 'at most 100 texts').readonly()
const algorithms = () =>
  z
    .array(z.enum(ALGORITHMS, `one of ${ALGORITHMS.join(', ')}`), 'a list of algorithms')
    .min(1, 'a list of algorithms')
    .readonly()

/** One of several issuers. */
const issuerOptions = options({
  /** Claim `iss` of its tokens, which selects the key set. */
  issuer: text(),
  /** URL of its JSON Web Key Set, http or https. */
  jwksUrl: httpUrl(),
  /** Accepted `aud` claims, of which a token needs one. Default: not checked. */
  aud: audClaim().optional(),
  /** Accepted signature algorithms. Default: every asymmetric one. */
  algorithms: algorithms().optional(),
})

const headerName = () => {
  const expectation = 'the name of a header in lower case'
  return z.string(expectation).regex(/^[a-z\d-]{1,100}$/, expectation)
}

/** Token sources; the first one with a token is used. */
const sourceOptions = z.union(
  [
    options({
      /** Name of a header, in lower case. */
      header: headerName(),
      /** Scheme before the token, such as `Bearer`; null: none. Default: Bearer. */
      scheme: z
        .string()
        .regex(/^[\w-]{1,50}$/)
        .nullable()
        .optional(),
    }),
    options({ /** Name of a cookie. */ cookie: z.string().regex(/^[\w-]{1,100}$/) }),
  ],
  '{ header, scheme? } with a name in lower case, or { cookie }',
)

/** Options of verifying JSON Web Tokens. */
export const jwtOptions = options({
  /** URL of the JSON Web Key Set, http or https. Absent with `issuers`. */
  jwksUrl: httpUrl().optional(),
  /** Required `iss` claim. Default: not checked. */
  issuer: text().optional(),
  /** Accepted `aud` claims, of which a token needs one. Default: not checked. */
  aud: audClaim().optional(),
  /** Accepted signature algorithms. Default: every asymmetric one. */
  algorithms: algorithms().optional(),
  /** Several issuers with separate keys, instead of the four options above. */
  issuers: z
    .array(issuerOptions, 'a list of issuers')
    .min(1, 'a list of issuers')
    .max(50, 'at most 50 issuers')
    .readonly()
    .optional(),
  /** Token sources. Default: `Authorization: Bearer`. */
  sources: z
    .array(sourceOptions, 'a list of sources')
    .min(1, 'a list of sources')
    .max(10, 'at most 10 sources')
    .readonly()
    .optional(),
  /** Whether operations without a valid token are rejected with 401. Default: false. */
  required: flag().optional(),
  /** Tolerated clock difference in seconds. Default: 5. */
  clockToleranceSeconds: wholeNumber(0, 300).optional(),
  /** Claim with scopes, with dots as path. Default: `scope`. */
  scopesClaim: claim().optional(),
  /** Claim with names of met policies. Default: none. */
  policiesClaim: claim().optional(),
}).superRefine((jwt, context) => {
  const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (jwt.issuers === undefined && jwt.jwksUrl === undefined) problem('jwksUrl', 'an http or https URL')
  if (jwt.issuers === undefined) return
  for (const name of ['jwksUrl', 'issuer', 'aud', 'algorithms'] as const) {
    if (jwt[name] !== undefined) problem(name, 'absent where "issuers" is given')
  }
  if (new Set(jwt.issuers.map(({ issuer }) => issuer)).size < jwt.issuers.length) {
    problem('issuers', 'a list of different issuers')
  }
})

export type GatewayJwtOptions = z.input<typeof jwtOptions>

/** Token options with defaults. */
export function tokenOptionsOf(jwt: GatewayJwtOptions): TokenOptions {
  const { issuers, sources, jwksUrl = '', issuer = null, aud = [], algorithms = [] } = jwt
  return {
    issuers: issuers?.map(issuerOf) ?? [{ jwksUrl, issuer, aud, algorithms }],
    sources: sources?.map(sourceOf) ?? [BEARER_HEADER],
    scopesClaim: jwt.scopesClaim ?? 'scope',
    policiesClaim: jwt.policiesClaim ?? null,
    clockToleranceSeconds: jwt.clockToleranceSeconds ?? CLOCK_TOLERANCE_SECONDS,
    isRequired: jwt.required ?? false,
  }
}

const issuerOf = ({ issuer, jwksUrl, aud = [], algorithms = [] }: z.input<typeof issuerOptions>): TokenIssuer => ({
  issuer,
  jwksUrl,
  aud,
  algorithms,
})

const sourceOf = (source: z.input<typeof sourceOptions>): TokenSource =>
  'cookie' in source
    ? { kind: 'cookie', name: source.cookie }
    : { kind: 'header', name: source.header, scheme: source.scheme === undefined ? 'Bearer' : source.scheme }
