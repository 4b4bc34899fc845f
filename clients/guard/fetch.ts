import type { Outcome } from '../trust/decision.ts'
import { type GuardOptions, trustGuard } from './guard.ts'

/** Produces the response of a request that is not sent. */
export type FetchHandler = (request: Request, outcome: Outcome) => Response | Promise<Response>

export type FetchGuardOptions = GuardOptions<FetchHandler> & {
  /** Sends allowed requests. Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** Error of a request that was blocked before it was sent. */
export class TargetBlocked extends Error {
  override readonly name = 'TargetBlocked'
  readonly url: string
  readonly outcome: Outcome

  constructor(url: string, outcome: Outcome) {
    const why =
      outcome.kind === 'decided' ? `${outcome.decision.action} (${outcome.decision.reasonCodes.join(', ')})` : outcome.message
    super(`No request to ${new URL(url).host}: ${why}`)
    this.url = url
    this.outcome = outcome
  }
}

/** Same limit as browsers. */
const MAX_REDIRECTS = 20

/** Headers removed on a redirect to another origin. */
const ORIGIN_HEADERS = ['authorization', 'cookie', 'proxy-authorization', 'host']

/**
 * A `fetch` that checks each request, redirects included. Rejects with `TargetBlocked`, or as
 * `fetch` does. Does not check IP addresses: an allowed name may resolve to a private network.
 * Throws a TypeError for invalid options.
 */
export function guardedFetch({ fetch: send = fetch, ...options }: FetchGuardOptions): typeof fetch {
  const guard = trustGuard<FetchHandler>(options)

  return async (input, init) => {
    let request = new Request(input, init)
    const mode = request.redirect
    for (let redirects = 0; ; redirects += 1) {
      const { protocol } = new URL(request.url)
      if (protocol === 'http:' || protocol === 'https:') {
        const { outcome, passage } = await guard(request.url, request.signal)
        if (passage === 'block') throw new TargetBlocked(request.url, outcome)
        if (passage !== 'pass') return passage(request, outcome)
      }
      // A body can be read only once, so a copy is made for a redirect that repeats it.
      const spare = mode === 'follow' && request.body ? request.clone() : request
      const response = await send(new Request(request, { redirect: 'manual' }))
      const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
      if (location === null || mode === 'manual') return response
      await response.body?.cancel()
      if (mode === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
      if (redirects === MAX_REDIRECTS) throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') })
      request = redirected(spare, response.status, new URL(location, request.url))
    }
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The next request, as the Fetch standard derives it (HTTP-redirect fetch). */
function redirected(request: Request, status: number, to: URL): Request {
  if (to.protocol !== 'http:' && to.protocol !== 'https:')
    throw new TypeError('fetch failed', { cause: new Error('URL scheme must be a HTTP(S) scheme') })
  const headers = new Headers(request.headers)
  if (to.origin !== new URL(request.url).origin) for (const name of ORIGIN_HEADERS) headers.delete(name)
  const isDropped =
    ((status === 301 || status === 302) && request.method === 'POST') ||
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD')
  if (!isDropped) return new Request(to, new Request(request, { headers }))
  for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'])
    headers.delete(name)
  return new Request(to, { method: 'GET', headers, signal: request.signal })
}
