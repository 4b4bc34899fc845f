import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'

/** What is asked of a subgraph over HTTP. */
export type HttpRequest = {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
  /** When it is too late for a response, by `performance.now()`, and what to say then. */
  readonly deadline?: { readonly at: number; readonly late: () => Error }
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
 * Posts a request and waits for all that comes back. Never rejects; when the signal says so or its time is up, it ends at once, also while it waits for a connection:
 * undici's `request` hears of a signal only when it has a connection, which may be long after.
 */
export const exchange = (pool: Pool, { path, headers, body, signal, deadline }: HttpRequest): Promise<HttpResponse | Broken> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null
    let head: Omit<HttpResponse, 'bytes'> | null = null
    const chunks: Buffer[] = []
    let broken: { readonly cause: Error } | null = null
    const end = (outcome: HttpResponse | Broken) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(outcome)
    }
    const breakOff = (cause: Error) => {
      broken = { cause }
      controller?.abort(cause)
      end({ cause, hasBegun: head !== null })
    }
    const abort = () => breakOff(signal.reason)
    const timer = deadline && setTimeout(() => breakOff(deadline.late()), deadline.at - performance.now())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(given) {
        controller = given
        // It may have waited for a connection until nobody waited for it any more.
        if (broken) given.abort(broken.cause)
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
      pool.dispatch({ path, headers, body, method: 'POST' }, handler)
    } catch (cause) {
      end({ cause, hasBegun: false })
    }
  })
