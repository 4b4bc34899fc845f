import { type Kysely, sql } from 'kysely'
import type { Snapshot } from '../evidence.ts'
import type { Tables } from '../tables.ts'
import { toUnixSeconds } from '../unix-time.ts'

/** The newest snapshot of a host, and until when all of its evidence is valid. */
export type LatestSnapshot = { readonly snapshot: Snapshot; readonly validUntil: number }

/** Stored snapshots, as far as assessments need them. */
export const snapshotRepository = (database: Kysely<Tables>) => ({
  /** The newest one of each host, in any order, without hosts that have none. */
  async latest(hosts: readonly string[]): Promise<LatestSnapshot[]> {
    const { rows } = await sql<{ body: string; valid_until: Date }>`
      SELECT latest.body, latest.valid_until
      FROM unnest(${hosts}::text[]) AS requested (host)
      CROSS JOIN LATERAL (
        SELECT body, valid_until FROM snapshot WHERE host = requested.host ORDER BY collected_at DESC, valid_until DESC LIMIT 1
      ) AS latest`.execute(database)
    return rows.map(({ body, valid_until }) => ({ snapshot: JSON.parse(body), validUntil: toUnixSeconds(valid_until) }))
  },

  /**
   * Looks at the next thousand snapshots that have ended before `supersededBefore`, behind `after`,
   * and deletes those that no judgement refers to: when there is a newer one of the host, or when
   * they were made before `before`. Returns where it stopped; null at the end.
   */
  async deleteUnused({ before, supersededBefore, after }: SweepRange): Promise<SweepCursor | null> {
    const behind = after ? sql`AND (valid_until, id) > (${after.validUntil}, ${after.id})` : sql``
    const old = before ? sql`seen.collected_at < ${before}` : sql`false`
    const { rows } = await sql<SweepCursor>`
      WITH seen AS (
        SELECT id, host, collected_at, valid_until FROM snapshot
        WHERE valid_until < ${supersededBefore} ${behind} ORDER BY valid_until, id LIMIT ${SWEEP_BATCH_ROWS}
      ), gone AS (
        DELETE FROM snapshot USING seen
        WHERE snapshot.id = seen.id AND NOT EXISTS (SELECT FROM judgement WHERE judgement.snapshot_id = seen.id)
          AND (${old} OR EXISTS (SELECT FROM snapshot AS newer WHERE newer.host = seen.host AND newer.collected_at > seen.collected_at))
      )
      SELECT id, valid_until AS "validUntil" FROM seen ORDER BY valid_until DESC, id DESC LIMIT 1`.execute(database)
    return rows[0] ?? null
  },
})

/** Where a walk through snapshots stands, in the order of their ends. */
export type SweepCursor = { readonly id: string; readonly validUntil: Date }
type SweepRange = { readonly before: Date | null; readonly supersededBefore: Date; readonly after: SweepCursor | null }

const SWEEP_BATCH_ROWS = 1_000

export type SnapshotRepository = ReturnType<typeof snapshotRepository>
