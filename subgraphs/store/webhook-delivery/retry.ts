import { MAX_FAILURES, type WebhookSubscription } from '../webhook-subscription/webhook-subscription.ts'
import { type Attempt, type WebhookDelivery, waitAfter } from './webhook-delivery.ts'

/** What becomes of a delivery after an attempt. One that was only a test is tried once. */
export function deliveryAfter(
  delivery: WebhookDelivery,
  { error }: Pick<Attempt, 'error'>,
  now: Date,
): Pick<WebhookDelivery, 'id' | 'status' | 'tries' | 'dueAt' | 'finishedAt'> {
  const { id, dueAt } = delivery
  const tries = delivery.tries + 1
  if (error === null) return { id, tries, status: 'delivered', dueAt, finishedAt: now }
  const wait = delivery.isTest ? null : waitAfter(tries)
  if (wait === null) return { id, tries, status: 'failed', dueAt, finishedAt: now }
  return { id, tries, status: 'waiting', dueAt: new Date(now.getTime() + wait), finishedAt: null }
}

type Health = Pick<WebhookSubscription, 'id' | 'failureCount' | 'failingSince' | 'pausedAt'>

/** How a subscription is after an attempt; null: as before. */
export function healthAfter(
  { id, failureCount, failingSince, pausedAt }: Health,
  { error }: Pick<Attempt, 'error'>,
  now: Date,
): Health | null {
  if (error === null) return failureCount === 0 ? null : { id, failureCount: 0, failingSince: null, pausedAt }
  const failures = failureCount + 1
  return {
    id,
    failureCount: failures,
    failingSince: failingSince ?? now,
    pausedAt: pausedAt ?? (failures >= MAX_FAILURES ? now : null),
  }
}
