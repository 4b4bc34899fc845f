import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { deadline } from '../../../platform/outbound/deadline.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import { httpClient, readJson } from '../../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../platform/outbound/slots.ts'
import { upperCase } from '../../../platform/text/case.ts'
import { withoutTrailingSlashes } from '../../../platform/text/without-trailing-slashes.ts'
import { urlProblem } from '../input.ts'
import { type PaymentGateway, type PaymentNetwork, PaymentRefused } from './gateway.ts'
import { type GatewayPayment, isBalanced } from './payment.ts'
import type { GatewayAccess } from './repository.ts'

/** A shopper waits for it. Milliseconds. */
export const TIMEOUT_MS = 8_000
const MAX_BYTES = 65_536
/** Requests at once, of one gateway and of all. */
export const MAX_CONCURRENT = { perKey: 20, total: 200 }
/** How old a signed notification may be, and how far clocks may differ. Seconds. */
const SIGNATURE_TOLERANCE_SECONDS = 300

const money = z.string().regex(/^\d{1,10}(\.\d{1,4})?$/)
const PAYMENT = z
  .object({
    id: z.string().regex(/^[\w.:-]{1,200}$/),
    status: z.enum(['pending', 'requires_action', 'authorized', 'failed']),
    redirect_url: z
      .string()
      .refine((url) => urlProblem('redirect_url', url) === null)
      .nullish(),
    authorized: money,
    captured: money,
    voided: money,
    refunded: money,
    refunds_failed: money.default('0'),
  })
  .transform(({ refunds_failed: refundsFailed, ...payment }) => ({ ...payment, refundsFailed }))
  .refine(isBalanced, 'amounts that balance')

/** The HTTP protocol of gateways: docs/store.md, "Payment gateways". */
export function externalGateway(now: () => Date, options: PaymentNetwork): PaymentGateway {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium', isPlainAllowed: true })
  const places = slots(MAX_CONCURRENT)

  async function request(gateway: GatewayAccess, path: string, body: object | null, key: string | null): Promise<GatewayPayment> {
    const text = body === null ? '' : JSON.stringify(body)
    const url = `${withoutTrailingSlashes(gateway.url)}${path}`
    const headers = {
      'atrium-merchant': gateway.key,
      'atrium-signature': signatureOf(gateway.secret, now(), `${path}.${text}`),
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(key !== null && { 'idempotency-key': key }),
    }
    const { signal, clear } = deadline(TIMEOUT_MS, new AbortController().signal)
    const sent = { signal, accept: 'application/json', maxBytes: MAX_BYTES, headers }
    try {
      return await places.run(gateway.url, signal, async () => {
        const response = await (body === null ? http.get(url, sent) : http.post(url, text, sent))
        if (response.status === 402 || response.status === 422) {
          response.body.destroy()
          throw new PaymentRefused(`The gateway refused with status ${response.status}.`)
        }
        if (response.status !== 200) {
          response.body.destroy()
          throw new Fault('unavailable', `status ${response.status}`)
        }
        const read = PAYMENT.safeParse(await readJson(response))
        if (!read.success) throw new Fault('malformed', z.prettifyError(read.error))
        const { id, status, redirect_url: redirectUrl = null, ...amounts } = read.data
        return { ...amounts, reference: id, status: upperCase(status), redirectUrl }
      })
    } finally {
      clear()
    }
  }
  const ofPayment = (reference: string, what: string) => `/payments/${encodeURIComponent(reference)}${what}`

  return {
    authorize: (gateway, key, { amount, currency, order, returnUrl, notificationUrl }) =>
      request(gateway, '/payments', { amount, currency, order, return_url: returnUrl, notification_url: notificationUrl }, key),
    capture: (gateway, key, reference, amount) => request(gateway, ofPayment(reference, '/captures'), { amount }, key),
    voidOpen: (gateway, key, reference, amount) => request(gateway, ofPayment(reference, '/voids'), { amount }, key),
    refund: (gateway, key, reference, amount) => request(gateway, ofPayment(reference, '/refunds'), { amount }, key),
    find: (gateway, reference) => request(gateway, ofPayment(reference, ''), null, null),
    async notified(gateway, headers, body) {
      if (!isSigned(gateway.secret, now(), headers['payment-signature'], body))
        return { kind: 'unsigned', message: 'Expected a payment-signature of this body by a payment method of this store.' }
      const reference = referenceIn(body)
      return reference === null
        ? { kind: 'unreadable', message: 'Expected {"payment": "…"} with the id of a payment.' }
        : { kind: 'payment', reference }
    },
    close: http.close,
  }
}

function referenceIn(body: string): string | null {
  try {
    // Unverified JSON; the field is checked below.
    const { payment } = JSON.parse(body) as { readonly payment?: unknown }
    return typeof payment === 'string' && /^[\w.:-]{1,200}$/.test(payment) ? payment : null
  } catch {
    return null
  }
}

/** `t=<Unix seconds>,v1=<HMAC-SHA256 of t, a point and the text, in hexadecimal>`. */
function signatureOf(secret: string, at: Date, text: string): string {
  const time = Math.floor(at.getTime() / 1000)
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${text}`).digest('hex')}`
}

/** Whether a header is such a signature of a text, made within five minutes of now. */
function isSigned(secret: string, now: Date, header: unknown, text: string): boolean {
  const [, time = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(typeof header === 'string' ? header : '') ?? []
  if (given === '' || Math.abs(now.getTime() / 1000 - Number(time)) > SIGNATURE_TOLERANCE_SECONDS) return false
  const right = createHmac('sha256', secret).update(`${time}.${text}`).digest()
  return timingSafeEqual(right, Buffer.from(given, 'hex'))
}
