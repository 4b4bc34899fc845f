import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'

/** What is asked of a subgraph over HTTP. */
export type HttpRequest = {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
}

/** A whole response, as it came. */
export type HttpResponse = { readonly statusCode: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }

/** Why there is none. */
export type Broken = {
  readonly cause: unknown
  /** Whether one had begun to come. */
  readonly hasBegun: boolean
}

/**
 * Posts a request and waits for all that comes back. Never rejects; when the signal says so, it ends at once, also while it waits for a connection: undici's
 * `request` hears of that only when it has one, which may be long after its time.
 */
export const exchange = (pool: Pool, { signal, ...request }: HttpRequest): Promise<HttpResponse | Broken> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null
    let head: Omit<HttpResponse, 'bytes'> | null = null
    const chunks: Buffer[] = []
    const end = (outcome: HttpResponse | Broken) => {
      signal.removeEventListener('abort', abort)
      resolve(outcome)
    }
    const abort = () => {
      controller?.abort(signal.reason)
      end({ cause: signal.reason, hasBegun: head !== null })
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given
        // It may have waited for a connection until nobody waited for it any more.
        if (signal.aborted) given.abort(signal.reason)
      },
      onResponseStart(_, statusCode, headers) {
        // 1xx only say that more is to come.
        if (statusCode >= 200) head = { statusCode, headers }
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd() {
        const [first] = chunks
        const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks)
        end(head ? { ...head, bytes } : { cause: new Error('Expected a response with a status.'), hasBegun: false })
      },
      onResponseError: (_, cause) => end({ cause, hasBegun: head !== null }),
    }
    try {
      pool.dispatch({ ...request, method: 'POST' }, handler)
    } catch (cause) {
      end({ cause, hasBegun: false })
    }
  })
