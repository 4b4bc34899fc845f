import type { SubscriptionRefusal } from '../webhook-subscription/webhook-subscription.ts'
import type { DeliveryPlan } from './plan.ts'

/** What changes of a store need to know of webhooks. */
export type Webhooks = {
  readonly plan: DeliveryPlan
  readonly refusal: SubscriptionRefusal
}
