import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { prepared } from '../database/prepared-statements.ts'
import type { OutboxEvent, OutboxTables } from './outbox.ts'

/** Most events of one topic per read. */
export const MAX_BATCH_EVENTS = 1_000
/** How long subscriptions of a dead process can be resumed. SQL interval. */
const PROCESS_RETENTION = '5 minutes'
/** How long events are stored; longer than `PROCESS_RETENTION`. SQL interval. */
const EVENT_RETENTION = '10 minutes'

export type EventRecords = ReturnType<typeof createEventRecords>

/** What the database stores about this process and its subscribers; `process` is its id. */
export function createEventRecords(database: Kysely<OutboxTables>, process: string) {
  return {
    process,

    /** Registers a subscriber; `from` is the number of the last event before its first. */
    register: (topic: string, listener: string | null): Promise<{ readonly id: string | null; readonly from: number }> =>
      listener === null
        ? lastNumber(database, topic).then((from) => ({ id: null, from }))
        : database.transaction().execute(async (transaction) => {
            const resumed = await takeOverPosition(transaction, topic, listener, process)
            const from = resumed ?? (await lastNumber(transaction, topic))
            const id = randomUUID()
            await transaction
              .insertInto('event_listener')
              .values({ id, process, topic, listener, number: String(from) })
              .execute()
            return { id, from }
          }),

    /** The events behind the positions of these topics, in order within each, at most `BATCH` of each. */
    async read(topics: readonly { readonly name: string; readonly position: number }[]): Promise<OutboxEvent[]> {
      const names = topics.map(({ name }) => name)
      const positions = topics.map(({ position }) => String(position))
      const rows = await READ_AFTER(database, names, positions)
      return rows.map((row) => Object.freeze({ ...row, number: Number(row.number) }))
    },

    /** Number of the last event of each topic, by name; absent for a topic without events. */
    async lastNumbers(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (names.length === 0) return new Map()
      const rows = await database.selectFrom('event_topic').select(['name', 'last_number']).where('name', 'in', names).execute()
      return new Map(rows.map(({ name, last_number }) => [name, Number(last_number)]))
    },

    /** Stores the position of a topic; `number` is that of a subscriber behind it, null for none behind. */
    async write(
      topic: string,
      position: number,
      listeners: readonly { readonly id: string; readonly number: number | null }[],
    ): Promise<void> {
      const ids = listeners.map(({ id }) => id)
      const numbers = listeners.map(({ number }) => number)
      await WRITE_POSITIONS(database, ids, numbers, process, topic, position)
    },

    async release(ids: readonly string[]): Promise<void> {
      await database.deleteFrom('event_listener').where('id', 'in', ids).execute()
    },

    async heartbeat(): Promise<void> {
      await sql`INSERT INTO event_process (id, seen_at) VALUES (${process}, now())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`.execute(database)
    },

    /** Deletes processes that cannot be resumed any more, and old events. */
    async deleteExpired(): Promise<void> {
      await sql`DELETE FROM event_process WHERE seen_at < now() - ${PROCESS_RETENTION}::interval`.execute(database)
      await sql`DELETE FROM event WHERE created_at < now() - ${EVENT_RETENTION}::interval`.execute(database)
    },

    /** Deletes this process with its subscribers. */
    async leave(): Promise<void> {
      await database.deleteFrom('event_process').where('id', '=', process).execute()
    },
  }
}

type EventRow = Omit<OutboxEvent, 'number'> & { readonly number: string }

const READ_AFTER = prepared((database: Kysely<OutboxTables>, names: readonly string[], positions: readonly string[]) =>
  sql<EventRow>`
    SELECT found.topic, found.number, found.payload, found.created_at AS "createdAt"
    FROM unnest(${names}::text[], ${positions}::bigint[]) AS topic (name, position)
    CROSS JOIN LATERAL (
      SELECT * FROM event WHERE event.topic = topic.name AND number > topic.position ORDER BY number LIMIT ${sql.lit(MAX_BATCH_EVENTS)}
    ) AS found
    ORDER BY found.topic, found.number`.compile(database),
)

const WRITE_POSITIONS = prepared(
  (
    database: Kysely<OutboxTables>,
    ids: readonly string[],
    numbers: readonly (number | null)[],
    process: string,
    topic: string,
    position: number,
  ) =>
    sql`
      WITH moved AS (
        UPDATE event_listener SET number = changed.number
        FROM unnest(${ids}::uuid[], ${numbers}::bigint[]) AS changed (id, number) WHERE event_listener.id = changed.id
      )
      INSERT INTO event_position (process, topic, number) VALUES (${process}, ${topic}, ${position})
      ON CONFLICT (process, topic) DO UPDATE SET number = excluded.number`.compile(database),
)

async function lastNumber(database: Kysely<OutboxTables>, topic: string): Promise<number> {
  const row = await database.selectFrom('event_topic').select('last_number').where('name', '=', topic).executeTakeFirst()
  return Number(row?.last_number ?? 0)
}

/**
 * Takes over the position of a subscriber with this name that a dead process left, and deletes its
 * row, so that each row is resumed once. A process is dead when its advisory lock can be taken:
 * shared, because others may try at the same time.
 */
async function takeOverPosition(
  database: Kysely<OutboxTables>,
  topic: string,
  listener: string,
  process: string,
): Promise<number | null> {
  const { rows } = await sql<{ number: string }>`
    WITH abandoned AS MATERIALIZED (
      SELECT event_listener.id, event_listener.process, coalesce(event_listener.number, event_position.number) AS number
      FROM event_listener JOIN event_process ON event_process.id = event_listener.process
      LEFT JOIN event_position ON event_position.process = event_listener.process AND event_position.topic = event_listener.topic
      WHERE event_listener.topic = ${topic} AND event_listener.listener = ${listener} AND event_listener.process <> ${process}
        AND event_process.seen_at > now() - ${PROCESS_RETENTION}::interval
      ORDER BY number LIMIT 100
      FOR UPDATE OF event_listener SKIP LOCKED
    ), one AS (
      SELECT id, number FROM abandoned
      WHERE pg_try_advisory_xact_lock_shared(hashtextextended(process::text, 0)) ORDER BY number LIMIT 1
    )
    DELETE FROM event_listener USING one WHERE event_listener.id = one.id RETURNING one.number`.execute(database)
  return rows[0] ? Number(rows[0].number) : null
}
