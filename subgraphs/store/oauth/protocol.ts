import { timingSafeEqual } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Provider } from 'oidc-provider'
import type { Logger } from 'pino'
import { hashOf } from '../access/access.ts'
import { OUT_OF_BAND } from '../app/app.ts'
import type { AppRepository } from '../app/repository.ts'
import { adapterOf } from './adapter.ts'
import { BROWSER_COOKIE, isOfBrowser } from './browser.ts'
import { authorizationServerMetadata } from './metadata.ts'
import { PAGES } from './pages.ts'
import { type ShowProblem, showProblemAt } from './problem.ts'
import type { OauthRepository } from './repository.ts'
import { protocolSettings } from './settings.ts'

/** The library, set up. */
export type Protocol = Provider

/** Where the browser comes back to from a page of ours, with the id of its request. */
const GOES_ON = /^\/oauth\/authorize\/([^/]+)$/

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
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
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
  const showProblem = showProblemAt(base)
  const provider = new QueryOnly(
    publicUrl,
    protocolSettings({
      adapter: adapterOf({ oauth, apps, isUsed, now }),
      base,
      oauth,
      showProblem,
      library: { errors, interactionPolicy },
    }),
  )
  provider.proxy = true
  tightenClients(provider)
  prefixAccessTokens(provider)
  provider.use(bindToBrowser(provider, { base, publicUrl, showProblem }))
  provider.on('server_error', (_, err) => log.error({ err }, 'the OAuth protocol failed'))
  // What Koa, which the library is, would print.
  const koa: EventEmitter = provider
  koa.on('error', (err) => log.error({ err }, 'the OAuth protocol failed'))
  return provider
}

/** Compares secrets and addresses of apps as they are stored. */
function tightenClients(provider: Protocol): void {
  provider.Client.prototype.compareClientSecret = function (secret) {
    return timingSafeEqual(hashOf(secret), Buffer.from(this.clientSecret ?? '', 'base64url'))
  }
  // Letter by letter (RFC 9700 §2.1): the library would let native apps choose a port.
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(uri) === true
  }
}

function prefixAccessTokens(provider: Protocol): void {
  // Not in its types.
  const accessTokens = provider.AccessToken.prototype as { generateTokenId?: () => string }
  const { generateTokenId } = accessTokens
  accessTokens.generateTokenId = function () {
    return `${ACCESS_TOKEN_PREFIX}${generateTokenId?.call(this)}`
  }
}

/**
 * Middleware: a request goes on in the browser that began it only, and answers of the library are
 * as they are published.
 */
function bindToBrowser(
  provider: Protocol,
  { base, publicUrl, showProblem }: { readonly base: string; readonly publicUrl: string; readonly showProblem: ShowProblem },
): Parameters<Protocol['use']>[0] {
  return async (ctx, next) => {
    const startedAt = Math.floor(Date.now() / 1000)
    ctx.set('content-security-policy', POLICY)
    // A resumed request must come from the browser that started it; the library reports expired
    // ones.
    const id = GOES_ON.exec(ctx.path)?.[1]
    const interaction = id === undefined ? undefined : await provider.Interaction.find(id)
    if (interaction && !isOfBrowser(interaction, ctx.cookies.get(BROWSER_COOKIE, { signed: false }))) {
      ctx.status = 400
      showProblem(ctx, 'invalid_request', 'the request was begun in another browser')
      return
    }
    await next()
    // May be undefined, unlike its type.
    const location: string | undefined = ctx.response.get('location')
    if (location?.startsWith(`${OUT_OF_BAND}?`)) ctx.set('location', `${base}${PAGES.code}${location.slice(OUT_OF_BAND.length)}`)
    ctx.set('referrer-policy', 'no-referrer')
    // Absent where no route was met.
    const route = (ctx.oidc as typeof ctx.oidc | undefined)?.route
    if (route === 'discovery') ctx.body = authorizationServerMetadata(ctx.body as object, publicUrl)
    // As it is published.
    if (route === 'token' && ctx.status === 200)
      // The library answers this route with a JSON object.
      ctx.body = { ...(ctx.body as object), token_type: 'bearer', created_at: startedAt }
  }
}
