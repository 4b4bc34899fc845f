import { type Kysely, sql } from 'kysely'
import { batched } from '../../runtime/batched.ts'
import { prepared } from '../../runtime/prepared.ts'
import type { Snapshot } from '../evidence.ts'
import { takeScans } from '../key/repository.ts'
import type { Tables } from '../tables.ts'
import { timeOf } from '../words.ts'
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
      await insert(database, all.flat())
      return all
    },
    // Each is a commit, and all that is left to be done for these is to answer.
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

    /** The evidence of the key's last decision on each of these requests, where that is valid at `at`, by the request's hash in hexadecimal. */
    lastSnapshots: lastSnapshots(database),

    /**
     * Stores the decisions that there are scans for, the first ones first, and counts them in the same transaction. `limit`: scans a month, null for none.
     * Returns how many were stored, and the scans of the month; null where they are not counted.
     */
    async record(
      decisions: readonly NewDecision[],
      { keyId, at, limit }: { readonly keyId: string; readonly at: Date; readonly limit: number | null },
    ): Promise<{ readonly stored: number; readonly scans: number | null }> {
      // Not in the transaction: the row of the count should be locked for as short as possible.
      await saveSnapshots(database, decisions)
      if (limit === null) {
        await inserted(decisions)
        return { stored: decisions.length, scans: null }
      }
      return database.transaction().execute(async (transaction) => {
        const { taken, scans } = await takeScans(transaction, { keyId, at, wanted: decisions.length, limit })
        if (taken > 0) await insert(transaction, decisions.slice(0, taken))
        return { stored: taken, scans }
      })
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

async function insert(database: Kysely<Tables>, decisions: readonly NewDecision[]): Promise<void> {
  const column = <Value>(read: (decision: NewDecision) => Value) => decisions.map(read)
  await INSERT(
    database,
    column(({ id }) => id),
    column(({ keyId }) => keyId),
    column(({ createdAt }) => createdAt),
    column(({ requestText }) => requestText),
    column(({ requestHash }) => requestHash),
    column(({ snapshot }) => snapshot.id),
    column(({ policyVersion }) => policyVersion),
    column(({ override }) => override && JSON.stringify(override)),
    column(({ text }) => text),
    column(({ judgement }) => timeOf(judgement.validity.validUntil)),
    column(({ elapsedMs }) => elapsedMs),
  )
}

/** Any number of rows, by their columns. */
const INSERT = prepared(
  (
    database: Kysely<Tables>,
    ids: readonly string[],
    keyIds: readonly string[],
    times: readonly Date[],
    requests: readonly string[],
    hashes: readonly Buffer[],
    snapshotIds: readonly string[],
    policyVersions: readonly string[],
    overrides: readonly (string | null)[],
    bodies: readonly string[],
    ends: readonly Date[],
    elapsed: readonly number[],
  ) =>
    sql`
      INSERT INTO decision (id, key_id, created_at, request, request_hash, snapshot_id, policy_version, override, body, valid_until, elapsed_ms)
      SELECT * FROM unnest(${ids}::text[], ${keyIds}::bigint[], ${times}::timestamptz[], ${requests}::text[], ${hashes}::bytea[],
        ${snapshotIds}::text[], ${policyVersions}::text[], ${overrides}::text[], ${bodies}::text[], ${ends}::timestamptz[],
        ${elapsed}::integer[])`.compile(database),
)

/** Questions whose last answers are looked for. */
type Repeated = {
  readonly keyId: string
  readonly hashes: readonly Buffer[]
  readonly at: Date
  readonly policyVersion: string
}
type LastAnswer = {
  readonly key_id: string
  readonly hash: string
  readonly body: string
  readonly valid_until: Date
  readonly policy_version: string
}

/** The last one first, then whether it is valid: the other way round would read all that have ended. */
const LAST_ANSWERS = prepared((database: Kysely<Tables>, keyIds: readonly string[], hashes: readonly string[], since: Date) =>
  sql<LastAnswer>`
    SELECT asked.key_id, asked.hash, snapshot.body, last.valid_until, last.policy_version
    FROM unnest(${keyIds}::bigint[], ${hashes}::text[]) AS asked (key_id, hash)
    CROSS JOIN LATERAL (
      SELECT snapshot_id, valid_until, policy_version FROM decision
      WHERE key_id = asked.key_id AND request_hash = decode(asked.hash, 'hex') ORDER BY created_at DESC LIMIT 1
    ) AS last
    JOIN snapshot ON snapshot.id = last.snapshot_id
    WHERE last.valid_until > ${since}`.compile(database),
)

/** Every decision asks: those that come at once share a statement. */
function lastSnapshots(database: Kysely<Tables>) {
  return batched(async (asked: readonly Repeated[]): Promise<readonly ReadonlyMap<string, Snapshot>[]> => {
    const pairs = asked.flatMap(({ keyId, hashes }) => hashes.map((hash) => ({ keyId, hash: hash.toString('hex') })))
    const distinct = [...new Map(pairs.map((pair) => [`${pair.keyId} ${pair.hash}`, pair])).values()]
    const since = asked.reduce((first, { at }) => (at < first ? at : first), asked[0]?.at ?? new Date())
    const rows = await LAST_ANSWERS(
      database,
      distinct.map(({ keyId }) => keyId),
      distinct.map(({ hash }) => hash),
      since,
    )
    const found = new Map(
      rows.map((row) => [`${row.key_id} ${row.hash}`, { ...row, snapshot: JSON.parse(row.body) as Snapshot }]),
    )
    return asked.map(({ keyId, hashes, at, policyVersion }) => {
      const own = hashes.flatMap((hash) => found.get(`${keyId} ${hash.toString('hex')}`) ?? [])
      const good = own.filter((row) => row.valid_until > at && row.policy_version === policyVersion)
      return new Map(good.map(({ hash, snapshot }) => [hash, snapshot]))
    })
  })
}

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
