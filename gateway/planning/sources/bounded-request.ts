import { MAX_SUPERGRAPH_BYTES, SourceError } from './source.ts'

/** An HTTP request to a supergraph source. */
export type SourceRequest = {
  /** Source in messages, without credentials. */
  readonly description: string
  readonly url: string
  readonly method?: 'GET' | 'POST'
  /** Sent to the URL's own origin only; redirects to others get `publicHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly publicHeaders?: Readonly<Record<string, string>>
  readonly body?: string
  /** Timeout of the whole response. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A complete response; `text` is empty for 304. */
export type SourceResponse = { readonly status: number; readonly headers: Headers; readonly text: string }

const MAX_REDIRECTS = 3
/** Upper bound of `Retry-After`, so that a source cannot stop polling. Seconds. */
const MAX_RETRY_AFTER = 3_600
/** Maximum characters read of an error response. */
const MAX_REFUSAL = 4_000

/**
 * Sends a request; reads at most `MAX_SUPERGRAPH_BYTES`. Rejects with a `SourceError` for a status
 * other than 2xx and 304, and for a response that is too large, incomplete or late.
 */
export async function boundedRequest(request: SourceRequest): Promise<SourceResponse> {
  const { description, timeoutMs, signal } = request
  const timeout = AbortSignal.timeout(timeoutMs)
  const bounded = AbortSignal.any([signal, timeout])
  try {
    const response = await followRedirects(request, bounded)
    if (response.status === 304) {
      await response.body?.cancel()
      return { status: 304, headers: response.headers, text: '' }
    }
    if (!response.ok) throw await refusal(request, response)
    return { status: response.status, headers: response.headers, text: await readText(response, description) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceError) throw error
    if (timeout.aborted) throw new SourceError(`${description}: no whole answer within ${timeoutMs / 1000} seconds.`)
    throw new SourceError(`${description}: ${connectionFault(error)}.`, { cause: error })
  }
}

async function followRedirects(request: SourceRequest, signal: AbortSignal): Promise<Response> {
  const { description, method = 'GET', headers, publicHeaders, body } = request
  const { origin } = new URL(request.url)
  let url = request.url
  for (let redirects = 0; ; redirects++) {
    const isOwn = new URL(url).origin === origin
    const response = await fetch(url, {
      method,
      headers: { ...publicHeaders, ...(isOwn && headers) },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal,
    })
    const location = [301, 302, 303, 307, 308].includes(response.status) ? response.headers.get('location') : null
    if (location === null) return response
    await response.body?.cancel()
    const target = URL.parse(location, url)
    if (redirects === MAX_REDIRECTS) throw new SourceError(`${description}: more than ${MAX_REDIRECTS} redirects.`)
    // Refused: a redirect from https to http would send SDL in clear text, and `fetch` would quote
    // the URL's credentials in its message.
    if (
      target?.username !== '' ||
      target.password !== '' ||
      (target.protocol !== 'https:' && target.protocol !== new URL(url).protocol)
    ) {
      throw new SourceError(
        `${description}: a redirect to a URL that is not http or https, has credentials, or leads from https to http.`,
      )
    }
    if (method === 'POST') throw new SourceError(`${description}: expected no redirect of a POST.`)
    url = target.href
  }
}

async function readText(response: Response, description: string): Promise<string> {
  const tooLarge = () => new SourceError(`${description}: expected at most ${MAX_SUPERGRAPH_BYTES / 1e6} MB.`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Throwing inside `for await` closes the connection.
    if (bytes > MAX_SUPERGRAPH_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new SourceError(`${description}: expected UTF-8.`)
  }
}

/** Error of a source in one line, with its Retry-After. */
async function refusal({ description }: SourceRequest, response: Response): Promise<SourceError> {
  const { status } = response
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > MAX_REFUSAL) break
  }
  // S3-compatible services respond with an error code in XML.
  const code = /<Code>([\w.]{1,60})<\/Code>/.exec(text)?.[1]
  const clock = code === 'RequestTimeTooSkewed' ? '; the clock of this machine is wrong' : ''
  const hint = (status === 401 || status === 403) && clock === '' ? '; are the credentials right?' : ''
  const retryAfterSeconds = retryAfterOf(response.headers.get('retry-after'))
  return new SourceError(`${description}: status ${status}${code ? ` ${code}` : ''}${clock}${hint}.`, { retryAfterSeconds })
}

/** `Retry-After` in seconds, from either of its formats (RFC 9110 §10.2.3); null when absent. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER) : null
}

/** Message of the innermost cause, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function connectionFault(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  const message = inner instanceof Error ? inner.message || inner.name : String(inner)
  return message.replace(/\.$/, '').split('\n', 1)[0] ?? ''
}
