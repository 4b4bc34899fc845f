import { z } from 'zod'
import type { Config, Variables } from '../../../platform/config/config.ts'
import { isNetwork, withinAny } from '../../../platform/outbound/address-policy.ts'
import type { WebhookNetwork } from '../../toolkit/webhook-sender.ts'

/** The variables of webhooks. */
export const webhookVariables = {
  WEBHOOK_PRIVATE_NETWORKS: {
    read: z
      .string()
      .transform((text) => text.split(',').map((network) => network.trim()))
      .refine((networks) => networks.every(isNetwork), 'networks such as 10.1.0.0/16, separated by commas'),
    default: null,
    unit: null,
    meaning: 'Networks in CIDR notation that webhooks may reach besides public addresses, on any port; unset, none.',
  },
} satisfies Variables

/** What webhooks may connect to besides public addresses. */
export function webhookNetworkOf({ WEBHOOK_PRIVATE_NETWORKS }: Config<typeof webhookVariables>): WebhookNetwork {
  const isAllowed = withinAny(WEBHOOK_PRIVATE_NETWORKS ?? [])
  return { allow: ({ address }) => isAllowed(address) }
}
