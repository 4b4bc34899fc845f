import { type Generated, type Kysely, sql, type Transaction } from 'kysely'
import { prepared } from '../database/prepared-statements.ts'

/** The tables that every subgraph with events has in its schema. */
export type OutboxTables = {
  event_topic: { name: string; last_number: string }
  event: { topic: string; number: string; payload: unknown; created_at: Generated<Date> }
  event_process: { id: string; seen_at: Date }
  event_position: { process: string; topic: string; number: string }
  event_listener: { id: string; process: string; topic: string; listener: string; number: string | null }
}

/** A stored event: one frozen object shared by all subscribers of this process. */
export type OutboxEvent = {
  readonly topic: string
  /** Sequence number in the topic: dense, in commit order. */
  readonly number: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** The NOTIFY channel of a schema; payloads are names of topics with a new event. */
export const notificationChannel = (schema: string): string => `${schema}_event`

/**
 * Writes an event in the transaction that causes it: it is sent if and only if that commits. The
 * topic is locked until then, so append last; events of one topic are in commit order.
 */
export const append = <Tables extends OutboxTables>(
  transaction: Transaction<Tables>,
  topic: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> => appendAll(transaction, topic, [payload])

/** `append` for several events of one topic, in this order. */
export async function appendAll<Tables extends OutboxTables>(
  transaction: Transaction<Tables>,
  topic: string,
  payloads: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  if (payloads.length === 0) return
  // A cast, because Kysely does not see that Tables include the outbox's.
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
      SELECT ${topic}, last_number - ${count} + ordinal, payload
      FROM next, jsonb_array_elements(${payloads}::jsonb) WITH ORDINALITY AS item (payload, ordinal)
    )
    SELECT pg_notify(current_schema() || '_event', ${topic})`.compile(database),
)

/** Delivers events of the outbox to subscribers in this process. */
export type EventFeed = {
  /**
   * Iterates over all events of `topic` committed after this resolves, in order. `return()` takes
   * effect at once. A listener with a name resumes where it stopped when its process died at most
   * five minutes ago. Fails with SLOW_READER when the reader is too far behind. An event counts as
   * delivered when the reader asks for the next one.
   */
  readonly listen: (topic: string, listener: string | null) => Promise<AsyncIterableIterator<OutboxEvent>>
  /**
   * Calls `listener` with the topic of every committed event of any process, subscribed to here or
   * not; with null when some may have been missed. The returned function removes it.
   */
  readonly onEvent: (listener: (topic: string | null) => void) => () => void
  /** Number of current subscribers: for tests and metrics. */
  readonly listeners: () => number
  readonly close: () => Promise<void>
}
