import { ConnectionPool } from '../../platform/outbound/undici.ts'
import { postRequest } from '../subgraph-client/http-exchange.ts'
import type { UsageSink } from './usage-batch.ts'

/** Timeout of a POST. */
const POST_TIMEOUT_MS = 10_000
/** Upper bound of a response, whose body is ignored. */
const MAX_RESPONSE_BYTES = 100_000

/**
 * Posts each batch as JSON to `url`. Rejects for a status other than 2xx, so that the batch is sent
 * again.
 */
export function createHttpSink(url: string, headers: Readonly<Record<string, string>> = {}): UsageSink {
  const { origin, pathname, search } = new URL(url)
  const pool = new ConnectionPool(origin, {
    connections: 1,
    connectTimeout: POST_TIMEOUT_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })
  return {
    async record(batch) {
      const received = await postRequest(pool, {
        path: `${pathname}${search}`,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(batch),
        signal: AbortSignal.timeout(POST_TIMEOUT_MS),
      })
      if ('cause' in received) throw new Error('The receiver of usage reports cannot be reached.', { cause: received.cause })
      const { statusCode } = received
      if (statusCode < 200 || statusCode > 299) {
        throw new Error(`Expected status 2xx from the receiver of usage reports, got ${statusCode}.`)
      }
    },
    close: () => pool.destroy(),
  }
}
