import { generateKeyPairSync, timingSafeEqual } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { hashOf } from '../access/access.ts'
import { isScope, SCOPES } from '../access/scopes.ts'
import { OUT_OF_BAND } from '../app/app.ts'
import type { AppRepository } from '../app/repository.ts'
import { adapterOf } from './adapter.ts'
import { BROWSER_COOKIE, browserSecretOf, isOfBrowser } from './browser.ts'
import { authorizationServerMetadata } from './metadata.ts'
import { PAGES } from './pages.ts'
import type { OauthRepository } from './repository.ts'

/** The library, set up. */
export type Protocol = Provider

/**
 * Lifetimes in seconds. An access token's is published, a code's is the most of RFC 6749 §4.1.2;
 * the others are ours.
 */
export const SECONDS = {
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
/** Where the browser comes back to from a page of ours, with the id of its request. */
const GOES_ON = /^\/oauth\/authorize\/([^/]+)$/

const SHORT_COOKIE = { httpOnly: true, sameSite: 'lax', signed: false } as const

/**
 * No answer of the protocol is a page of ours. Should the library ever make one, nothing runs in
 * it, and it is in no frame.
 */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What access tokens begin with: no other credential that Atrium gives out looks so. */
const ACCESS_TOKEN_PREFIX = 'sat_'

/**
 * OAuth 2.0 (RFC 6749, 7636, 7009, 9207) by `oidc-provider`, without its OpenID Connect: nothing is
 * signed, and no scope leads there. Rejects when the library does not accept its settings.
 */
export async function startProtocol({
  oauth,
  apps,
  publicUrl,
  log,
  now,
}: {
  readonly oauth: OauthRepository
  readonly apps: AppRepository
  readonly publicUrl: string
  readonly log: Logger
  readonly now: () => Date
}): Promise<Protocol> {
  const { Provider: Library, errors, interactionPolicy } = await import('oidc-provider')
  const before = new URL(publicUrl).pathname.replace(/\/$/, '')
  const isUsed = () => new errors.InvalidGrant('it was used before')

  /**
   * Answers travel in the query. `form_post` is the library's own page, with a script inside and no
   * policy, which errors would be shown on as well.
   */
  class QueryOnly extends Library {
    override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
      if (name === 'query') super.registerResponseMode(name, handler)
    }
  }
  const provider = new QueryOnly(publicUrl, {
    adapter: adapterOf({ oauth, apps, isUsed, now }),
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
    // Each consent is a family of tokens of its own, asked for anew.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId ? oidc.provider.Grant.find(grantId) : undefined
    },
    findAccount: async (_, id) =>
      (await oauth.storeExists(Number(id))) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    interactions: {
      policy: interactionPolicy.base(),
      url(ctx, interaction) {
        const page = `${before}${PAGES.request}/${interaction.uid}`
        for (const path of [page, `${before}${AUTHORIZATION}/${interaction.uid}`]) {
          ctx.cookies.set(BROWSER_COOKIE, browserSecretOf(interaction), { ...SHORT_COOKIE, path, maxAge: SECONDS.request * 1000 })
        }
        return page
      },
    },
    extraParams: {
      // Called for every request, whatever it has: the place where scopes are looked at.
      atrium_scopes: ({ oidc }, _, client) => {
        const params = oidc.params as { scope?: string | undefined }
        const unknown = params.scope?.split(' ').find((word) => !isScope(word))
        if (unknown !== undefined) throw new errors.InvalidScope('there is no such scope', unknown)
        // RFC 6749 §3.3 lets the server say what a request without a scope asks for.
        params.scope ??= client.scope
      },
    },
    // A program in a browser may fetch tokens from where it may be sent to.
    clientBasedCORS: (_, origin, client) => (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    cookies: {
      names: { session: '_atrium_session', interaction: '_atrium_request', resume: '_atrium_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: false, path: `${before}/oauth/authorize` },
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
    // The library wants a key. Nothing is signed with it, and nobody is told of it.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    renderError: (ctx, { error, error_description }) => sayProblem(ctx, error, error_description),
  })

  provider.proxy = true
  provider.Client.prototype.compareClientSecret = function (secret) {
    return timingSafeEqual(hashOf(secret), Buffer.from(this.clientSecret ?? '', 'base64url'))
  }
  // Letter by letter (RFC 9700 §2.1): the library would let native apps choose a port.
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(uri) === true
  }
  // Not in its types.
  const accessTokens = provider.AccessToken.prototype as { generateTokenId?: () => string }
  const { generateTokenId } = accessTokens
  accessTokens.generateTokenId = function () {
    return `${ACCESS_TOKEN_PREFIX}${generateTokenId?.call(this)}`
  }

  provider.use(async (ctx, next) => {
    const startedAt = Math.floor(Date.now() / 1000)
    ctx.set('content-security-policy', POLICY)
    // Where a request goes on, it is still the browser's that began it; one that has ended is the
    // library's to tell.
    const id = GOES_ON.exec(ctx.path)?.[1]
    const interaction = id === undefined ? undefined : await provider.Interaction.find(id)
    if (interaction && !isOfBrowser(interaction, ctx.cookies.get(BROWSER_COOKIE, { signed: false }))) {
      ctx.status = 400
      sayProblem(ctx, 'invalid_request', 'the request was begun in another browser')
      return
    }
    await next()
    // Absent at times, whatever its type says.
    const location: string | undefined = ctx.response.get('location')
    if (location?.startsWith(`${OUT_OF_BAND}?`))
      ctx.set('location', `${before}${PAGES.code}${location.slice(OUT_OF_BAND.length)}`)
    ctx.set('referrer-policy', 'no-referrer')
    // Absent where no route was met.
    const route = (ctx.oidc as typeof ctx.oidc | undefined)?.route
    if (route === 'discovery') ctx.body = authorizationServerMetadata(ctx.body as object, publicUrl)
    // As it is published.
    if (route === 'token' && ctx.status === 200)
      ctx.body = { ...(ctx.body as object), token_type: 'bearer', created_at: startedAt }
  })

  function sayProblem(
    ctx: Pick<KoaContextWithOIDC, 'accepts' | 'redirect' | 'status' | 'body'>,
    error: string,
    error_description: string | undefined,
  ): void {
    if (ctx.accepts('json', 'html') === 'html') {
      ctx.status = 303
      ctx.redirect(`${before}${PAGES.problem}?error=${encodeURIComponent(error)}`)
    } else ctx.body = { error, error_description }
  }

  provider.on('server_error', (_, err) => log.error({ err }, 'the OAuth protocol failed'))
  // What Koa, which the library is, would print.
  const koa: EventEmitter = provider
  koa.on('error', (err) => log.error({ err }, 'the OAuth protocol failed'))
  return provider
}
