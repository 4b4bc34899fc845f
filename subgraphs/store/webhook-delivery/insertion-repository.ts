import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import type { EventName } from '../events.ts'
import type { Tables } from '../tables.ts'

/** Inserts one delivery per event and subscription to it, in the order of the events. */
export const insertDeliveries = prepared(
  (
    database: Kysely<Tables>,
    storeId: number,
    events: readonly EventName[],
    entities: readonly string[],
    ids: readonly number[],
    at: Date,
  ) =>
    sql<{ id: string }>`
      INSERT INTO webhook_delivery (store_id, subscription_id, url, event, entity, entity_id, triggered_at, due_at, created_at)
      SELECT ${storeId}, subscription.id, subscription.url, subscription.event, happened.entity, happened.id, ${at}, ${at}, ${at}
      FROM unnest(${events}::text[], ${entities}::text[], ${ids}::integer[])
        WITH ORDINALITY AS happened (event, entity, id, position)
      JOIN webhook_subscription AS subscription ON subscription.store_id = ${storeId} AND subscription.event = happened.event
      ORDER BY happened.position, subscription.id
      FOR KEY SHARE OF subscription
      RETURNING id`.compile(database),
)
