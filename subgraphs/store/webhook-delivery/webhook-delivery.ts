import { createHmac } from 'node:crypto'
import { encodeId } from '../../toolkit/ids.ts'
import type { EventName } from '../events.ts'

export type DeliveryStatus = 'waiting' | 'delivered' | 'failed'

/** One event for one subscription. */
export type WebhookDelivery = {
  readonly id: number
  readonly subscriptionId: number
  readonly url: string
  readonly event: EventName
  /** Type of the object in the schema, and its row. */
  readonly entity: string
  readonly entityId: number
  readonly triggeredAt: Date
  readonly isTest: boolean
  readonly status: DeliveryStatus
  /** Attempts since it began, or was begun again. */
  readonly tries: number
  readonly dueAt: Date
  /** Null before the first attempt. */
  readonly body: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** Result of one attempt. */
export type Attempt = {
  readonly startedAt: Date
  readonly milliseconds: number
  /** Null: the receiver answered nothing. */
  readonly status: number | null
  /** Null: it succeeded. */
  readonly error: string | null
  /** The beginning of the answer; null: there was none. */
  readonly response: string | null
}

/** An attempt of a delivery, counted from 1 on. */
export type WebhookAttempt = Attempt & { readonly deliveryId: number; readonly number: number }

/** Signing tokens. */
export type Signer = {
  readonly storeCode: string
  readonly hooksToken: string
  /** The one before, until then; null: none. */
  readonly previousHooksToken: string | null
  readonly previousHooksTokenUntil: Date | null
}

/** As published: 4 retries. */
const MAX_TRIES = 5
const MINUTE_MS = 60_000

/**
 * Backoff after the attempt with this number: its fourth power in minutes, as published.
 * Milliseconds; null: no further attempt.
 */
export const waitAfter = (tries: number): number | null => (tries < MAX_TRIES ? tries ** 4 * MINUTE_MS : null)

/**
 * The headers of one attempt. `now` decides whether the token before the last rotation signs as
 * well.
 */
export function headersOf(
  { id, event, triggeredAt, isTest }: Pick<WebhookDelivery, 'id' | 'event' | 'triggeredAt' | 'isTest'>,
  { storeCode, hooksToken, previousHooksToken, previousHooksTokenUntil }: Signer,
  body: string,
  now: Date,
): Readonly<Record<string, string>> {
  const isOverlap = previousHooksToken !== null && previousHooksTokenUntil !== null && now < previousHooksTokenUntil
  return {
    'Content-Type': 'application/json',
    'Jumpseller-Event': event,
    'Jumpseller-Store-Code': storeCode,
    'Jumpseller-Triggered-At': triggeredAt.toISOString().replace('T', ' ').replace('Z', ' UTC'),
    'Jumpseller-Hmac-Sha256': signature(hooksToken, body),
    ...(isOverlap && { 'Atrium-Previous-Hmac-Sha256': signature(previousHooksToken, body) }),
    'Atrium-Delivery-Id': encodeId('WebhookDelivery', String(id)),
    ...(isTest && { 'Atrium-Test': 'true' }),
  }
}

const signature = (token: string, body: string): string => createHmac('sha256', token).update(body).digest('base64')
