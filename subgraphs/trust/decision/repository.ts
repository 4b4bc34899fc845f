import { type Kysely, sql } from 'kysely'
import type { Snapshot } from '../evidence.ts'
import { takeScans } from '../key/repository.ts'
import type { Tables } from '../tables.ts'
import { timeOf } from '../words.ts'
import type { Decision } from './decision.ts'

/** An answer to be stored. */
export type NewDecision = Decision & { readonly requestText: string; readonly requestHash: Buffer }

/** Decisions in the database. */
export const decisionRepository = (database: Kysely<Tables>) => ({
  /** A decision of a key; null when it has none with this id. */
  async find(keyId: string, id: string): Promise<Decision | null> {
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
  async lastSnapshots(
    keyId: string,
    hashes: readonly Buffer[],
    { at, policyVersion }: { readonly at: Date; readonly policyVersion: string },
  ): Promise<ReadonlyMap<string, Snapshot>> {
    // The last one first, then whether it is valid: the other way round would read all that have ended.
    const { rows } = await sql<{ hash: Buffer; body: string }>`
      SELECT asked.hash, snapshot.body
      FROM unnest(${hashes}::bytea[]) AS asked (hash)
      CROSS JOIN LATERAL (
        SELECT snapshot_id, valid_until, policy_version FROM decision
        WHERE key_id = ${keyId} AND request_hash = asked.hash ORDER BY created_at DESC LIMIT 1
      ) AS last
      JOIN snapshot ON snapshot.id = last.snapshot_id
      WHERE last.valid_until > ${at} AND last.policy_version = ${policyVersion}`.execute(database)
    return new Map(rows.map(({ hash, body }) => [hash.toString('hex'), JSON.parse(body)]))
  },

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
      await insert(database, decisions)
      return { stored: decisions.length, scans: null }
    }
    return database.transaction().execute(async (transaction) => {
      const { taken, scans } = await takeScans(transaction, { keyId, at, wanted: decisions.length, limit })
      if (taken > 0) await insert(transaction, decisions.slice(0, taken))
      return { stored: taken, scans }
    })
  },
})

export type DecisionRepository = ReturnType<typeof decisionRepository>

const insert = (database: Kysely<Tables>, decisions: readonly NewDecision[]): Promise<unknown> =>
  database.insertInto('decision').values(decisions.map(rowOf)).execute()

function rowOf(decision: NewDecision) {
  return {
    id: decision.id,
    key_id: decision.keyId,
    created_at: decision.createdAt,
    request: decision.requestText,
    request_hash: decision.requestHash,
    snapshot_id: decision.snapshot.id,
    policy_version: decision.policyVersion,
    override: decision.override === null ? null : JSON.stringify(decision.override),
    body: decision.text,
    valid_until: timeOf(decision.judgement.validity.validUntil),
    elapsed_ms: decision.elapsedMs,
  }
}

/** Collectors have stored theirs, most of the time; those that were put together anew are ours to store. */
async function saveSnapshots(database: Kysely<Tables>, decisions: readonly NewDecision[]): Promise<void> {
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
