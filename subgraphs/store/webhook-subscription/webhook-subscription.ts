import { type Problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
import { type WebhookRefusal, webhookUrlProblem } from '../../toolkit/webhook-url.ts'
import type { EventName } from '../events.ts'

/** Subscription of a URL to an event. */
export type WebhookSubscription = {
  readonly id: number
  readonly name: string | null
  readonly event: EventName
  readonly url: string
  /** Failed attempts since the last one that succeeded. */
  readonly failureCount: number
  readonly failingSince: Date | null
  /** Null: it is not paused. */
  readonly pausedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Fields of a subscription to write. */
export type WebhookSubscriptionFields = Pick<WebhookSubscription, 'name' | 'event' | 'url'>

/** Each one is read, and may be sent, with every event. */
export const MAX_SUBSCRIPTIONS = 100
/** The published documentation says "after 8 failures". */
export const MAX_FAILURES = 8
export const MAX_OVERLAP_HOURS = 168

/** Problems of a subscription, in the order of its fields. */
export const subscriptionProblems = ({ name, url }: WebhookSubscriptionFields, refusal: WebhookRefusal): readonly Problem[] =>
  problemsIn([webhookUrlProblem('url', url, refusal), name === null ? null : textProblem('name', name, 100)])
