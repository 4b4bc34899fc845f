import type { Kysely } from 'kysely'
import type { Snapshot } from '../evidence.ts'
import type { Tables } from '../tables.ts'
import { secondsOf } from '../words.ts'

/** The newest snapshot of a host, and until when none of its sources needs to be asked again. */
export type KnownSnapshot = { readonly snapshot: Snapshot; readonly validUntil: number }

/** Stored snapshots, as far as assessments need them. */
export const snapshotRepository = (database: Kysely<Tables>) => ({
  /** The newest one of each host, in any order, without hosts that have none. */
  async latest(hosts: readonly string[]): Promise<KnownSnapshot[]> {
    const rows = await database
      .selectFrom('snapshot')
      .distinctOn('host')
      .select(['body', 'valid_until'])
      .where('host', 'in', hosts)
      .orderBy('host')
      .orderBy('collected_at', 'desc')
      .orderBy('valid_until', 'desc')
      .execute()
    return rows.map(({ body, valid_until }) => ({ snapshot: JSON.parse(body), validUntil: secondsOf(valid_until) }))
  },
})

export type SnapshotRepository = ReturnType<typeof snapshotRepository>
