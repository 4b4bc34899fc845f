import { type Kysely, sql, type Transaction } from 'kysely'
import { prepared } from '../database/prepared-statements.ts'
import type { DetachableIterator } from './subscriber.ts'
import type { OutboxTables } from './tables.ts'

/** An event. The same frozen object for every subscriber of its topic in this process. */
export type OutboxEvent = {
  readonly topic: string
  /** Place within the topic: dense, in the order of commits. */
  readonly number: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** The channel that is notified of topics with a new event in this schema. */
export const channelOf = (schema: string): string => `${schema}_event`

/**
 * Writes an event into the transaction that causes it, so that it is sent if and only if that
 * commits. The topic stays locked until then: append last, and events of one topic are in the order
 * of commits.
 */
export const append = <Tables extends OutboxTables>(
  transaction: Transaction<Tables>,
  topic: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> => appendAll(transaction, topic, [payload])

/** Writes several events of one topic in this order, like `append`; none for none. */
export async function appendAll<Tables extends OutboxTables>(
  transaction: Transaction<Tables>,
  topic: string,
  payloads: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (payloads.length === 0) return
  // These tables are among the others.
  await APPEND(transaction as unknown as Kysely<OutboxTables>, topic, payloads.length, JSON.stringify(payloads))
}

const APPEND = prepared((database: Kysely<OutboxTables>, topic: string, count: number, payloads: string) =>
  sql`
    WITH next AS (
      INSERT INTO event_topic (name, last_number) VALUES (${topic}, ${count})
      ON CONFLICT (name) DO UPDATE SET last_number = event_topic.last_number + ${count}
      RETURNING last_number
    ), written AS (
      INSERT INTO event (topic, number, payload)
      SELECT ${topic}, last_number - ${count} + place, payload
      FROM next, jsonb_array_elements(${payloads}::jsonb) WITH ORDINALITY AS told (payload, place)
    )
    SELECT pg_notify(current_schema() || '_event', ${topic})`.compile(database),
)

/** Hands out events of the outbox to listeners in this process. */
export type EventFeed = {
  /**
   * Every event of `topic` that is committed after this resolves, in order. `return()` takes effect
   * at once. A subscriber with a name whose process died at most five minutes ago resumes where it
   * stopped. The iterator fails with SLOW_READER when its reader is too far behind. An event counts
   * as delivered when its reader requests the next one, or by its subscriber, once that is
   * detached.
   */
  readonly listen: (topic: string, listener: string | null) => Promise<DetachableIterator<OutboxEvent>>
  /**
   * Calls `delivered` for every event of any process whose transaction has ended, with its topic,
   * also without subscribers here; with null when some may have been missed. The returned function
   * ends it.
   */
  readonly notice: (delivered: (topic: string | null) => void) => () => void
  /** Listeners now, of which one may read for many subscribers: for tests and metrics. */
  readonly listeners: () => number
  readonly close: () => Promise<void>
}
