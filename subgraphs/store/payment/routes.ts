import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestOrigin, SubgraphRoutes } from '../../../platform/http/subgraph-routes.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { RateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'
import type { Notification } from './gateway.ts'
import type { GatewayAccess } from './repository.ts'
import { type PaymentDeps, refreshPayment } from './run.ts'

/** From one address: a gateway notifies for many shops. */
const NOTIFICATIONS_PER_MINUTE = 1_200
const MAX_BODY_BYTES = 65_536

export const PAYMENT_ROUTES: SubgraphRoutes['routes'] = [{ method: 'POST', path: '/payments/:store/:method' }]

/**
 * URL for notifications of gateways. A notification is a hint: the state is queried at the gateway,
 * so that late, duplicate, lost and forged ones change nothing.
 */
export function paymentEndpoint(deps: PaymentDeps, rateLimits: RateLimitStore): SubgraphRoutes {
  const take = rateLimits.buckets('payment notifications', NOTIFICATIONS_PER_MINUTE)
  return {
    routes: PAYMENT_ROUTES,
    async handle(request: IncomingMessage, response: ServerResponse, { address }: RequestOrigin) {
      const { isGranted, waitSeconds } = await take(networkOf(address), 1)
      if (!isGranted) {
        response.setHeader('retry-after', String(waitSeconds))
        return send(response, 429, `Too many requests from this address: try again in ${waitSeconds} seconds.`)
      }
      const [, storeId = '', methodId = ''] = /^\/payments\/(\d{1,9})\/(\d{1,9})(?:\?|$)/.exec(request.url ?? '') ?? []
      const body = await textOf(request)
      if (body === null) return send(response, 413, `Expected a body of at most ${MAX_BODY_BYTES} bytes.`)
      const [store, method] = [Number(storeId), Number(methodId)]
      const gateway = storeId === '' ? null : await deps.payments.access(store, method, deps.secrets)
      if (!gateway) return send(response, 401, 'Expected a payment method of this store that has a gateway.')
      const notification = await notificationOf(deps, gateway, request, body)
      if (notification === null) return send(response, 503, 'The payment gateway does not answer: notify again later.')
      if (notification.kind === 'unsigned') return send(response, 401, notification.message)
      if (notification.kind === 'unreadable') return send(response, 400, notification.message)
      const payment =
        notification.kind === 'payment' ? await deps.payments.byReference(store, method, notification.reference) : null
      // One that is not known yet is being created: its answer comes by itself.
      if (payment) await refreshPayment(deps, store, payment.id)
      return send(response, 200, 'Thank you.')
    },
  }
}

/** Null: the gateway had to be asked whose notification it is, and did not answer. */
async function notificationOf(
  { gateways, log }: PaymentDeps,
  gateway: GatewayAccess,
  { headers }: IncomingMessage,
  body: string,
): Promise<Notification | null> {
  try {
    return await gateways.of(gateway).notified(gateway, headers, body)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    log.warn({ reason: error.message }, 'a payment gateway did not answer')
    return null
  }
}

/** Null: it is too long. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    // A request without encoding yields buffers.
    bytes += (chunk as Buffer).length
    if (bytes > MAX_BODY_BYTES) return null
    // A request without encoding yields buffers.
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, status: number, message: string): void {
  response.setHeader('cache-control', 'no-store')
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify({ message }))
}
