import type { Stripe } from 'stripe'
import { Fault } from '../../../../platform/outbound/fault.ts'
import { type HttpClient, type OutboundResponse, readJson } from '../../../../platform/outbound/http-client.ts'

/** A list of a hundred refunds has about 100 kB. */
const MAX_BYTES = 1_048_576
/** Headers that Stripe needs: the others tell it about this machine. */
const SENT: ReadonlySet<string> = new Set(['authorization', 'content-type', 'idempotency-key', 'stripe-version'])

/**
 * The HTTP client of the library: all of its requests go through the guarded connection. `signal`
 * ends them.
 */
export const stripeHttp = (http: HttpClient, signal: AbortSignal): Stripe.HttpClient => ({
  getClientName: () => 'atrium',
  async makeRequest(host, port, path, method, headers, body, protocol) {
    const url = `${protocol}://${host}:${port}${path}`
    const sent = Object.entries(headers).flatMap(([name, value]) => {
      const lower = name.toLowerCase()
      return SENT.has(lower) && value !== undefined ? [[lower, String(value)]] : []
    })
    const options = { signal, accept: 'application/json', maxBytes: MAX_BYTES, headers: Object.fromEntries(sent) }
    return responseOf(await (method === 'GET' ? http.get(url, options) : http.post(url, body, options)))
  },
})

/** The library reads members of a body without a look at what it is. */
async function readObject(response: OutboundResponse): Promise<object> {
  const body = await readJson(response)
  if (typeof body !== 'object' || body === null) throw new Fault('malformed', 'Expected an object')
  return body
}

const responseOf = (response: OutboundResponse) => ({
  getStatusCode: () => response.status,
  getHeaders: () => response.headers,
  getRawResponse: () => ({}),
  toStream: () => response.body,
  toJSON: () => readObject(response),
  dispose: () => {
    response.body.destroy()
  },
})
