import type { Logger } from 'pino'
import type { Caller } from '../../../platform/http/caller.ts'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { encodeId } from '../../toolkit/ids.ts'
import type { WebhookSender } from '../../toolkit/webhook-sender.ts'
import type { InternalCallers } from '../access/internal-callers.ts'
import type { Parts } from '../context.ts'
import { retryStoreTransaction } from '../transaction-retry.ts'
import { webhookSubscriptionRepository } from '../webhook-subscription/repository.ts'
import type { UnitOfWork } from '../write.ts'
import type { DeliveryJobs, JobRun } from './jobs.ts'
import type { DeliveryPlan } from './plan.ts'
import { webhookDeliveryRepository } from './repository.ts'
import { deliveryAfter, healthAfter } from './retry.ts'
import { type Attempt, headersOf, type Signer, type WebhookDelivery } from './webhook-delivery.ts'

/**
 * Renders an object of the store as the REST API returns it to `caller`; only its id in its
 * envelope when it was deleted. Rejects when the graph does not answer.
 */
export type Bodies = (entity: string, id: number, caller: Caller, signal: AbortSignal) => Promise<string>

/** What delivering needs. */
export type Delivering = {
  readonly database: Parts['database']
  readonly jobs: DeliveryJobs
  readonly plan: DeliveryPlan
  readonly sender: WebhookSender
  readonly internalCallers: InternalCallers
  readonly bodies: Bodies
  readonly secrets: SecretCipher
  readonly log: Logger
  readonly now: () => Date
}

/**
 * How long a running attempt may continue when this process stops delivering. An aborted one is
 * sent again by another process. Milliseconds.
 */
const STOP_TIMEOUT_MS = 5_000
/** Making a body; an operation has no more. Milliseconds. */
const BODY_TIMEOUT_MS = 10_000

/** Deliveries that are given jobs in one transaction. */
const MAX_ORPHANS = 1_000

/** Delivers in this process until the returned function is called. */
export async function deliver(delivering: Delivering): Promise<() => Promise<void>> {
  const ended = new AbortController()
  while ((await adopt(delivering)) === MAX_ORPHANS);
  const stop = await delivering.jobs.work((job) => attempt(delivering, job, ended.signal))
  return async () => {
    const cut = setTimeout(() => ended.abort(), STOP_TIMEOUT_MS)
    await stop()
    clearTimeout(cut)
  }
}

/**
 * Plans what waits without a job, which is so in a database that was restored. Answers how many
 * there were, at most a thousand.
 */
function adopt({ database, plan }: Delivering): Promise<number> {
  return database.transaction().execute(async (query) => {
    const orphans = await webhookDeliveryRepository(query).orphans(MAX_ORPHANS)
    for (const [storeId, deliveries] of Map.groupBy(orphans, (orphan) => orphan.storeId))
      await plan.begin({ query, storeId }, deliveries)
    return orphans.length
  })
}

/**
 * One attempt. Killed at any point, the job runs again: before the answer is written down, the same
 * bytes are sent again under the same id; after that, nothing is.
 */
async function attempt(delivering: Delivering, job: JobRun, ended: AbortSignal): Promise<void> {
  const { sender, now } = delivering
  const begun = await begin(delivering, job)
  if (!begun) return
  const { delivery, signer } = begun
  const body = delivery.body ?? (await bodyOf(delivering, job, begun, ended))
  const startedAt = now()
  const sent = await sender.send(delivery.url, body, headersOf(delivery, signer, body, startedAt), ended)
  await record(delivering, job, { startedAt, ...sent })
}

/** Takes the delivery of a job; null when it is not its turn, or not its job any more. */
function begin({ database, secrets }: Delivering, job: JobRun): Promise<{ delivery: WebhookDelivery; signer: Signer } | null> {
  const { storeId } = job
  return database.transaction().execute(async (query) => {
    const deliveries = webhookDeliveryRepository(query)
    const delivery = await deliveries.ofJob(storeId, job)
    if (!delivery) return null
    if (!delivery.isTest) {
      await deliveries.lockLane(storeId, delivery)
      const head = await deliveries.headOf(storeId, delivery)
      if (head?.deliveryId !== delivery.id) return null
    }
    if (!(await deliveries.take(storeId, { ...job, url: delivery.url }))) return null
    return { delivery, signer: await deliveries.signer(storeId, secrets) }
  })
}

async function bodyOf(
  { database, internalCallers, bodies }: Delivering,
  { storeId }: JobRun,
  { delivery, signer: { storeCode } }: { readonly delivery: WebhookDelivery; readonly signer: Signer },
  ended: AbortSignal,
): Promise<string> {
  const requestId = `webhook-${encodeId('WebhookDelivery', String(delivery.id))}`
  const signal = AbortSignal.any([ended, AbortSignal.timeout(BODY_TIMEOUT_MS)])
  const body = await internalCallers.reading({ storeId, storeCode }, requestId, (caller) =>
    bodies(delivery.entity, delivery.entityId, caller, signal),
  )
  return webhookDeliveryRepository(database).keepBody(storeId, delivery.id, body)
}

/** Records the result of an attempt and plans the next one. */
async function record(delivering: Delivering, job: JobRun, made: Attempt): Promise<void> {
  const { database, now } = delivering
  await retryStoreTransaction(() =>
    database.transaction().execute((query) => recordIn({ query, storeId: job.storeId, now: now() }, delivering, job, made)),
  )
}

async function recordIn(
  unit: Pick<UnitOfWork, 'query' | 'storeId' | 'now'>,
  { plan, log }: Delivering,
  job: JobRun,
  made: Attempt,
): Promise<void> {
  const { query, storeId, now } = unit
  const deliveries = webhookDeliveryRepository(query)
  const subscriptions = webhookSubscriptionRepository(query)
  const seen = await deliveries.ofRun(storeId, job)
  if (!seen) return
  await deliveries.lockOrder(storeId)
  await deliveries.lockLane(storeId, seen)
  const subscription = await subscriptions.lock(storeId, seen.subscriptionId)
  // Locks were waited for: it may be gone.
  const delivery = await deliveries.ofRun(storeId, job)
  if (!subscription || !delivery) return

  await deliveries.insertAttempt(storeId, delivery.id, made)
  await deliveries.settle(storeId, deliveryAfter(delivery, made, now))
  if (delivery.isTest) return

  const health = healthAfter(subscription, made, now)
  if (health) await subscriptions.setHealth(storeId, health)
  if (health?.pausedAt && !subscription.pausedAt) {
    log.warn({ storeId, webhook: subscription.id, failures: health.failureCount }, 'a webhook was paused')
    // What waited behind its deliveries, for other webhooks of the same receiver, need not wait for
    // it.
    return plan.wake(unit, delivery.url)
  }
  const head = await deliveries.headOf(storeId, delivery)
  if (head) await plan.begin(unit, [{ ...head, dueAt: head.dueAt > now ? head.dueAt : null }])
}
