import type { Readable } from 'node:stream'
import { deadline } from '../../platform/outbound/deadline.ts'
import { dnsClient } from '../../platform/outbound/dns-client.ts'
import { systemServers } from '../../platform/outbound/dns-servers.ts'
import { type FaultReason, faultOf } from '../../platform/outbound/fault.ts'
import { httpClient } from '../../platform/outbound/http-client.ts'
import { type NetworkOptions, safeNetwork } from '../../platform/outbound/safe-connect.ts'
import { NETWORK_SETTING, type WebhookRefusal } from './webhook-url.ts'

/** Result of one attempt. */
export type WebhookResponse = {
  readonly milliseconds: number
  /** Null: the receiver answered nothing. */
  readonly status: number | null
  /** Null: it succeeded. */
  readonly error: string | null
  /** The beginning of the answer; null: there was none. */
  readonly response: string | null
}

/** Brings bodies to receivers. */
export type WebhookSender = {
  /** One attempt. Rejects only when the signal aborts it: whether it arrived is then unknown. */
  readonly send: (
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<WebhookResponse>
  /** Why nothing is sent to an address; null: it may be. */
  readonly refusal: WebhookRefusal
  readonly close: () => Promise<void>
}

/** Exceptions from what may be connected to, and for tests other DNS servers. */
export type WebhookNetwork = Partial<NetworkOptions>

/** As published. Milliseconds. */
const TIMEOUT_MS = 15_000
/** Bytes of a response that are read: enough to find a mistake. */
const MAX_BYTES = 4_000
const MAX_CHARACTERS = 1_000

export function webhookSender(options: WebhookNetwork = {}): WebhookSender {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium', isPlainAllowed: true })

  return {
    async send(url, body, headers, ended) {
      const began = performance.now()
      const time = deadline(TIMEOUT_MS, ended)
      const took = () => Math.round(performance.now() - began)
      try {
        const answer = await http.post(url, body, { signal: time.signal, accept: '*/*', maxBytes: 2 * MAX_BYTES, headers })
        const { status } = answer
        const response = await beginningOf(answer.body)
        return { milliseconds: took(), status, error: status >= 200 && status < 300 ? null : refusedWith(status), response }
      } catch (thrown) {
        ended.throwIfAborted()
        const { reason, message } = faultOf(thrown)
        const error = errorOf(reason, message)
        return { milliseconds: took(), status: null, error: error.slice(0, MAX_CHARACTERS), response: null }
      } finally {
        time.clear()
      }
    },
    refusal: network.blockReason,
    close: http.close,
  }
}

function errorOf(reason: FaultReason, message: string): string {
  if (reason === 'timeout') return `no answer within ${TIMEOUT_MS / 1_000} seconds`
  return `${reason}: ${message}${reason === 'blocked' ? `; networks of ${NETWORK_SETTING} are allowed` : ''}`
}

const refusedWith = (status: number): string =>
  status >= 300 && status < 400 ? `status ${status}: redirects are not followed` : `status ${status}`

/**
 * The start of a response, within the time and size limits. The status alone decides the result.
 */
async function beginningOf(body: Readable): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // A stream without encoding yields buffers.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= MAX_BYTES) break
    }
  } catch {
    // Aborted, or too slow: the received bytes are kept.
  }
  const text = Buffer.concat(chunks).toString('utf8').replaceAll('\0', '').toWellFormed().slice(0, MAX_CHARACTERS).toWellFormed()
  return text === '' ? null : text
}
