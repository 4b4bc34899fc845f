import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../platform/database/prepared-statements.ts'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { SweepCursor } from '../assessment/repository.ts'
import type { Snapshot } from '../evidence.ts'
import { monthRange } from '../key/key.ts'
import { takeScans } from '../key/repository.ts'
import type { Tables } from '../tables.ts'
import { fromUnixSeconds } from '../unix-time.ts'
import { findCallerStates, findKeyState } from './caller-state-repository.ts'
import type { Decision } from './decision.ts'
import { overrideText } from './judgement-cache.ts'

/** An answer to be stored. */
export type NewDecision = Decision & {
  readonly requestText: string
  readonly requestHash: Buffer
  readonly judgementId: string
  /** Whether its snapshot, or its body, is known to be in the database. */
  readonly isSnapshotStored: boolean
  readonly isJudgementStored: boolean
}

/** Decisions with what they were made from. */
const storedDecisions = (database: Kysely<Tables>) =>
  database
    .selectFrom('decision')
    .innerJoin('judgement', 'judgement.id', 'decision.judgement_id')
    .innerJoin('snapshot', 'snapshot.id', 'judgement.snapshot_id')
    .selectAll('judgement')
    .selectAll('decision')
    .select('snapshot.body as evidence')

type StoredDecision = Awaited<ReturnType<ReturnType<typeof storedDecisions>['executeTakeFirstOrThrow']>>

const toDecision = (row: StoredDecision): Decision => ({
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
})

/** Decisions in the database. */
export const decisionRepository = (database: Kysely<Tables>) => {
  // Of keys without a limit, whose decisions wait for no count: those that come at once share a
  // statement.
  const inserted = batchWork(
    async (all: readonly (readonly NewDecision[])[]) => {
      await INSERT(database, ...columnsOf(all.flat()))
      return all
    },
    // Each is a commit, and all that is left to be done for these is to answer.
    { maxItems: 100 },
  )

  const counted = countedInsertions(database)

  // A caller with many decisions at once has as many snapshots.
  const saved = batchWork(
    async (all: readonly (readonly NewDecision[])[]) => {
      await saveNewJudgements(database, all.flat())
      return all
    },
    { maxItems: 100 },
  )

  return {
    /** A decision of a key; null when it has none with this id. */
    async find(keyId: string, id: string): Promise<Decision | null> {
      // PostgreSQL has no text with this character.
      if (id.includes('\0')) return null
      const row = await storedDecisions(database).where('decision.id', '=', id).where('key_id', '=', keyId).executeTakeFirst()
      return row ? toDecision(row) : null
    },

    /** Decisions of all keys, in any order: for those who may read what names their ids. */
    async findByIds(ids: readonly string[]): Promise<Decision[]> {
      const rows = await storedDecisions(database).where('decision.id', 'in', ids).execute()
      return rows.map(toDecision)
    },

    callerState: findCallerStates(database),

    callerStateOfKey: findKeyState(database),

    /** The snapshot with this id; null when there is none. */
    snapshot: snapshotsById(database),

    /**
     * Stores the decisions that there are scans for, the first ones first, and counts them in the
     * same statement. `limit`: scans a month, null for none. Returns how many were stored, and the
     * scans of the month; null where they are not counted.
     */
    async record(decisions: readonly NewDecision[], { keyId, at, limit }: Counting): Promise<Counted> {
      // In statements of their own: the row of the count should be locked for as short as possible.
      const isNew = decisions.some(({ isSnapshotStored, isJudgementStored }) => !isSnapshotStored || !isJudgementStored)
      if (isNew) await saved(decisions)
      if (limit === null) {
        await inserted(decisions)
        return { stored: decisions.length, scans: null }
      }
      return counted(decisions, { keyId, at, limit })
    },

    /** Stores what decisions refer to, for `insertCounted` in a transaction of others. */
    saveJudgements: async (decisions: readonly NewDecision[]): Promise<void> => void (await saved(decisions)),

    /**
     * Deletes decisions before `time`, the oldest first, and returns their number: at most a
     * thousand, 0 when there are no more.
     */
    async deleteBefore(time: Date): Promise<number> {
      const { numDeletedRows } = await database
        .deleteFrom('decision')
        .where('id', 'in', (query) =>
          query.selectFrom('decision').select('id').where('created_at', '<', time).orderBy('created_at').limit(DELETE_BATCH_ROWS),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },

    /**
     * Checks the next thousand judgements that ended before `time`, after `after`, and deletes
     * those without a decision. Returns where it stopped; null at the end.
     */
    async deleteUnusedJudgements(time: Date, after: SweepCursor | null): Promise<SweepCursor | null> {
      const behind = after ? sql`AND (valid_until, id) > (${after.validUntil}, ${after.id})` : sql``
      const { rows } = await sql<SweepCursor>`
        WITH seen AS (
          SELECT id, valid_until FROM judgement WHERE valid_until < ${time} ${behind} ORDER BY valid_until, id LIMIT ${DELETE_BATCH_ROWS}
        ), gone AS (
          DELETE FROM judgement USING seen
          WHERE judgement.id = seen.id AND NOT EXISTS (SELECT FROM decision WHERE decision.judgement_id = seen.id)
        )
        SELECT id, valid_until AS "validUntil" FROM seen ORDER BY valid_until DESC, id DESC LIMIT 1`.execute(database)
      return rows[0] ?? null
    },
  }
}

const DELETE_BATCH_ROWS = 1_000

/** Counts of the scans of a key. `limit`: scans a month, null for none. */
type Counting = { readonly keyId: string; readonly at: Date; readonly limit: number | null }

/** How many of the decisions were stored, and the scans of the month with them; null: not counted. */
type Counted = { readonly stored: number; readonly scans: number | null }

/**
 * Inserts the decisions that there are scans for, whose judgements are stored. Returns as `record`.
 */
export async function insertCounted(
  database: Kysely<Tables>,
  decisions: readonly NewDecision[],
  { keyId, at, limit }: Counting,
): Promise<Counted> {
  if (limit === null) {
    await INSERT(database, ...columnsOf(decisions))
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
}

/**
 * Inserts like `insertCounted`. Decisions of one key that end together share a statement: each
 * locks the count of the month, for which the others would wait with a connection each.
 */
function countedInsertions(database: Kysely<Tables>) {
  type Insertion = { readonly decisions: readonly NewDecision[]; readonly counting: Counting }
  const insertAll = async (insertions: readonly Insertion[]): Promise<Counted[]> => {
    const [first] = insertions
    if (!first) return []
    const { stored, scans } = await insertCounted(
      database,
      insertions.flatMap(({ decisions }) => decisions),
      first.counting,
    )
    let left = stored
    return insertions.map(({ decisions }) => {
      const own = Math.min(left, decisions.length)
      left -= own
      return { stored: own, scans: scans === null ? null : scans - left }
    })
  }
  /** Those in use: one for each key, plan and month. */
  const queues = new Map<string, { readonly insert: (insertion: Insertion) => Promise<Counted>; inUse: number }>()

  return async (decisions: readonly NewDecision[], counting: Counting): Promise<Counted> => {
    const name = `${counting.keyId} ${counting.limit} ${monthRange(counting.at).start.getTime()}`
    const queue = queues.get(name) ?? { insert: batchWork(insertAll, { maxItems: 100 }), inUse: 0 }
    queues.set(name, queue)
    queue.inUse += 1
    try {
      return await queue.insert({ decisions, counting })
    } finally {
      queue.inUse -= 1
      if (queue.inUse === 0) queues.delete(name)
    }
  }
}

export type DecisionRepository = ReturnType<typeof decisionRepository>

/** Decisions as rows, by their columns. */
const columnsOf = (decisions: readonly NewDecision[]) =>
  [
    decisions.map(({ id }) => id),
    decisions.map(({ keyId }) => keyId),
    decisions.map(({ createdAt }) => createdAt),
    decisions.map(({ requestHash }) => requestHash),
    decisions.map(({ judgementId }) => judgementId),
    decisions.map(({ elapsedMs }) => elapsedMs),
  ] as const

const COLUMNS = sql.raw('id, key_id, created_at, request_hash, judgement_id, elapsed_ms')

type Columns = ReturnType<typeof columnsOf>

const rowsOf = (...[ids, keyIds, times, hashes, judgementIds, elapsed]: Columns) =>
  sql`unnest(${ids}::text[], ${keyIds}::bigint[], ${times}::timestamptz[], ${hashes}::bytea[], ${judgementIds}::text[], ${elapsed}::integer[])`

const INSERT = prepared(
  (
    database: Kysely<Tables>,
    ids: Columns[0],
    keyIds: Columns[1],
    times: Columns[2],
    hashes: Columns[3],
    judgementIds: Columns[4],
    elapsed: Columns[5],
  ) =>
    sql`INSERT INTO decision (${COLUMNS}) SELECT * FROM ${rowsOf(ids, keyIds, times, hashes, judgementIds, elapsed)}`.compile(
      database,
    ),
)

const SNAPSHOTS = prepared((database: Kysely<Tables>, ids: readonly string[]) =>
  sql<{ id: string; body: string }>`SELECT id, body FROM snapshot WHERE id = ANY (${ids}::text[])`.compile(database),
)

/** Concurrent reads share a statement. */
const snapshotsById = (database: Kysely<Tables>): ((id: string) => Promise<Snapshot | null>) =>
  batchWork(async (ids: readonly string[]) => {
    const rows = await SNAPSHOTS(database, [...new Set(ids)])
    // The column holds what this repository writes.
    const found = new Map(rows.map(({ id, body }) => [id, JSON.parse(body) as Snapshot]))
    return ids.map((id) => found.get(id) ?? null)
  })

/** Writes what decisions refer to, where it may be missing: evidence first, then judgements. */
async function saveNewJudgements(database: Kysely<Tables>, decisions: readonly NewDecision[]): Promise<void> {
  await saveSnapshots(
    database,
    decisions.filter(({ isSnapshotStored }) => !isSnapshotStored).map(({ snapshot }) => snapshot),
  )
  const judgements = uniqueById(
    decisions
      .filter(({ isJudgementStored }) => !isJudgementStored)
      .map((each) => ({
        id: each.judgementId,
        request: each.requestText,
        snapshot_id: each.snapshot.id,
        policy_version: each.policyVersion,
        override: overrideText(each.override),
        body: each.text,
        valid_until: fromUnixSeconds(each.judgement.validity.validUntil),
      })),
  )
  if (judgements.length === 0) return
  await database
    .insertInto('judgement')
    .values(judgements)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/**
 * Collectors have stored theirs, most of the time; those that were put together anew are ours to
 * store.
 */
async function saveSnapshots(database: Kysely<Tables>, all: readonly Snapshot[]): Promise<void> {
  const snapshots = uniqueById(all)
  if (snapshots.length === 0) return
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
        collected_at: fromUnixSeconds(snapshot.collectedAt),
        valid_until: fromUnixSeconds(Math.min(...Object.values(snapshot.sources).map(({ validUntil }) => validUntil))),
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/**
 * Each once, and in one order everywhere: two statements that write the same rows must not wait for
 * each other.
 */
const uniqueById = <Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] =>
  [...new Map(rows.map((row) => [row.id, row])).values()].sort((one, other) => (one.id < other.id ? -1 : 1))
