import { type Kysely, sql } from 'kysely'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { Tables } from '../tables.ts'
import {
  MAX_BRAND_ENTRIES,
  MAX_LIST_ENTRIES,
  type NewListEntry,
  OPERATOR_LISTS,
  type OperatorList,
  type OperatorListEntry,
} from './operator-list.ts'

const COLUMNS = [
  'id',
  'list',
  'scope',
  'key',
  'host',
  'target',
  'reason',
  'created_by as createdBy',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'hits',
  'last_hit_at as lastHitAt',
] as const

/** Entries of one statement. */
const MAX_ROWS_PER_STATEMENT = 1_000
/** Targets that share a statement. */
const MAX_LOOKUPS_PER_STATEMENT = 100

type AddedEntries = {
  readonly kind: 'added'
  readonly added: number
  readonly replaced: number
  readonly entries: readonly OperatorListEntry[]
}
/** `max`: the bound that would be exceeded. */
type TooManyEntries = { readonly kind: 'too-many'; readonly max: number }
/** Who changes a list, and when. */
type Change = { readonly by: string; readonly at: Date }

type ListStatus = {
  readonly list: OperatorList
  readonly entries: number
  readonly expired: number
  readonly hits: number
  readonly lastHitAt: Date | null
  readonly changedAt: Date | null
}

/** The operator's lists in the database. */
export const operatorListRepository = (database: Kysely<Tables>) => ({
  /** Entries of the block and allow lists with one of these keys; in any order. */
  find: batchWork(
    async (requested: readonly (readonly string[])[]): Promise<readonly (readonly OperatorListEntry[])[]> => {
      const keys = [...new Set(requested.flat())]
      const rows = await database
        .selectFrom('operator_list_entry')
        .select(COLUMNS)
        .where(({ eb, val }) => eb('key', '=', sql<string>`ANY (${val(keys)}::text[])`))
        .where('list', '!=', 'brand')
        .execute()
      const byKey = Map.groupBy(rows.map(entryOf), ({ key }) => key)
      return requested.map((own) => own.flatMap((key) => byKey.get(key) ?? []))
    },
    { maxItems: MAX_LOOKUPS_PER_STATEMENT },
  ),

  /** Whether there is any block or allowance, and all brands. */
  async summary(): Promise<{ readonly isListed: boolean; readonly brands: readonly OperatorListEntry[] }> {
    const [listed, brands] = await Promise.all([
      database.selectFrom('operator_list_entry').select('id').where('list', '!=', 'brand').limit(1).execute(),
      database.selectFrom('operator_list_entry').select(COLUMNS).where('list', '=', 'brand').execute(),
    ])
    return { isListed: listed.length > 0, brands: brands.map(entryOf) }
  },

  /** Adds entries, each in the place of one of the same list, scope and key, in one transaction. */
  add: (list: OperatorList, entries: readonly NewListEntry[], change: Change): Promise<AddedEntries | TooManyEntries> =>
    catchTooMany(database.transaction().execute((transaction) => addListEntries(transaction, list, entries, change))),

  /** Removes an entry; null when there is none. */
  async remove(id: string): Promise<OperatorListEntry | null> {
    const row = await database.deleteFrom('operator_list_entry').where('id', '=', id).returning(COLUMNS).executeTakeFirst()
    return row ? entryOf(row) : null
  },

  /** Removes the entry of a target; null when there is none. */
  async removeTarget(list: OperatorList, { scope, key }: Pick<NewListEntry, 'scope' | 'key'>): Promise<OperatorListEntry | null> {
    const row = await database
      .deleteFrom('operator_list_entry')
      .where('list', '=', list)
      .where('scope', '=', scope)
      .where('key', '=', key)
      .returning(COLUMNS)
      .executeTakeFirst()
    return row ? entryOf(row) : null
  },

  /** Newest first, one more than requested. */
  async page(list: OperatorList, { size, after }: KeysetRange): Promise<OperatorListEntry[]> {
    let query = database.selectFrom('operator_list_entry').select(COLUMNS).where('list', '=', list)
    if (after) query = query.where('id', '<', String(after[0]))
    const rows = await query
      .orderBy('id', 'desc')
      .limit(size + 1)
      .execute()
    return rows.map(entryOf)
  },

  async count(list: OperatorList): Promise<number> {
    const { count } = await database
      .selectFrom('operator_list_entry')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('list', '=', list)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Figures of every list, in the order block, allow, brand. */
  async status(at: Date): Promise<readonly ListStatus[]> {
    const { rows } = await sql<ListStatus>`
      SELECT list, count(*) FILTER (WHERE expires_at IS NULL OR expires_at > ${at})::integer AS entries,
        count(*) FILTER (WHERE expires_at <= ${at})::integer AS expired, sum(hits)::float8 AS hits,
        max(last_hit_at) AS "lastHitAt", max(created_at) AS "changedAt"
      FROM operator_list_entry GROUP BY list`.execute(database)
    const none = { entries: 0, expired: 0, hits: 0, lastHitAt: null, changedAt: null }
    return OPERATOR_LISTS.map((list) => rows.find((row) => row.list === list) ?? { list, ...none })
  },

  /** Adds hits that were counted by entry until `at`. */
  async addHits(hits: ReadonlyMap<string, number>, at: Date): Promise<void> {
    // In one order everywhere: two processes that write the same rows must not wait for each other.
    const entries = [...hits].sort(([one], [other]) => Number(one) - Number(other))
    await sql`
      UPDATE operator_list_entry AS entry SET hits = entry.hits + given.hits, last_hit_at = greatest(entry.last_hit_at, ${at})
      FROM (
        SELECT locked.id, noted.hits FROM unnest(${entries.map(([id]) => id)}::bigint[], ${entries.map(([, count]) => count)}::integer[])
          AS noted (id, hits) JOIN operator_list_entry AS locked USING (id) ORDER BY locked.id FOR UPDATE OF locked
      ) AS given WHERE entry.id = given.id`.execute(database)
  },

  /** Deletes entries that ended before `time`. */
  async deleteExpired(time: Date): Promise<void> {
    await database.deleteFrom('operator_list_entry').where('expires_at', '<', time).execute()
  },
})

/** Adds entries within a transaction; throws what `catchTooMany` catches when there are too many. */
export async function addListEntries(
  transaction: Kysely<Tables>,
  list: OperatorList,
  entries: readonly NewListEntry[],
  { by, at }: Change,
): Promise<AddedEntries> {
  // Concurrent changes would each see room for theirs.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('trust.operator_list_entry', 0))`.execute(transaction)
  const before = await countIn(transaction)
  const distinct = [...new Map(entries.map((entry) => [`${entry.scope} ${entry.key}`, entry])).values()]
  const stored: OperatorListEntry[] = []
  for (let from = 0; from < distinct.length; from += MAX_ROWS_PER_STATEMENT) {
    const rows = await transaction
      .insertInto('operator_list_entry')
      .values(
        distinct.slice(from, from + MAX_ROWS_PER_STATEMENT).map(({ expiresAt, ...entry }) => ({
          ...entry,
          list,
          expires_at: expiresAt,
          created_by: by,
          created_at: at,
          last_hit_at: null,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['key', 'list', 'scope']).doUpdateSet((eb) => ({
          target: eb.ref('excluded.target'),
          reason: eb.ref('excluded.reason'),
          created_by: by,
          created_at: at,
          expires_at: eb.ref('excluded.expires_at'),
        })),
      )
      .returning(COLUMNS)
      .execute()
    stored.push(...rows.map(entryOf))
  }
  const after = await countIn(transaction)
  if (after.all > MAX_LIST_ENTRIES) throw new TooMany(MAX_LIST_ENTRIES)
  if (after.brands > MAX_BRAND_ENTRIES) throw new TooMany(MAX_BRAND_ENTRIES)
  const added = after.all - before.all
  return { kind: 'added', added, replaced: distinct.length - added, entries: stored }
}

/** The result of a transaction, or that it would have left too many entries; then nothing was changed. */
export async function catchTooMany<Result>(work: Promise<Result>): Promise<Result | TooManyEntries> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TooMany) return { kind: 'too-many', max: error.max }
    throw error
  }
}

class TooMany extends Error {
  readonly max: number
  constructor(max: number) {
    super(`More than ${max} entries.`)
    this.max = max
  }
}

async function countIn(database: Kysely<Tables>): Promise<{ readonly all: number; readonly brands: number }> {
  const { all, brands } = await database
    .selectFrom('operator_list_entry')
    .select(({ fn }) => [fn.countAll<string>().as('all'), fn.countAll<string>().filterWhere('list', '=', 'brand').as('brands')])
    .executeTakeFirstOrThrow()
  return { all: Number(all), brands: Number(brands) }
}

/** Counts stay far below 2 ** 53. */
const entryOf = <Row extends { readonly hits: string }>(row: Row) => ({ ...row, hits: Number(row.hits) })

export type OperatorListRepository = ReturnType<typeof operatorListRepository>
