import type { Kysely } from 'kysely'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { EventName } from '../events.ts'
import type { Tables } from '../tables.ts'
import type { WebhookSubscription, WebhookSubscriptionFields } from './webhook-subscription.ts'

const COLUMNS = [
  'id',
  'name',
  'event',
  'url',
  'failure_count as failureCount',
  'failing_since as failingSince',
  'paused_at as pausedAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'version',
] as const

export type WebhookSubscriptionRepository = ReturnType<typeof webhookSubscriptionRepository>

/** Webhooks in the database; every call is about one store. */
export const webhookSubscriptionRepository = (database: Kysely<Tables>) => {
  // Only events of ours are ever written.
  const selected = () => database.selectFrom('webhook_subscription').select(COLUMNS).$narrowType<{ event: EventName }>()

  return {
    /** In any order, without those that do not exist. */
    findByIds: (storeId: number, ids: readonly number[]): Promise<WebhookSubscription[]> =>
      selected().where('store_id', '=', storeId).where('id', 'in', ids).execute(),

    /** Oldest first, one more than requested. */
    list(storeId: number, { size, after, offset }: KeysetRange): Promise<WebhookSubscription[]> {
      let query = selected().where('store_id', '=', storeId)
      if (after) query = query.where('id', '>', Number(after[0]))
      return query
        .orderBy('id')
        .limit(size + 1)
        .offset(offset)
        .execute()
    },

    async count(storeId: number): Promise<number> {
      const { count } = await database
        .selectFrom('webhook_subscription')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /**
     * Locks the row until the transaction ends; null when there is none. Its deliveries are neither
     * started nor recorded by others until then.
     */
    async lock(storeId: number, id: number): Promise<WebhookSubscription | null> {
      const found = await selected().where('store_id', '=', storeId).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
      return found ?? null
    },

    /**
     * Throws a violation of `webhook_subscription_once` when there is one for this event and URL.
     */
    async insert(storeId: number, { name, event, url }: WebhookSubscriptionFields, at: Date): Promise<number> {
      const { id } = await database
        .insertInto('webhook_subscription')
        .values({ store_id: storeId, name, event, url, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    /** Throws like `insert`. */
    async update(storeId: number, id: number, { name, event, url }: WebhookSubscriptionFields, at: Date): Promise<void> {
      await database
        .updateTable('webhook_subscription')
        .set((set) => ({ name, event, url, updated_at: at, version: set('version', '+', 1) }))
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },

    async delete(storeId: number, id: number): Promise<void> {
      await database.deleteFrom('webhook_subscription').where('store_id', '=', storeId).where('id', '=', id).execute()
    },

    /** What its attempts have come to. */
    async setHealth(
      storeId: number,
      {
        id,
        failureCount,
        failingSince,
        pausedAt,
      }: Pick<WebhookSubscription, 'id' | 'failureCount' | 'failingSince' | 'pausedAt'>,
    ): Promise<void> {
      await database
        .updateTable('webhook_subscription')
        .set({ failure_count: failureCount, failing_since: failingSince, paused_at: pausedAt })
        .where('store_id', '=', storeId)
        .where('id', '=', id)
        .execute()
    },
  }
}
