import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { prepared } from '../database/prepared-statements.ts'
import type { OutboxEvent } from './outbox.ts'
import type { OutboxTables } from './tables.ts'

/** Events that are read at once from one topic. */
export const BATCH_ROWS = 1_000
/** Events that a relay reads at once from one topic. */
export const RELAY_BATCH_ROWS = 100
/** Age up to which a new leader of a relay publishes events again. SQL interval. */
const RELAYED_AGAIN = '30 seconds'
/**
 * Retention of records of a dead process, and of events, which must outlive them. SQL intervals.
 */
const REMEMBERED = '5 minutes'
const RETENTION = '10 minutes'

/** The database's records of one process and its listeners. */
export type EventRecords = ReturnType<typeof recordsOf>

/** Records of this process and its subscribers in the database. */
export function recordsOf(database: Kysely<OutboxTables>, process: string) {
  return {
    process,

    /** Enters a listener; `from` is the number of the last event before its time. */
    enter: (topic: string, listener: string | null): Promise<{ readonly id: string | null; readonly from: number }> =>
      listener === null
        ? lastNumber(database, topic).then((from) => ({ id: null, from }))
        : database.transaction().execute(async (transaction) => {
            const left = await leftBehind(transaction, topic, listener, process)
            const from = left ?? (await lastNumber(transaction, topic))
            const id = randomUUID()
            await transaction
              .insertInto('event_listener')
              .values({ id, process, topic, listener, number: String(from) })
              .execute()
            return { id, from }
          }),

    /**
     * The events behind the positions of these topics, in order within each, at most `BATCH` of
     * each.
     */
    async read(topics: readonly { readonly name: string; readonly position: number }[]): Promise<OutboxEvent[]> {
      const names = topics.map(({ name }) => name)
      const positions = topics.map(({ position }) => String(position))
      const rows = await BEHIND(database, names, positions)
      return rows.map((row) => Object.freeze({ ...row, number: Number(row.number) }))
    },

    /**
     * The events behind these positions, in order within each, at most `RELAY_BATCH_ROWS` of each;
     * of a topic whose position is null, those of the last half minute, and the last: `created_at` is
     * the time at which a transaction began, which may be long ago.
     */
    async readToRelay(topics: readonly { readonly name: string; readonly position: number | null }[]): Promise<OutboxEvent[]> {
      const names = topics.map(({ name }) => name)
      const positions = topics.map(({ position }) => (position === null ? null : String(position)))
      const rows = await TO_RELAY(database, names, positions)
      return rows.map((row) => ({ ...row, number: Number(row.number) }))
    },

    /** Topics with events of the last half minute, in any order. */
    async recentTopics(): Promise<readonly string[]> {
      const { rows } = await sql<{ readonly topic: string }>`
        SELECT DISTINCT topic FROM event WHERE created_at > now() - ${RELAYED_AGAIN}::interval`.execute(database)
      return rows.map(({ topic }) => topic)
    },

    /** Identifies the database, also after its replica has taken over. */
    async databaseName(): Promise<string> {
      const { rows } = await sql<{ readonly name: string }>`
        SELECT system_identifier || ':' || current_database() AS name FROM pg_control_system()`.execute(database)
      return rows[0]?.name ?? ''
    },

    /** Numbers of the last events of these topics, by name; none for a topic without any. */
    async ends(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (names.length === 0) return new Map()
      const rows = await database.selectFrom('event_topic').select(['name', 'last_number']).where('name', 'in', names).execute()
      return new Map(rows.map(({ name, last_number }) => [name, Number(last_number)]))
    },

    /** Writes the position of a topic, and those of its detached subscribers, or null. */
    async write(
      topic: string,
      position: number,
      listeners: readonly { readonly id: string; readonly number: number | null }[],
    ): Promise<void> {
      const ids = listeners.map(({ id }) => id)
      const numbers = listeners.map(({ number }) => number)
      await WRITE(database, ids, numbers, process, topic, position)
    },

    async release(ids: readonly string[]): Promise<void> {
      await database.deleteFrom('event_listener').where('id', 'in', ids).execute()
    },

    async beat(): Promise<void> {
      await sql`INSERT INTO event_process (id, seen_at) VALUES (${process}, now())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`.execute(database)
    },

    /** Deletes records that cannot be resumed any more. */
    async tidy(): Promise<void> {
      await sql`DELETE FROM event_process WHERE seen_at < now() - ${REMEMBERED}::interval`.execute(database)
      await sql`DELETE FROM event WHERE created_at < now() - ${RETENTION}::interval`.execute(database)
    },

    /** Takes back everything about this process. */
    async leave(): Promise<void> {
      await database.deleteFrom('event_process').where('id', '=', process).execute()
    },
  }
}

type EventRow = Omit<OutboxEvent, 'number'> & { readonly number: string }

const BEHIND = prepared((database: Kysely<OutboxTables>, names: readonly string[], positions: readonly string[]) =>
  sql<EventRow>`
    SELECT found.topic, found.number, found.payload, found.created_at AS "createdAt"
    FROM unnest(${names}::text[], ${positions}::bigint[]) AS requested (name, position)
    CROSS JOIN LATERAL (
      SELECT * FROM event WHERE topic = requested.name AND number > requested.position ORDER BY number LIMIT ${sql.lit(BATCH_ROWS)}
    ) AS found
    ORDER BY found.topic, found.number`.compile(database),
)

const TO_RELAY = prepared((database: Kysely<OutboxTables>, names: readonly string[], positions: readonly (string | null)[]) =>
  sql<EventRow>`
    SELECT found.topic, found.number, found.payload, found.created_at AS "createdAt"
    FROM unnest(${names}::text[], ${positions}::bigint[]) AS requested (name, position)
    JOIN event_topic ON event_topic.name = requested.name
    CROSS JOIN LATERAL (
      SELECT * FROM event
      WHERE topic = requested.name AND number > coalesce(requested.position, event_topic.last_number - ${sql.lit(BATCH_ROWS)})
        AND (requested.position IS NOT NULL OR created_at > now() - ${RELAYED_AGAIN}::interval
          OR number = event_topic.last_number)
      ORDER BY number LIMIT ${sql.lit(RELAY_BATCH_ROWS)}
    ) AS found
    ORDER BY found.topic, found.number`.compile(database),
)

const WRITE = prepared(
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
 * Position of a subscriber of this name that a dead process left; it is deleted, so that a resumed
 * subscriber counts once. A process is dead when its lock is free: shared, for concurrent checks. A
 * client that resumes several at once waits for one after the other: locked rows are skipped.
 */
async function leftBehind(
  database: Kysely<OutboxTables>,
  topic: string,
  listener: string,
  process: string,
): Promise<number | null> {
  const { rows } = await sql<{ number: string }>`
    WITH left_behind AS MATERIALIZED (
      SELECT event_listener.id, event_listener.process, coalesce(event_listener.number, event_position.number) AS number
      FROM event_listener JOIN event_process ON event_process.id = event_listener.process
      LEFT JOIN event_position ON event_position.process = event_listener.process AND event_position.topic = event_listener.topic
      WHERE event_listener.topic = ${topic} AND event_listener.listener = ${listener} AND event_listener.process <> ${process}
        AND event_process.seen_at > now() - ${REMEMBERED}::interval
      ORDER BY number, event_listener.id LIMIT 100
      FOR UPDATE OF event_listener
    ), one AS (
      SELECT id, number FROM left_behind
      WHERE pg_try_advisory_xact_lock_shared(hashtextextended(process::text, 0)) ORDER BY number LIMIT 1
    )
    DELETE FROM event_listener USING one WHERE event_listener.id = one.id RETURNING one.number`.execute(database)
  return rows[0] ? Number(rows[0].number) : null
}
