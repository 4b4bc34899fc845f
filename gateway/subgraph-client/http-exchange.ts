import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RequestDispatcher } from './limited-dispatcher.ts'
import { type ResponseBody, receiveBody } from './response-body.ts'

/** One HTTP request to a remote subgraph. */
export type HttpRequest = {
  readonly path: string
  readonly headers: Record<string, string>
  /** A stream ends the request when it is destroyed with an error. */
  readonly body: string | Readable
  readonly signal: AbortSignal
  /** Deadline on the clock of `performance.now()`, with the error for exceeding it. */
  readonly deadline?: { readonly at: number; readonly timeoutError: () => Error }
}

/** A complete response, not yet decompressed. */
export type HttpResponse = { readonly statusCode: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }

/** Failure of an exchange without a complete response. */
export type ExchangeFailure = {
  readonly cause: unknown
  /** Whether status and headers of the response were received. */
  readonly responseHasBegun: boolean
}

/**
 * Sends a POST and collects the response. Never rejects. Ends at once on abort or timeout, even
 * while waiting for a connection; undici's `request` checks its signal only after it has one.
 */
export const postRequest = (
  pool: RequestDispatcher,
  { path, headers, body, signal, deadline }: HttpRequest,
): Promise<HttpResponse | ExchangeFailure> =>
  new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null
    let head: Omit<HttpResponse, 'bytes'> | null = null
    let received: ResponseBody | null = null
    let aborted: { readonly cause: Error } | null = null
    const end = (result: HttpResponse | ExchangeFailure) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(result)
    }
    const cancel = (cause: Error) => {
      aborted = { cause }
      controller?.abort(cause)
      end({ cause, responseHasBegun: head !== null })
    }
    const abort = () => cancel(signal.reason)
    const timer = deadline && setTimeout(() => cancel(deadline.timeoutError()), deadline.at - performance.now())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        // Aborted while the request waited for a connection.
        if (aborted) started.abort(aborted.cause)
      },
      onResponseStart(_, statusCode, headers) {
        // 1xx responses are informational; the final one follows.
        if (statusCode < 200) return
        head = { statusCode, headers }
        received = receiveBody(headers)
      },
      onResponseData: (_, chunk) => received?.add(chunk),
      onResponseEnd() {
        end(
          head && received
            ? { ...head, bytes: received.bytes() }
            : { cause: new Error('Expected a response with a status.'), responseHasBegun: false },
        )
      },
      onResponseError: (_, cause) => end({ cause, responseHasBegun: head !== null }),
    }
    try {
      // The head of the response comes when a stream has gone through, which has a deadline of its own.
      const timeouts = typeof body === 'string' ? null : { headersTimeout: 0, bodyTimeout: 0 }
      pool.dispatch({ path, headers, body, method: 'POST', ...timeouts }, handler)
    } catch (cause) {
      end({ cause, responseHasBegun: false })
    }
  })
