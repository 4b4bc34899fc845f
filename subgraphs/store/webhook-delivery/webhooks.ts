import type { WebhookRefusal } from '../../toolkit/webhook-url.ts'
import type { DeliveryPlan } from './plan.ts'

/** What changes of a store need to know of webhooks. */
export type Webhooks = {
  readonly plan: DeliveryPlan
  readonly refusal: WebhookRefusal
}
