import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { deadline } from '../../../platform/outbound/deadline.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { systemServers } from '../../../platform/outbound/dns-servers.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import { httpClient, type OutboundResponse, readJson } from '../../../platform/outbound/http-client.ts'
import { type NetworkOptions, safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../platform/outbound/slots.ts'
import { isText } from '../../toolkit/validation.ts'
import { type Amount, amountOf } from '../amount.ts'
import type { CalledService } from './repository.ts'

/** A price of an external service. */
export type Rate = {
  readonly id: string | null
  readonly description: string | null
  readonly serviceCode: string
  readonly serviceName: string
  readonly price: Amount
}

/** URL and credentials of a service. */
export type ServiceAccess = {
  readonly url: string
  readonly storeId: number
  readonly storeCode: string
  /** Signs the request. */
  readonly token: string
  /** Whether the token is the service's own, so that it may be sent. */
  readonly isOwnToken: boolean
}

/**
 * Clients of external shipping services. Both throw a `Fault` without a readable answer in time.
 */
export type ShippingServices = {
  readonly rates: (service: ServiceAccess, request: object) => Promise<readonly Rate[]>
  readonly services: (service: ServiceAccess) => Promise<readonly CalledService[]>
  readonly close: () => Promise<void>
}

/**
 * For tests: other DNS servers, and exceptions from what may be connected to. No configuration
 * leads here.
 */
export type ShippingNetwork = Partial<NetworkOptions>

/** A customer waits for it. Milliseconds. */
const TIMEOUT_MS = 5_000
/** A hundred rates are a tenth of it. */
const MAX_BYTES = 262_144
/**
 * Questions at once, of one store and of all: each holds a connection for as long as a service
 * likes.
 */
const AT_ONCE = { perKey: 20, total: 200 }

const text = (max: number) => z.string().trim().min(1).max(max).refine(isText)
const code = z.union([text(200), z.number().int().transform(String)])
const RATES = z.object({
  rates: z
    .array(
      z.object({
        rate_id: code.nullish(),
        rate_description: text(500).nullish().or(z.literal('')),
        service_name: text(200),
        service_code: code,
        total_price: z.union([z.string(), z.number().transform(String)]).pipe(z.string().regex(/^\d{1,10}(\.\d{1,4})?$/)),
      }),
    )
    .max(100),
})
const SERVICES = z.object({ services: z.array(z.object({ service_name: text(200), service_code: code })).max(100) })

export function shippingServices(options: ShippingNetwork = {}): ShippingServices {
  const network = safeNetwork({ resolvers: systemServers(), ...options })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium', isPlainAllowed: true })
  const places = slots(AT_ONCE)

  async function answer<Shape>(
    { storeId }: ServiceAccess,
    shape: z.ZodType<Shape>,
    ask: (options: { signal: AbortSignal; accept: string; maxBytes: number }) => Promise<OutboundResponse>,
  ): Promise<Shape> {
    const { signal, clear } = deadline(TIMEOUT_MS, new AbortController().signal)
    try {
      return await places.run(String(storeId), signal, async () => {
        const response = await ask({ signal, accept: 'application/json', maxBytes: MAX_BYTES })
        if (response.status !== 200) {
          response.body.destroy()
          throw new Fault('unavailable', `status ${response.status}`)
        }
        const read = shape.safeParse(await readJson(response))
        if (!read.success) throw new Fault('malformed', z.prettifyError(read.error))
        return read.data
      })
    } finally {
      clear()
    }
  }

  return {
    async rates(service, request) {
      const body = JSON.stringify({ request })
      const headers = {
        'content-type': 'application/json',
        'jumpseller-store-code': service.storeCode,
        'jumpseller-hmac-sha256': createHmac('sha256', service.token).update(body).digest('base64'),
      }
      const { rates } = await answer(service, RATES, (options) => http.post(service.url, body, { ...options, headers }))
      return rates.map((rate) => ({
        id: rate.rate_id ?? null,
        description: rate.rate_description || null,
        serviceCode: rate.service_code,
        serviceName: rate.service_name,
        price: amountOf(rate.total_price),
      }))
    },
    async services(service) {
      const headers = {
        'jumpseller-store-code': service.storeCode,
        // Never in the clear, and never the one that signs webhooks.
        ...(service.isOwnToken && service.url.startsWith('https:') && { authorization: `Bearer ${service.token}` }),
      }
      const { services } = await answer(service, SERVICES, (options) => http.get(service.url, { ...options, headers }))
      const byCode = new Map(services.map((service) => [service.service_code, service.service_name]))
      return [...byCode].map(([serviceCode, name]) => ({ code: serviceCode, name }))
    },
    close: http.close,
  }
}
