import { boundedRequest } from './bounded-request.ts'
import { SourceError, type SupergraphSource } from './source.ts'

/** Options of a source that responds to GET with SDL, and with 304 when unchanged. */
export type HttpSourceParts = {
  readonly description: string
  readonly url: string
  readonly pollSeconds: number
  readonly timeoutMs: number
  /** Headers with credentials, computed per request, and sent to the URL's own origin only. */
  readonly headers: (conditional: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, string>>>
}

/**
 * Supergraph source at a URL. Sends conditional requests with `ETag` and `Last-Modified` (RFC 9110
 * §13.1), so that an unchanged supergraph is not transferred.
 */
export function httpSource({ description, url, pollSeconds, timeoutMs, headers }: HttpSourceParts): SupergraphSource {
  let known: { readonly sdl: string; readonly conditional: Readonly<Record<string, string>> } | null = null
  return {
    description,
    pollSeconds,
    async fetch(signal) {
      const conditional = known?.conditional ?? {}
      const publicHeaders = { accept: 'text/plain, application/graphql, */*;q=0.5', ...conditional }
      const own = await headers(conditional)
      const response = await boundedRequest({ description, url, headers: own, publicHeaders, timeoutMs, signal })
      if (response.status === 304) {
        if (known) return { sdl: null }
        throw new SourceError(`${description}: status 304 to a request without a condition.`)
      }
      const isSame = response.text === known?.sdl
      known = { sdl: response.text, conditional: conditionalHeaders(response.headers) }
      return { sdl: isSame ? null : response.text }
    },
    forget() {
      known = null
    },
  }
}

function conditionalHeaders(headers: Headers): Readonly<Record<string, string>> {
  const [etag, modified] = [headers.get('etag'), headers.get('last-modified')]
  if (etag !== null) return { 'if-none-match': etag }
  return modified === null ? {} : { 'if-modified-since': modified }
}
