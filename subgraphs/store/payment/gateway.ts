import type { IncomingHttpHeaders } from 'node:http'
import type { NetworkOptions } from '../../../platform/outbound/safe-connect.ts'
import type { GatewayPayment } from './payment.ts'
import type { GatewayAccess } from './repository.ts'

/** What a payment is for. */
export type AuthorizeRequest = {
  readonly amount: string
  readonly currency: string
  readonly order: string
  /** Where the shopper comes back to. */
  readonly returnUrl: string
  /** URL for notifications of the gateway. */
  readonly notificationUrl: string
  /** Of the payment, so that it is the same in every attempt. */
  readonly createdAt: Date
}

/** The gateway refused, for a reason that a retry does not change. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused'
}

/**
 * What a notification is: of the payment with this reference, of something else that the merchant
 * does at the gateway, without a valid signature, or signed and not readable.
 */
export type Notification =
  | { readonly kind: 'payment'; readonly reference: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'unsigned' | 'unreadable'; readonly message: string }

/**
 * Client of payment gateways of one kind. Rejects with PaymentRefused for a definite refusal, with
 * a `Fault` without a readable answer in time: the same request may be retried under the same key.
 */
export type PaymentGateway = {
  readonly authorize: (gateway: GatewayAccess, key: string, request: AuthorizeRequest) => Promise<GatewayPayment>
  readonly capture: (gateway: GatewayAccess, key: string, reference: string, amount: string) => Promise<GatewayPayment>
  readonly voidOpen: (gateway: GatewayAccess, key: string, reference: string, amount: string) => Promise<GatewayPayment>
  readonly refund: (gateway: GatewayAccess, key: string, reference: string, amount: string) => Promise<GatewayPayment>
  readonly find: (gateway: GatewayAccess, reference: string) => Promise<GatewayPayment>
  /** Verifies a notification; its headers have lower-case names, its body is as it was sent. */
  readonly notified: (gateway: GatewayAccess, headers: IncomingHttpHeaders, body: string) => Promise<Notification>
  readonly close: () => Promise<void>
}

/** Payment gateways of each kind. */
export type PaymentGateways = {
  readonly of: (gateway: GatewayAccess) => PaymentGateway
  readonly close: () => Promise<void>
}

/** For tests: exceptions from what may be connected to. No configuration leads here. */
export type PaymentNetwork = Partial<NetworkOptions> & {
  /** Where the API of Stripe is; absent: `https://api.stripe.com`. */
  readonly stripe?: { readonly protocol: 'http' | 'https'; readonly host: string; readonly port: number }
}
