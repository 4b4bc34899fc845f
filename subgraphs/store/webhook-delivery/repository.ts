import { type Kysely, sql } from 'kysely'
import type { SecretCipher } from '../../../platform/secrets/cipher.ts'
import { secretLocation } from '../../../platform/secrets/stored.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { EventName, StoreEvent, SubjectTable } from '../events.ts'
import { HOOKS_TOKEN, PREVIOUS_HOOKS_TOKEN } from '../stored-secrets.ts'
import type { Tables } from '../tables.ts'
import type { WebhookSubscription } from '../webhook-subscription/webhook-subscription.ts'
import { insertDeliveries } from './insertion-repository.ts'
import type { Attempt, DeliveryStatus, Signer, WebhookAttempt, WebhookDelivery } from './webhook-delivery.ts'

const COLUMNS = [
  'id',
  'subscription_id as subscriptionId',
  'url',
  'event',
  'entity',
  'entity_id as entityId',
  'triggered_at as triggeredAt',
  'is_test as isTest',
  'status',
  'tries',
  'due_at as dueAt',
  'body',
  'created_at as createdAt',
  'finished_at as finishedAt',
] as const

/** Which deliveries to list; null: whatever they are. */
export type DeliverySelection = {
  readonly subscriptionId: number | null
  readonly status: DeliveryStatus | null
  readonly event: EventName | null
}

/** A delivery and the job that is to begin it. */
export type Planned = { readonly deliveryId: number; readonly jobId: string }

/** Deliveries that are sent one after the other: of one object to one URL. */
export type Lane = Pick<WebhookDelivery, 'url' | 'entity' | 'entityId'>

export type WebhookDeliveryRepository = ReturnType<typeof webhookDeliveryRepository>

/** Deliveries in the database; every call but `orphans` is about one store. */
export const webhookDeliveryRepository = (database: Kysely<Tables>) => {
  // Only events of ours are ever written.
  const selected = () => database.selectFrom('webhook_delivery').select(COLUMNS).$narrowType<{ event: EventName }>()

  return {
    /** In any order, without those that do not exist. */
    async findByIds(storeId: number, ids: readonly number[]): Promise<WebhookDelivery[]> {
      const rows = await selected().where('store_id', '=', storeId).where('id', 'in', ids.map(String)).execute()
      return rows.map(deliveryOf)
    },

    /** Newest first, one more than requested. */
    async list(storeId: number, selection: DeliverySelection, { size, after }: KeysetRange): Promise<WebhookDelivery[]> {
      let query = selected().where('store_id', '=', storeId)
      if (selection.subscriptionId !== null) query = query.where('subscription_id', '=', selection.subscriptionId)
      if (selection.status !== null) query = query.where('status', '=', selection.status)
      if (selection.event !== null) query = query.where('event', '=', selection.event)
      if (after) query = query.where('id', '<', String(after[0]))
      const rows = await query
        .orderBy('id', 'desc')
        .limit(size + 1)
        .execute()
      return rows.map(deliveryOf)
    },

    async count(storeId: number, { subscriptionId, status, event }: DeliverySelection): Promise<number> {
      let query = database
        .selectFrom('webhook_delivery')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('store_id', '=', storeId)
      if (subscriptionId !== null) query = query.where('subscription_id', '=', subscriptionId)
      if (status !== null) query = query.where('status', '=', status)
      if (event !== null) query = query.where('event', '=', event)
      return Number((await query.executeTakeFirstOrThrow()).count)
    },

    /** The newest attempts of deliveries, at most `most` of each, oldest first. */
    async attemptsOf(storeId: number, deliveryIds: readonly number[], max: number): Promise<WebhookAttempt[]> {
      const { rows } = await sql<Omit<WebhookAttempt, 'deliveryId'> & { deliveryId: string }>`
        SELECT found.delivery_id AS "deliveryId", found.number, found.started_at AS "startedAt", found.milliseconds, found.status,
          found.error, found.response
        FROM unnest(${deliveryIds}::bigint[]) AS requested (id)
        CROSS JOIN LATERAL (
          SELECT * FROM webhook_attempt WHERE store_id = ${storeId} AND delivery_id = requested.id ORDER BY number DESC LIMIT ${max}
        ) AS found
        ORDER BY found.delivery_id, found.number`.execute(database)
      return rows.map((row) => ({ ...row, deliveryId: Number(row.deliveryId) }))
    },

    /** Inserts a delivery per event and subscription, in order. Locks against deletion. */
    async insertFor(storeId: number, delivered: readonly StoreEvent[], at: Date): Promise<number[]> {
      const rows = await insertDeliveries(
        database,
        storeId,
        delivered.map(({ event }) => event),
        delivered.map(({ entity }) => entity),
        delivered.map(({ id }) => id),
        at,
      )
      return rows.map(({ id }) => Number(id))
    },

    async insertTest(
      storeId: number,
      {
        subscriptionId,
        url,
        event,
        entity,
        entityId,
        at,
      }: Pick<WebhookDelivery, 'subscriptionId' | 'url' | 'event' | 'entity' | 'entityId'> & { readonly at: Date },
    ): Promise<number> {
      const { id } = await database
        .insertInto('webhook_delivery')
        .values({
          store_id: storeId,
          subscription_id: subscriptionId,
          url,
          event,
          entity,
          entity_id: entityId,
          triggered_at: at,
          is_test: true,
          due_at: at,
          created_at: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      return Number(id)
    },

    /**
     * Assigns jobs to deliveries that are not being sent; jobs assigned before do nothing any more.
     */
    async plan(storeId: number, planned: readonly Planned[]): Promise<void> {
      if (planned.length === 0) return
      await sql`
        UPDATE webhook_delivery AS delivery SET taken_by = planned.job
        FROM unnest(${planned.map(({ deliveryId }) => deliveryId)}::bigint[], ${planned.map(({ jobId }) => jobId)}::uuid[]) AS planned (id, job)
        WHERE delivery.store_id = ${storeId} AND delivery.id = planned.id AND delivery.taken_run IS NULL`.execute(database)
    },

    /**
     * Waiting deliveries of every store without a job, oldest first. Concurrent calls get different
     * ones.
     */
    async orphans(max: number): Promise<{ readonly storeId: number; readonly deliveryId: number; readonly dueAt: Date }[]> {
      const rows = await database
        .selectFrom('webhook_delivery')
        .select(['store_id as storeId', 'id', 'due_at as dueAt'])
        .where('status', '=', 'waiting')
        .where('taken_by', 'is', null)
        .orderBy('id')
        .limit(max)
        .forUpdate()
        .skipLocked()
        .execute()
      return rows.map(({ id, ...row }) => ({ ...row, deliveryId: Number(id) }))
    },

    /** What a job is to begin; null when it has nothing to begin any more. */
    async ofJob(storeId: number, { deliveryId, jobId }: Planned): Promise<WebhookDelivery | null> {
      const row = await selected()
        .where('store_id', '=', storeId)
        .where('id', '=', String(deliveryId))
        .where('taken_by', '=', jobId)
        .where('status', '=', 'waiting')
        .executeTakeFirst()
      return row ? deliveryOf(row) : null
    },

    /**
     * Locks the decision about the next deliveries of this store until the transaction ends; taken
     * before every other lock. Otherwise resuming a webhook while the delivery before its own is
     * recorded would leave the next one to the recording transaction, which still sees the webhook
     * paused.
     */
    async lockOrder(storeId: number): Promise<void> {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhooks ${storeId}`}, 0))`.execute(database)
    },

    /** Locks deliveries of a lane against starting and recording until the transaction ends. */
    async lockLane(storeId: number, { url, entity, entityId }: Lane): Promise<void> {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhook ${storeId} ${entity} ${entityId} ${url}`}, 0))`.execute(
        database,
      )
    },

    /**
     * The delivery of a lane that is next; null: none, or all are paused. Its subscription cannot
     * be paused, resumed or deleted until the transaction ends.
     */
    async headOf(
      storeId: number,
      { url, entity, entityId }: Lane,
    ): Promise<(Omit<Planned, 'jobId'> & { readonly dueAt: Date }) | null> {
      const { rows } = await sql<{ deliveryId: string; dueAt: Date }>`
        SELECT delivery.id AS "deliveryId", delivery.due_at AS "dueAt" FROM webhook_delivery delivery
        JOIN webhook_subscription subscription ON subscription.store_id = delivery.store_id AND subscription.id = delivery.subscription_id
        WHERE delivery.store_id = ${storeId} AND delivery.entity = ${entity} AND delivery.entity_id = ${entityId} AND delivery.url = ${url}
          AND delivery.status = 'waiting' AND NOT delivery.is_test AND (subscription.paused_at IS NULL OR delivery.taken_run IS NOT NULL)
        ORDER BY delivery.id LIMIT 1
        FOR SHARE OF subscription`.execute(database)
      const [head] = rows
      return head ? { deliveryId: Number(head.deliveryId), dueAt: head.dueAt } : null
    },

    /** The next delivery of each lane to a URL that is not being sent, in order. */
    async headsTo(storeId: number, url: string): Promise<readonly { readonly deliveryId: number; readonly dueAt: Date }[]> {
      const { rows } = await sql<{ deliveryId: string; dueAt: Date }>`
        SELECT id AS "deliveryId", due_at AS "dueAt" FROM (
          SELECT DISTINCT ON (delivery.entity, delivery.entity_id) delivery.id, delivery.due_at, delivery.taken_run
          FROM webhook_delivery delivery
          JOIN webhook_subscription subscription ON subscription.store_id = delivery.store_id AND subscription.id = delivery.subscription_id
          WHERE delivery.store_id = ${storeId} AND delivery.url = ${url}
            AND delivery.status = 'waiting' AND NOT delivery.is_test AND (subscription.paused_at IS NULL OR delivery.taken_run IS NOT NULL)
          ORDER BY delivery.entity, delivery.entity_id, delivery.id
        ) AS head
        WHERE taken_run IS NULL ORDER BY id`.execute(database)
      return rows.map(({ deliveryId, dueAt }) => ({ deliveryId: Number(deliveryId), dueAt }))
    },

    /** Notes that a run of a job is sending; false when it must not. */
    async take(
      storeId: number,
      { deliveryId, jobId, run, url }: Planned & { readonly run: number; readonly url: string },
    ): Promise<boolean> {
      const { numUpdatedRows } = await database
        .updateTable('webhook_delivery')
        .set({ taken_run: run })
        .where('store_id', '=', storeId)
        .where('id', '=', String(deliveryId))
        .where('taken_by', '=', jobId)
        .where('url', '=', url)
        .where('status', '=', 'waiting')
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Stores the body; the first call wins. */
    async keepBody(storeId: number, deliveryId: number, body: string): Promise<string> {
      const row = await database
        .updateTable('webhook_delivery')
        .set((set) => ({ body: set.fn.coalesce('body', set.val(body)) }))
        .where('store_id', '=', storeId)
        .where('id', '=', String(deliveryId))
        .returning('body')
        .executeTakeFirst()
      return row?.body ?? body
    },

    /**
     * The delivery of this run of a job; null when another run has taken it over, or it was
     * deleted.
     */
    async ofRun(
      storeId: number,
      { deliveryId, jobId, run }: Planned & { readonly run: number },
    ): Promise<WebhookDelivery | null> {
      const row = await selected()
        .where('store_id', '=', storeId)
        .where('id', '=', String(deliveryId))
        .where('taken_by', '=', jobId)
        .where('taken_run', '=', run)
        .where('status', '=', 'waiting')
        .executeTakeFirst()
      return row ? deliveryOf(row) : null
    },

    async insertAttempt(storeId: number, deliveryId: number, attempt: Attempt): Promise<void> {
      const { startedAt, milliseconds, status, error, response } = attempt
      await sql`
        INSERT INTO webhook_attempt (store_id, delivery_id, number, started_at, milliseconds, status, error, response)
        SELECT ${storeId}, ${deliveryId}, 1 + coalesce(max(number), 0), ${startedAt}, ${milliseconds}, ${status}::smallint, ${error}, ${response}
        FROM webhook_attempt WHERE store_id = ${storeId} AND delivery_id = ${deliveryId}`.execute(database)
    },

    /** Records the result of a delivery, which is not being sent any more. */
    async settle(
      storeId: number,
      { id, status, tries, dueAt, finishedAt }: Pick<WebhookDelivery, 'id' | 'status' | 'tries' | 'dueAt' | 'finishedAt'>,
    ): Promise<void> {
      await database
        .updateTable('webhook_delivery')
        .set({ status, tries, due_at: dueAt, finished_at: finishedAt, taken_by: null, taken_run: null })
        .where('store_id', '=', storeId)
        .where('id', '=', String(id))
        .execute()
    },

    /** Locks the row until the transaction ends; null when there is none. */
    async lock(storeId: number, id: number): Promise<WebhookDelivery | null> {
      const row = await selected().where('store_id', '=', storeId).where('id', '=', String(id)).forUpdate().executeTakeFirst()
      return row ? deliveryOf(row) : null
    },

    /** Begins one again that is over. */
    async replay(storeId: number, id: number, url: string, at: Date): Promise<void> {
      await database
        .updateTable('webhook_delivery')
        .set({ url, status: 'waiting', tries: 0, due_at: at, finished_at: null })
        .where('store_id', '=', storeId)
        .where('id', '=', String(id))
        .execute()
    },

    /**
     * Begins deliveries of a subscription again: those that wait, and those that were given up
     * since it has been failing.
     */
    async beginAgain(
      storeId: number,
      { id, url, failingSince }: Pick<WebhookSubscription, 'id' | 'url' | 'failingSince'>,
      at: Date,
    ): Promise<void> {
      await sql`
        UPDATE webhook_delivery SET status = 'waiting', url = ${url}, tries = 0, due_at = ${at}, finished_at = NULL
        WHERE store_id = ${storeId} AND subscription_id = ${id} AND NOT is_test AND taken_run IS NULL
          AND (status = 'waiting' OR (status = 'failed' AND finished_at >= ${failingSince}::timestamptz))`.execute(database)
    },

    /** Sends what waits for a subscription to another URL. */
    async redirect(storeId: number, subscriptionId: number, url: string): Promise<void> {
      await database
        .updateTable('webhook_delivery')
        .set({ url })
        .where(({ and }) => and({ store_id: storeId, subscription_id: subscriptionId, status: 'waiting' }))
        .execute()
    },

    /** Events of the deliveries of a webhook that wait, each once. */
    async waitingEvents(storeId: number, subscriptionId: number): Promise<readonly EventName[]> {
      const rows = await database
        .selectFrom('webhook_delivery')
        .select('event')
        .distinct()
        .where(({ and }) => and({ store_id: storeId, subscription_id: subscriptionId, status: 'waiting' }))
        .execute()
      // The column holds what this noun writes.
      return rows.map(({ event }) => event as EventName)
    },

    /** The newest object of a kind, for a test; null: there is none. */
    async newest(storeId: number, table: SubjectTable): Promise<number | null> {
      const row = await database
        .selectFrom(table)
        .select('id')
        .where('store_id', '=', storeId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.id ?? null
    },

    /** Signing tokens of a store. */
    async signer(storeId: number, secrets: SecretCipher): Promise<Signer> {
      const {
        hooksToken,
        previousHooksToken: previous,
        ...signer
      } = await database
        .selectFrom('store')
        .select([
          'code as storeCode',
          'hooks_token as hooksToken',
          'previous_hooks_token as previousHooksToken',
          'previous_hooks_token_until as previousHooksTokenUntil',
        ])
        .where('id', '=', storeId)
        .executeTakeFirstOrThrow()
      return {
        ...signer,
        hooksToken: secrets.decrypt(secretLocation(HOOKS_TOKEN, storeId), hooksToken),
        previousHooksToken: previous && secrets.decrypt(secretLocation(PREVIOUS_HOOKS_TOKEN, storeId), previous),
      }
    },

    /** Deletes deliveries of all stores that were made before then, at most `most`; how many. */
    async deleteFinishedBefore(before: Date, max: number): Promise<number> {
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM webhook_delivery WHERE (store_id, id) IN (
          SELECT store_id, id FROM webhook_delivery WHERE created_at < ${before} ORDER BY created_at LIMIT ${max}
        )`.execute(database)
      return Number(numAffectedRows)
    },
  }
}

const deliveryOf = <Row extends { readonly id: string }>({ id, ...row }: Row) => ({ ...row, id: Number(id) })
