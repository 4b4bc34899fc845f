import { isText, type Problem, problem, problemsIn, textProblem } from '../../toolkit/validation.ts'
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

/**
 * Why nothing is sent to an address; null: it may be. Names are judged when they are connected to.
 */
export type SubscriptionRefusal = (endpoint: { readonly address: string; readonly port: number }) => string | null

/** Each one is read, and may be sent, with every event. */
export const MAX_SUBSCRIPTIONS = 100
/** The published documentation says "after 8 failures". */
export const MAX_FAILURES = 8
export const MAX_OVERLAP_HOURS = 168
const MAX_URL_LENGTH = 2_000
/** The setting of networks that webhooks may reach besides public addresses, for error messages. */
export const NETWORK_SETTING = 'WEBHOOK_PRIVATE_NETWORKS'

/** Problems of a subscription, in the order of its fields. */
export const subscriptionProblems = (
  { name, url }: WebhookSubscriptionFields,
  refusal: SubscriptionRefusal,
): readonly Problem[] => problemsIn([urlProblem(url, refusal), name === null ? null : textProblem('name', name, 100)])

function urlProblem(text: string, refusal: SubscriptionRefusal): Problem | null {
  const expected = (expectation: string) => problem('url', expectation, text)
  const url = URL.canParse(text) && text.length <= MAX_URL_LENGTH && isText(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.href.length > MAX_URL_LENGTH) {
    return expected(`an http or https URL of at most ${MAX_URL_LENGTH} characters`)
  }
  if (url.username !== '' || url.password !== '') return expected('a URL without a user')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLiteral = /^[\d.]+$|:/.test(host)
  const reason = isLiteral ? refusal({ address: host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }) : null
  return reason === null
    ? null
    : expected(`at a public address and on port 80 or 443 (${reason}), or in a network of ${NETWORK_SETTING}`)
}
