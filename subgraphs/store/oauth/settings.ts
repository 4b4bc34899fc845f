import { generateKeyPairSync } from 'node:crypto'
import type { AdapterFactory, Configuration, errors as libraryErrors, interactionPolicy as libraryPolicy } from 'oidc-provider'
import { isScope, SCOPES } from '../access/scopes.ts'
import { BROWSER_COOKIE, browserSecretOf } from './browser.ts'
import { PAGES } from './pages.ts'
import type { ShowProblem } from './problem.ts'
import type { OauthRepository } from './repository.ts'

/**
 * Lifetimes in seconds. An access token's is published, a code's is the most of RFC 6749 §4.1.2;
 * the others are ours.
 */
const SECONDS = {
  code: 10 * 60,
  accessToken: 60 * 60,
  /** Without use: each use gives a new one. */
  refreshToken: 90 * 24 * 60 * 60,
  /** How long a shop owner may think. */
  request: 30 * 60,
  /** How long a browser remembers which store signed in. */
  session: 60 * 60,
} as const

const AUTHORIZATION = '/oauth/authorize'

const SHORT_COOKIE = { httpOnly: true, sameSite: 'lax', signed: false } as const

/** What the settings take from the library, which is loaded late. */
type LibraryParts = { readonly errors: typeof libraryErrors; readonly interactionPolicy: typeof libraryPolicy }

/**
 * The settings of the library: OAuth 2.0 without OpenID Connect. `base` is the path of the
 * installation, without a slash at the end.
 */
export function protocolSettings({
  adapter,
  base,
  oauth,
  showProblem,
  library: { errors, interactionPolicy },
}: {
  readonly adapter: AdapterFactory
  readonly base: string
  readonly oauth: OauthRepository
  readonly showProblem: ShowProblem
  readonly library: LibraryParts
}): Configuration {
  return {
    adapter,
    routes: { authorization: AUTHORIZATION, token: '/oauth/token', revocation: '/oauth/revoke' },
    scopes: [...SCOPES],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    ttl: {
      AuthorizationCode: SECONDS.code,
      AccessToken: SECONDS.accessToken,
      RefreshToken: SECONDS.refreshToken,
      // Consents end with the last of their tokens.
      Grant: SECONDS.refreshToken,
      Interaction: SECONDS.request,
      Session: SECONDS.session,
    },
    pkce: { required: (_, client) => client.clientAuthMethod === 'none' },
    allowOmittingSingleRegisteredRedirectUri: false,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    // Each authorization is a new grant with its own tokens.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId ? oidc.provider.Grant.find(grantId) : undefined
    },
    findAccount: async (_, id) =>
      (await oauth.storeExists(Number(id))) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    interactions: {
      policy: interactionPolicy.base(),
      url(ctx, interaction) {
        const page = `${base}${PAGES.request}/${interaction.uid}`
        for (const path of [page, `${base}${AUTHORIZATION}/${interaction.uid}`]) {
          ctx.cookies.set(BROWSER_COOKIE, browserSecretOf(interaction), { ...SHORT_COOKIE, path, maxAge: SECONDS.request * 1000 })
        }
        return page
      },
    },
    extraParams: {
      // Called for every request, with or without scopes: scopes are checked here.
      atrium_scopes: ({ oidc }, _, client) => {
        // The library has parsed them for this route.
        const params = oidc.params as { scope?: string | undefined }
        const unknown = params.scope?.split(' ').find((word) => !isScope(word))
        if (unknown !== undefined) throw new errors.InvalidScope('there is no such scope', unknown)
        // RFC 6749 §3.3: the server may define the default scope.
        params.scope ??= client.scope
      },
    },
    // A program in a browser may fetch tokens from where it may be sent to.
    clientBasedCORS: (_, origin, client) => (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    cookies: {
      names: { session: '_atrium_session', interaction: '_atrium_request', resume: '_atrium_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: false, path: `${base}/oauth/authorize` },
      short: SHORT_COOKIE,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    // The library requires a key. It signs nothing and is not published.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    renderError: (ctx, { error, error_description }) => showProblem(ctx, error, error_description),
  }
}
