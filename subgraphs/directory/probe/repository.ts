import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import { type OfferedFeatures, toolNamesOf } from '../import/features.ts'
import { type Change, changesBetween } from '../server-features/changes.ts'
import type { Tables } from '../tables.ts'
import type { ProbeResult } from './client.ts'

/** A probe of an item, to be stored. */
type Probed = { readonly itemId: string; readonly address: string; readonly result: ProbeResult }

/** What storing it changed. */
export type StoredProbe = { readonly changes: readonly Change[]; readonly isFirst: boolean }

/** Changes of a server that are kept: a reader of its history wants the last ones. */
const MAX_STORED_CHANGES = 200

/**
 * Stores a probe. A failed one leaves what the server offered before. Where features differ, the
 * item has changed: a new revision, which mirrors and every process see.
 */
async function storeProbe(query: Kysely<Tables>, { itemId, address, result }: Probed, now: Date): Promise<StoredProbe> {
  return query.transaction().execute(async (transaction) => {
    const attempt = {
      item_id: itemId,
      probed_at: now,
      address,
      status: result.status,
      reason: result.status === 'ANSWERED' ? null : result.reason,
      retry_at: retryAt(result, now),
    }
    const earlier = await transaction
      .insertInto('feature_probe')
      .values({ ...attempt, tool_names: [] })
      .onConflict((conflict) => conflict.column('item_id').doUpdateSet(attempt))
      .returning(['features', 'answered_at'])
      .executeTakeFirstOrThrow()
    // Written by this function.
    const before = earlier.answered_at === null ? null : (earlier.features as OfferedFeatures)
    if (result.status !== 'ANSWERED') return { changes: [], isFirst: false }
    const changes = before === null ? [] : changesBetween(before, result.features)
    await transaction
      .updateTable('feature_probe')
      .set({
        answered_at: now,
        server_version: result.serverVersion,
        protocol_version: result.protocolVersion,
        features: JSON.stringify(result.features),
        tool_names: [...toolNamesOf(result.features)],
      })
      .where('item_id', '=', itemId)
      .execute()
    await storeChanges(transaction, itemId, changes, now)
    // A list that goes on tells of no change, and its names may differ.
    const isOther = before === null || toolNamesOf(before).join('\n') !== toolNamesOf(result.features).join('\n')
    if (isOther || changes.length > 0) await touch(transaction, itemId, now)
    return { changes, isFirst: before === null }
  })
}

const retryAt = (result: ProbeResult, now: Date): Date | null =>
  result.status === 'ANSWERED' || result.retryAfterSeconds === undefined
    ? null
    : new Date(now.getTime() + result.retryAfterSeconds * 1_000)

async function storeChanges(
  transaction: Transaction<Tables>,
  itemId: string,
  changes: readonly Change[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return
  await transaction
    .insertInto('feature_change')
    .values(changes.map((change) => ({ ...change, item_id: itemId, seen_at: now })))
    .execute()
  await transaction
    .deleteFrom('feature_change')
    .where('item_id', '=', itemId)
    .where('id', 'not in', (newest) =>
      newest
        .selectFrom('feature_change')
        .select('id')
        .where('item_id', '=', itemId)
        .orderBy('id', 'desc')
        .limit(MAX_STORED_CHANGES),
    )
    .execute()
}

/** The row of the revision is locked until the end of the transaction, as by imports. */
async function touch(transaction: Transaction<Tables>, itemId: string, now: Date): Promise<void> {
  const { number } = await transaction
    .updateTable('revision')
    .set({ number: sql`number + 1`, changed_at: now })
    .returning('number')
    .executeTakeFirstOrThrow()
  await transaction.updateTable('item').set({ revision: number, updated_at: now }).where('id', '=', itemId).execute()
  await sql`NOTIFY directory_revision`.execute(transaction)
}

/** A server that may be due, and where it is. */
export type ProbeCandidate = { readonly id: string; readonly key: string; readonly installations: unknown }

/** The living server with this key, without regard to case; null when there is none. */
const serverByKey = (query: Kysely<Tables>, key: string): Promise<ProbeCandidate | null> =>
  query
    .selectFrom('item')
    .select(['id', 'key', sql<unknown>`detail -> 'installations'`.as('installations')])
    .where('kind', '=', 'MCP_SERVER')
    .where('removed_at', 'is', null)
    .where(sql<string>`lower(key)`, '=', key.toLowerCase())
    .executeTakeFirst()
    .then((row) => row ?? null)

type Due = { readonly before: Date; readonly now: Date; readonly limit: number }

/**
 * Living remote servers whose last probe began before this time, and that did not ask to wait for
 * longer. Those that did not answer for the longest time come first: behind a host that wants fewer
 * requests each has its turn.
 */
const dueServers = (query: Kysely<Tables>, { before, now, limit }: Due): Promise<readonly ProbeCandidate[]> =>
  query
    .selectFrom('item')
    .leftJoin('feature_probe', 'feature_probe.item_id', 'item.id')
    .select(['item.id', 'item.key', sql<unknown>`item.detail -> 'installations'`.as('installations')])
    .where('item.kind', '=', 'MCP_SERVER')
    .where('item.removed_at', 'is', null)
    .where(
      sql<boolean>`item.detail ->> 'transport' <> 'stdio' AND item.detail -> 'installations' @? '$[*].command ? (@ starts with "claude mcp add ")'`,
    )
    .where((where) => where.or([where('feature_probe.probed_at', 'is', null), where('feature_probe.probed_at', '<', before)]))
    .where((where) => where.or([where('feature_probe.retry_at', 'is', null), where('feature_probe.retry_at', '<=', now)]))
    .orderBy('feature_probe.answered_at', (order) => order.asc().nullsFirst())
    .orderBy('feature_probe.probed_at', (order) => order.asc().nullsFirst())
    .orderBy('item.id')
    .limit(limit)
    .execute()

export type ProbeRepository = ReturnType<typeof probeRepository>

/** Probes in the directory's tables. Every method rejects only when the database fails. */
export const probeRepository = (query: Kysely<Tables>) => ({
  serverByKey: (key: string) => serverByKey(query, key),
  dueServers: (due: Due) => dueServers(query, due),
  storeProbe: (probed: Probed, now: Date) => storeProbe(query, probed, now),
})
