import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestOrigin, SubgraphRoutes } from '../../../platform/http/subgraph-routes.ts'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { RateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'
import { withConsentChange } from './consent-change.ts'
import { UnreadableForm, withPlainForm } from './form.ts'
import { protectedResourceMetadata } from './metadata.ts'
import type { Protocol } from './protocol.ts'
import type { OauthRepository } from './repository.ts'
import { tokenInfo } from './token-info.ts'

/** From one address: a sign-in is five requests, and many shops can sit behind one address. */
const REQUESTS_PER_MINUTE = 240
const METADATA_SECONDS = 3_600

/** Resources protected by these tokens, besides `/graphql`. */
const RESOURCES = ['/v1', '/mcp/store']
const OF_RESOURCE = '/.well-known/oauth-protected-resource'

/** The addresses of the door. */
export const OAUTH_ROUTES: SubgraphRoutes['routes'] = [
  { method: 'GET', path: '/oauth/authorize' },
  { method: 'GET', path: '/oauth/authorize/:request', hasSecretPath: true },
  { method: 'POST', path: '/oauth/token' },
  { method: 'OPTIONS', path: '/oauth/token' },
  { method: 'GET', path: '/oauth/token/info' },
  { method: 'POST', path: '/oauth/revoke' },
  { method: 'OPTIONS', path: '/oauth/revoke' },
  { method: 'GET', path: '/.well-known/oauth-authorization-server' },
  ...RESOURCES.map((path) => ({ method: 'GET', path: `${OF_RESOURCE}${path}` }) as const),
]

/** Routes of OAuth. The library is loaded at the first request. */
export function oauthEndpoint({
  protocol,
  oauth,
  publicUrl,
  rateLimits,
  now,
}: {
  readonly protocol: () => Promise<Protocol>
  readonly oauth: OauthRepository
  readonly publicUrl: string
  readonly rateLimits: RateLimitStore
  readonly now: () => Date
}): SubgraphRoutes {
  let handler: Promise<ReturnType<Protocol['callback']>> | null = null
  const { protocol: scheme, host, pathname } = new URL(publicUrl)
  const before = pathname.replace(/\/$/, '')
  const take = rateLimits.buckets('sign-ins of apps', REQUESTS_PER_MINUTE)
  const ofResources = new Map(RESOURCES.map((path) => [`${OF_RESOURCE}${path}`, protectedResourceMetadata(path, publicUrl)]))

  return {
    routes: OAUTH_ROUTES,
    handle: answer,
  }

  async function answer(request: IncomingMessage, response: ServerResponse, from: RequestOrigin): Promise<void> {
    const url = request.url ?? ''
    const [path, query] = partsOf(url)
    const ofResource = ofResources.get(path)
    if (ofResource) {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('cache-control', `public, max-age=${METADATA_SECONDS}`)
      return send(response, 200, ofResource)
    }
    const { isGranted, waitSeconds } = await take(networkOf(from.address), 1)
    if (!isGranted) {
      response.setHeader('retry-after', String(waitSeconds))
      const error_description = `Too many requests from this address: try again in ${waitSeconds} seconds.`
      return send(response, 429, { error: 'temporarily_unavailable', error_description })
    }
    if (path === '/oauth/token/info') {
      const { authorization } = request.headers
      const { status, body } = await tokenInfo({ authorization, query: new URLSearchParams(query), at: now() }, oauth)
      if (status === 401) response.setHeader('www-authenticate', 'Bearer error="invalid_token"')
      return send(response, status, body)
    }

    handler ??= protocol().then((provider) => provider.callback())
    const [handle, plain] = await Promise.all([handler, withPlainForm(request).catch((error: unknown) => error)])
    if (plain instanceof UnreadableForm)
      return send(response, 400, { error: 'invalid_request', error_description: plain.message })
    if (plain instanceof Error) throw plain
    // An object that inherits from the request.
    const message = plain as IncomingMessage
    // Clients get URLs of the configured host, not of the one in the request.
    const headers = { ...message.headers, 'x-forwarded-proto': scheme.slice(0, -1), 'x-forwarded-host': host }
    Object.assign(message, { headers, url, originalUrl: `${before}${url}` })
    await withConsentChange({ operation: path, requestId: from.requestId, actor: null }, () => handle(message, response))
  }
}

function partsOf(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}

function send(response: ServerResponse, status: number, body: object): void {
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store')
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}
