import { externalGateway } from './external-gateway.ts'
import type { PaymentGateways, PaymentNetwork } from './gateway.ts'
import { stripeGateway } from './stripe/stripe-gateway.ts'

/** The gateways that payment methods can have. */
export function paymentGateways(now: () => Date, options: PaymentNetwork = {}): PaymentGateways {
  const gateways = { EXTERNAL_PAYMENT_GATEWAY: externalGateway(now, options), STRIPE: stripeGateway(now, options) }
  return {
    of: ({ type }) => gateways[type],
    close: async () => {
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close()))
    },
  }
}
