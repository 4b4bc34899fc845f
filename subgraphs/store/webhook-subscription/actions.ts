import { violates } from '../../../platform/database/postgres-error.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { type EventName, subjectOf } from '../events.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { storeRepository } from '../store/repository.ts'
import { newHooksToken } from '../store/set-up.ts'
import { HOOKS_TOKEN, PREVIOUS_HOOKS_TOKEN } from '../stored-secrets.ts'
import { webhookDeliveryRepository } from '../webhook-delivery/repository.ts'
import type { Webhooks } from '../webhook-delivery/webhooks.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import { webhookSubscriptionRepository } from './repository.ts'
import {
  MAX_OVERLAP_HOURS,
  MAX_SUBSCRIPTIONS,
  subscriptionProblems,
  type WebhookSubscription,
  type WebhookSubscriptionFields,
} from './webhook-subscription.ts'

/** Fields to change; undefined stays unchanged. */
type Change = {
  readonly name?: string | null | undefined
  readonly event?: EventName | null | undefined
  readonly url?: string | null | undefined
}

/** Creates a webhook, for events from now on. */
export async function createWebhookSubscription(unit: UnitOfWork, { refusal }: Webhooks, fields: WebhookSubscriptionFields) {
  const { query, storeId, now } = unit
  const problems = subscriptionProblems(fields, refusal)
  if (problems.length > 0) return validationError(problems)
  // Counting and adding must not be done by two at once.
  await storeRepository(query).lock(storeId)
  const subscriptions = webhookSubscriptionRepository(query)
  const count = await subscriptions.count(storeId)
  if (count >= MAX_SUBSCRIPTIONS)
    return validationError([problem('event', `that of one of at most ${MAX_SUBSCRIPTIONS} webhooks`, count + 1)])
  return once(fields, async () => ({
    __typename: 'CreateWebhookSubscriptionSuccess' as const,
    webhookSubscription: await subscriptions.insert(storeId, fields, now),
  }))
}

/**
 * Changes the fields of the input. A change of a paused webhook resumes it. `demandEvents` throws
 * for events whose objects the caller may not read: of the webhook before and after the change, and
 * of waiting deliveries, which another URL would get.
 */
export async function updateWebhookSubscription(
  unit: UnitOfWork,
  webhooks: Webhooks,
  id: string,
  input: Change & Versioned,
  demandEvents: (events: readonly EventName[]) => void,
) {
  const { query, storeId, now } = unit
  const subscriptions = webhookSubscriptionRepository(query)
  await webhookDeliveryRepository(query).lockOrder(storeId)
  const before = await subscriptions.lock(storeId, decodeId(id, 'WebhookSubscription') ?? 0)
  if (!before) return notFoundError('webhook', id)
  // What waits was counted for the webhook as it was then, and goes where it leads now.
  const waiting = await webhookDeliveryRepository(query).waitingEvents(storeId, before.id)
  demandEvents([before.event, input.event ?? before.event, ...waiting])
  const stale = staleVersion(input.expectedVersion, before.version)
  if (stale) return stale
  if (input.event === null) return validationError([problem('event', 'an event', null)])
  if (input.url === null) return validationError([problem('url', 'an http or https URL', null)])
  const fields = {
    name: input.name === undefined ? before.name : input.name,
    event: input.event ?? before.event,
    url: input.url ?? before.url,
  }
  const problems = subscriptionProblems(fields, webhooks.refusal)
  if (problems.length > 0) return validationError(problems)

  return once(fields, async () => {
    await subscriptions.update(storeId, before.id, fields, now)
    if (fields.url !== before.url) {
      await webhookDeliveryRepository(query).redirect(storeId, before.id, fields.url)
      await webhooks.plan.wake(unit, before.url)
    }
    if (before.pausedAt) await resume(unit, webhooks, { ...before, ...fields })
    else if (fields.url !== before.url) await webhooks.plan.wake(unit, fields.url)
    return { __typename: 'UpdateWebhookSubscriptionSuccess' as const, webhookSubscription: before.id }
  })
}

/** Deletes a webhook and everything that waits for it. */
export async function deleteWebhookSubscription(
  unit: UnitOfWork,
  { plan }: Webhooks,
  id: string,
  { expectedVersion }: Versioned,
) {
  const { query, storeId } = unit
  const subscriptions = webhookSubscriptionRepository(query)
  await webhookDeliveryRepository(query).lockOrder(storeId)
  const before = await subscriptions.lock(storeId, decodeId(id, 'WebhookSubscription') ?? 0)
  if (!before) return notFoundError('webhook', id)
  const stale = staleVersion(expectedVersion, before.version)
  if (stale) return stale
  await subscriptions.delete(storeId, before.id)
  await plan.wake(unit, before.url)
  return { __typename: 'DeleteWebhookSubscriptionSuccess' as const, row: before.id }
}

/** Keeps events for a webhook instead of sending them. */
export async function pauseWebhookSubscription(unit: UnitOfWork, { plan }: Webhooks, id: string) {
  const { query, storeId, now } = unit
  const subscriptions = webhookSubscriptionRepository(query)
  await webhookDeliveryRepository(query).lockOrder(storeId)
  const before = await subscriptions.lock(storeId, decodeId(id, 'WebhookSubscription') ?? 0)
  if (!before) return notFoundError('webhook', id)
  if (before.pausedAt === null) {
    await subscriptions.setHealth(storeId, { ...before, pausedAt: now })
    // What waited behind its deliveries, for other webhooks of the same receiver, need not wait for
    // it.
    await plan.wake(unit, before.url)
  }
  return { __typename: 'PauseWebhookSubscriptionSuccess' as const, webhookSubscription: before.id }
}

/** Begins to send again what waits for a webhook. */
export async function resumeWebhookSubscription(unit: UnitOfWork, webhooks: Webhooks, id: string) {
  const { query, storeId } = unit
  await webhookDeliveryRepository(query).lockOrder(storeId)
  const before = await webhookSubscriptionRepository(query).lock(storeId, decodeId(id, 'WebhookSubscription') ?? 0)
  if (!before) return notFoundError('webhook', id)
  await resume(unit, webhooks, before)
  return { __typename: 'ResumeWebhookSubscriptionSuccess' as const, webhookSubscription: before.id }
}

/** Sends the newest object of a webhook's event as a test. */
export async function testWebhookSubscription({ query, storeId, now }: UnitOfWork, { plan }: Webhooks, id: string) {
  const found = await webhookSubscriptionRepository(query).lock(storeId, decodeId(id, 'WebhookSubscription') ?? 0)
  if (!found) return notFoundError('webhook', id)
  const deliveries = webhookDeliveryRepository(query)
  const { entity, table } = subjectOf(found.event)
  const deliveryId = await deliveries.insertTest(storeId, {
    subscriptionId: found.id,
    url: found.url,
    event: found.event,
    entity,
    entityId: (await deliveries.newest(storeId, table)) ?? 0,
    at: now,
  })
  await plan.begin({ query, storeId }, [{ deliveryId, dueAt: null }])
  return { __typename: 'TestWebhookSubscriptionSuccess' as const, webhookDelivery: deliveryId }
}

/** Gives the store another token to sign with. */
export async function rotateHooksToken({ query, storeId, now, secrets }: UnitOfWork, overlapHours: number) {
  if (overlapHours < 0 || overlapHours > MAX_OVERLAP_HOURS) {
    return validationError([problem('overlapHours', `0 to ${MAX_OVERLAP_HOURS}`, overlapHours)])
  }
  const stores = storeRepository(query)
  const { hooksToken } = await stores.lock(storeId)
  const until = new Date(now.getTime() + overlapHours * 3_600_000)
  // Encrypted for its new column: a ciphertext is good for one only.
  const previous = secrets.encrypt(
    secretLocation(PREVIOUS_HOOKS_TOKEN, storeId),
    secrets.decrypt(secretLocation(HOOKS_TOKEN, storeId), hooksToken),
  )
  await stores.setHooksToken(storeId, {
    hooksToken: secrets.encrypt(secretLocation(HOOKS_TOKEN, storeId), newHooksToken()),
    previous: overlapHours === 0 ? null : { hooksToken: previous, until },
    at: now,
  })
  return { __typename: 'RotateHooksTokenSuccess' as const, store: storeId }
}

async function resume(
  unit: UnitOfWork,
  { plan }: Webhooks,
  { id, url, failingSince }: Pick<WebhookSubscription, 'id' | 'url' | 'failingSince'>,
): Promise<void> {
  const { query, storeId, now } = unit
  await webhookSubscriptionRepository(query).setHealth(storeId, { id, failureCount: 0, failingSince: null, pausedAt: null })
  await webhookDeliveryRepository(query).beginAgain(storeId, { id, url, failingSince }, now)
  await plan.wake(unit, url)
}

/** The result of `write`; a `ValidationError` when there is a webhook for this event and URL. */
async function once<Result>({ event, url }: WebhookSubscriptionFields, write: () => Promise<Result>) {
  try {
    return await write()
  } catch (error) {
    if (!violates(error, 'webhook_subscription_once')) throw error
    return validationError([problem('url', `one that no other webhook has for the event ${event}`, url)])
  }
}
