import { type Kysely, sql } from 'kysely'
import { batched } from '../../runtime/batched.ts'
import { prepared } from '../../runtime/prepared.ts'
import type { Snapshot } from '../evidence.ts'
import { takeScans } from '../key/repository.ts'
import type { Tables } from '../tables.ts'
import { timeOf } from '../words.ts'
import { askers } from './asker-repository.ts'
import type { Decision } from './decision.ts'

/** An answer to be stored. */
export type NewDecision = Decision & {
  readonly requestText: string
  readonly requestHash: Buffer
  /** Its snapshot was read from the database. */
  readonly isSnapshotStored: boolean
}

/** Decisions in the database. */
export const decisionRepository = (database: Kysely<Tables>) => {
  // Of keys without a limit, whose decisions wait for no count: those that come at once share a statement.
  const inserted = batched(
    async (all: readonly (readonly NewDecision[])[]) => {
      await INSERT(database, ...columnsOf(all.flat()))
      return all
    },
    // Each is a commit, and all that is left to be done for these is to answer.
    { most: 100 },
  )

  // Who makes many decisions at once makes them of as many snapshots.
  const saved = batched(
    async (all: readonly (readonly NewDecision[])[]) => {
      await saveSnapshots(database, all.flat())
      return all
    },
    { most: 100 },
  )

  return {
    /** A decision of a key; null when it has none with this id. */
    async find(keyId: string, id: string): Promise<Decision | null> {
      // PostgreSQL has no text with this character.
      if (id.includes('\0')) return null
      const row = await database
        .selectFrom('decision')
        .innerJoin('snapshot', 'snapshot.id', 'decision.snapshot_id')
        .selectAll('decision')
        .select('snapshot.body as evidence')
        .where('decision.id', '=', id)
        .where('key_id', '=', keyId)
        .executeTakeFirst()
      if (!row) return null
      return {
        id: row.id,
        keyId: row.key_id,
        createdAt: row.created_at,
        request: JSON.parse(row.request),
        policyVersion: row.policy_version,
        override: row.override === null ? null : JSON.parse(row.override),
        judgement: JSON.parse(row.body),
        text: row.body,
        snapshot: JSON.parse(row.evidence),
        elapsedMs: row.elapsed_ms,
      }
    },

    asker: askers(database),

    /** The snapshot with this id; null when there is none. */
    snapshot: snapshotsById(database),

    /**
     * Stores the decisions that there are scans for, the first ones first, and counts them in the same statement. `limit`: scans a month, null for none.
     * Returns how many were stored, and the scans of the month; null where they are not counted.
     */
    async record(
      decisions: readonly NewDecision[],
      { keyId, at, limit }: { readonly keyId: string; readonly at: Date; readonly limit: number | null },
    ): Promise<{ readonly stored: number; readonly scans: number | null }> {
      // In a statement of its own: the row of the count should be locked for as short as possible.
      if (decisions.some(({ isSnapshotStored }) => !isSnapshotStored)) await saved(decisions)
      if (limit === null) {
        await inserted(decisions)
        return { stored: decisions.length, scans: null }
      }
      const { rows } = await sql<{ taken: number; scans: number }>`
        WITH counted AS (${takeScans({ keyId, at, wanted: decisions.length, limit })}), stored AS (
          INSERT INTO decision (${COLUMNS}) SELECT ${COLUMNS}
          FROM ${rowsOf(...columnsOf(decisions))} WITH ORDINALITY AS given (${COLUMNS}, place) WHERE place <= (SELECT taken FROM counted)
        )
        SELECT taken, scans FROM counted`.execute(database)
      const [row] = rows
      if (!row) throw new Error('Expected a count of the month.')
      return { stored: row.taken, scans: row.scans }
    },

    /** Deletes decisions that were made before `time`, the oldest first, and says how many: at most a thousand, 0 when there are no more. */
    async deleteBefore(time: Date): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('decision')
        .where('id', 'in', (query) =>
          query.selectFrom('decision').select('id').where('created_at', '<', time).orderBy('created_at').limit(AT_ONCE),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

const AT_ONCE = 1_000

export type DecisionRepository = ReturnType<typeof decisionRepository>

/** Decisions as rows, by their columns. */
const columnsOf = (decisions: readonly NewDecision[]) =>
  [
    decisions.map(({ id }) => id),
    decisions.map(({ keyId }) => keyId),
    decisions.map(({ createdAt }) => createdAt),
    decisions.map(({ requestText }) => requestText),
    decisions.map(({ requestHash }) => requestHash),
    decisions.map(({ snapshot }) => snapshot.id),
    decisions.map(({ policyVersion }) => policyVersion),
    decisions.map(({ override }) => override && JSON.stringify(override)),
    decisions.map(({ text }) => text),
    decisions.map(({ judgement }) => timeOf(judgement.validity.validUntil)),
    decisions.map(({ elapsedMs }) => elapsedMs),
  ] as const

const COLUMNS = sql.raw(
  'id, key_id, created_at, request, request_hash, snapshot_id, policy_version, override, body, valid_until, elapsed_ms',
)

type Columns = ReturnType<typeof columnsOf>

const rowsOf = (...[ids, keyIds, times, requests, hashes, snapshotIds, versions, overrides, bodies, ends, elapsed]: Columns) =>
  sql`unnest(${ids}::text[], ${keyIds}::bigint[], ${times}::timestamptz[], ${requests}::text[], ${hashes}::bytea[],
    ${snapshotIds}::text[], ${versions}::text[], ${overrides}::text[], ${bodies}::text[], ${ends}::timestamptz[], ${elapsed}::integer[])`

const INSERT = prepared(
  (
    database: Kysely<Tables>,
    ids: Columns[0],
    keyIds: Columns[1],
    times: Columns[2],
    requests: Columns[3],
    hashes: Columns[4],
    snapshotIds: Columns[5],
    versions: Columns[6],
    overrides: Columns[7],
    bodies: Columns[8],
    ends: Columns[9],
    elapsed: Columns[10],
  ) =>
    sql`INSERT INTO decision (${COLUMNS}) SELECT * FROM ${rowsOf(ids, keyIds, times, requests, hashes, snapshotIds, versions, overrides, bodies, ends, elapsed)}`.compile(
      database,
    ),
)

const SNAPSHOTS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  sql<{ id: string; body: string }>`SELECT id, body FROM snapshot WHERE id = ANY (${ids}::text[])`.compile(database),
)

/** Those that are asked for at once share a statement. */
const snapshotsById = (database: Kysely<Tables>): ((id: string) => Promise<Snapshot | null>) =>
  batched(async (ids: readonly string[]) => {
    const rows = await SNAPSHOTS(database, [...new Set(ids)])
    const found = new Map(rows.map(({ id, body }) => [id, JSON.parse(body) as Snapshot]))
    return ids.map((id) => found.get(id) ?? null)
  })

/** Collectors have stored theirs, most of the time; those that were put together anew are ours to store. */
async function saveSnapshots(database: Kysely<Tables>, all: readonly NewDecision[]): Promise<void> {
  const decisions = all.filter(({ isSnapshotStored }) => !isSnapshotStored)
  if (decisions.length === 0) return
  // In one order everywhere: two statements that write the same rows must not wait for each other.
  const snapshots = [...new Map(decisions.map(({ snapshot }) => [snapshot.id, snapshot])).values()].sort((one, other) =>
    one.id < other.id ? -1 : 1,
  )
  const known = await database
    .selectFrom('snapshot')
    .select('id')
    .where(
      'id',
      'in',
      snapshots.map(({ id }) => id),
    )
    .execute()
  const missing = snapshots.filter(({ id }) => !known.some((each) => each.id === id))
  if (missing.length === 0) return
  await database
    .insertInto('snapshot')
    .values(
      missing.map((snapshot) => ({
        id: snapshot.id,
        host: snapshot.host,
        body: JSON.stringify(snapshot),
        collected_at: timeOf(snapshot.collectedAt),
        valid_until: timeOf(Math.min(...Object.values(snapshot.sources).map(({ validUntil }) => validUntil))),
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}
