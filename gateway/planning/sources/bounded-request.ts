import { MAX_SUPERGRAPH_BYTES, SourceError } from './source.ts'

/** One request to a source. */
export type SourceRequest = {
  /** For messages, without credentials. */
  readonly description: string
  readonly url: string
  readonly method?: 'GET' | 'POST'
  /** Sent to the URL's own origin only: a redirect to another one gets `publicHeaders`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly publicHeaders?: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** An answer with its whole text; null for 304 and other answers without a body. */
export type SourceResponse = { readonly status: number; readonly headers: Headers; readonly text: string }

const MAX_REDIRECTS = 3
/** `Retry-After` beyond is taken for this long: a source must not stop the polling. Seconds. */
const MAX_RETRY_AFTER = 3_600
/** Characters of a refusal that are read. */
const MAX_REFUSAL = 4_000

/**
 * Sends a request and reads at most `MAX_SUPERGRAPH_BYTES`. Rejects with a `SourceError` for an
 * answer that is neither 2xx nor 304, is too large, breaks off, or takes too long.
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
    // From https, SDL would go on in the clear; fetch quotes credentials of a URL in its message.
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
    // Leaving the loop ends the connection.
    if (bytes > MAX_SUPERGRAPH_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new SourceError(`${description}: expected UTF-8.`)
  }
}

/** What the source said, in one line, and when it may be asked again. */
async function refusal({ description }: SourceRequest, response: Response): Promise<SourceError> {
  const { status } = response
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('latin1')
    if (text.length > MAX_REFUSAL) break
  }
  // S3 and its like answer with a code in XML, which says more than the status.
  const code = /<Code>([\w.]{1,60})<\/Code>/.exec(text)?.[1]
  const clock = code === 'RequestTimeTooSkewed' ? '; the clock of this machine is wrong' : ''
  const hint = (status === 401 || status === 403) && clock === '' ? '; are the credentials right?' : ''
  const retryAfterSeconds = retryAfterOf(response.headers.get('retry-after'))
  return new SourceError(`${description}: status ${status}${code ? ` ${code}` : ''}${clock}${hint}.`, { retryAfterSeconds })
}

/** `Retry-After` in seconds, of either form (RFC 9110 §10.2.3); null where there is none. */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER) : null
}

/** The innermost reason of a failed fetch, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function connectionFault(error: unknown): string {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  const message = inner instanceof Error ? inner.message || inner.name : String(inner)
  return message.replace(/\.$/, '').split('\n', 1)[0] ?? ''
}
