import { type Kysely, sql } from 'kysely'
import type { Snapshot } from '../evidence.ts'
import type { Tables } from '../tables.ts'
import { secondsOf } from '../words.ts'

/** The newest snapshot of a host, and until when none of its sources needs to be asked again. */
export type KnownSnapshot = { readonly snapshot: Snapshot; readonly validUntil: number }

/** Stored snapshots, as far as assessments need them. */
export const snapshotRepository = (database: Kysely<Tables>) => ({
  /** The newest one of each host, in any order, without hosts that have none. */
  async latest(hosts: readonly string[]): Promise<KnownSnapshot[]> {
    const { rows } = await sql<{ body: string; valid_until: Date }>`
      SELECT latest.body, latest.valid_until
      FROM unnest(${hosts}::text[]) AS asked (host)
      CROSS JOIN LATERAL (
        SELECT body, valid_until FROM snapshot WHERE host = asked.host ORDER BY collected_at DESC, valid_until DESC LIMIT 1
      ) AS latest`.execute(database)
    return rows.map(({ body, valid_until }) => ({ snapshot: JSON.parse(body), validUntil: secondsOf(valid_until) }))
  },
})

export type SnapshotRepository = ReturnType<typeof snapshotRepository>
