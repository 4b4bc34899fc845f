import { type Kysely, sql } from 'kysely'
import type { OfferedFeatures } from '../import/features.ts'
import type { Tables } from '../tables.ts'
import type { Change } from './changes.ts'

/** What is known of a server's features. */
export type FeatureRow = {
  readonly itemId: string
  /** What sources list; null when none does. */
  readonly stated: OfferedFeatures | null
  readonly probe: {
    readonly probedAt: Date
    readonly address: string
    readonly status: string
    readonly reason: string | null
    readonly answeredAt: Date | null
    readonly serverVersion: string | null
    readonly protocolVersion: string | null
    /** What the server answered last; null when it never did. */
    readonly features: OfferedFeatures | null
  } | null
}

/** A stored change. */
export type ChangeOfItem = Change & { readonly itemId: string; readonly seenAt: Date }

export type FeatureRepository = ReturnType<typeof featureRepository>

/** Reads of features. Both methods reject only when the database fails. */
export const featureRepository = (query: Kysely<Tables>) => ({
  async findByItems(ids: readonly string[]): Promise<readonly FeatureRow[]> {
    const rows = await query
      .selectFrom('item')
      .leftJoin('feature_probe as probe', 'probe.item_id', 'item.id')
      .select([
        'item.id',
        sql<unknown>`item.detail -> 'features'`.as('stated'),
        'probe.probed_at',
        'probe.address',
        'probe.status',
        'probe.reason',
        'probe.answered_at',
        'probe.server_version',
        'probe.protocol_version',
        'probe.features',
      ])
      .where('item.id', 'in', ids)
      .execute()
    return rows.map((row) => ({
      itemId: row.id,
      // Imports and probes write this type.
      stated: (row.stated ?? null) as OfferedFeatures | null,
      probe:
        row.probed_at === null || row.address === null || row.status === null
          ? null
          : {
              probedAt: row.probed_at,
              address: row.address,
              status: row.status,
              reason: row.reason,
              answeredAt: row.answered_at,
              serverVersion: row.server_version,
              protocolVersion: row.protocol_version,
              // Imports and probes write this type.
              features: row.answered_at === null ? null : (row.features as OfferedFeatures),
            },
    }))
  },

  /** Newest first, at most `limit` of each item. */
  async changesOf(ids: readonly string[], limit: number): Promise<readonly ChangeOfItem[]> {
    const rows = await query
      .selectFrom(sql<{ id: string }>`unnest(${ids}::bigint[])`.as<'wanted'>(sql`wanted (id)`))
      .innerJoinLateral(
        (from) =>
          from
            .selectFrom('feature_change')
            .selectAll()
            .whereRef('feature_change.item_id', '=', 'wanted.id')
            .orderBy('feature_change.id', 'desc')
            .limit(limit)
            .as('change'),
        (join) => join.onTrue(),
      )
      .selectAll('change')
      .orderBy('change.item_id')
      .orderBy('change.id', 'desc')
      .execute()
    return rows.map(({ item_id, seen_at, change, feature, name, field, before, after }) => ({
      itemId: item_id,
      seenAt: seen_at,
      // Probes write these words.
      change: change as Change['change'],
      feature: feature as Change['feature'],
      name,
      field,
      before,
      after,
    }))
  },
})
