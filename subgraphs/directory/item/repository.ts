import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { DirectoryKind, Item, Kind, Provenance } from './item.ts'
import { sharedValues } from './shared-values.ts'

type ItemRow = Omit<Selectable<Tables['item']>, 'identity' | 'provenance'>

/** A state of the whole directory. */
export type Revision = {
  /** Random per database. */
  readonly dataset: string
  readonly number: string
  /** Random per revision: after a restore the same number may mean other items. */
  readonly mark: string
  /** null while nothing was ever imported. */
  readonly changedAt: Date | null
}

/** Everything that is alive, at one revision. */
export type CatalogueSnapshot = {
  readonly revision: Revision
  readonly items: readonly Item[]
  /** Live records of the kinds that are counted but not searched. */
  readonly counts: Readonly<Record<Exclude<Kind, DirectoryKind>, number>>
}

/** What differs from an earlier revision. */
export type CatalogueChanges = CatalogueSnapshot & {
  /** Rows of items that are gone. */
  readonly removedIds: readonly string[]
}

/** Sources of the values of one item, sorted by field. */
export type ItemProvenance = { readonly itemId: string; readonly provenance: readonly Provenance[] }

/** An item's latest change; `isRemoved` for a tombstone. */
export type ChangeRow = {
  readonly kind: DirectoryKind
  readonly id: string
  readonly key: string
  readonly revision: string
  readonly changedAt: Date
}

/** Leaves out names of tools that must not reach a model by accident. */
type SafeNames = (names: readonly string[]) => readonly string[]

export type ItemRepository = ReturnType<typeof itemRepository>

/** Reads of the directory's tables. Every method rejects only when the database fails. */
export const itemRepository = (query: Kysely<Tables>, safeNames: SafeNames) => ({
  async currentRevision(): Promise<Revision> {
    const { dataset, number, mark, changed_at } = await query.selectFrom('revision').selectAll().executeTakeFirstOrThrow()
    return { dataset, number, mark, changedAt: changed_at }
  },

  /** One consistent state: an import that commits meanwhile is seen whole or not at all. */
  async snapshot(): Promise<CatalogueSnapshot> {
    return query
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (transaction) => {
        const revision = await itemRepository(transaction, safeNames).currentRevision()
        const probed = await transaction
          .selectFrom('feature_probe')
          .select(['item_id', 'tool_names'])
          .where('answered_at', 'is not', null)
          .execute()
        const toolNames = new Map(probed.map(({ item_id, tool_names }) => [item_id, tool_names]))
        const share = sharedValues()
        const shownNames = memoizedNames(safeNames)
        const items: Item[] = []
        // In parts: rows of 200,000 items at once would be copied by each collection of garbage.
        for (let last = '0'; ; ) {
          const rows = await itemRows(transaction)
            .where('removed_at', 'is', null)
            .where('id', '>', last)
            .orderBy('id')
            .limit(SNAPSHOT_ROWS)
            .execute()
          for (const row of rows) items.push(share(withToolNames(itemOf(row), toolNames.get(row.id), shownNames)))
          last = rows.at(-1)?.id ?? last
          if (rows.length < SNAPSHOT_ROWS) return { revision, items, counts: await countsOf(transaction) }
        }
      })
  },

  /**
   * What changed behind a revision, in one consistent state, read in parts; null when it is not among the
   * last 1,000 of this database: older, of another database, or of one that was restored since. Null as well
   * when more than `max` items changed.
   */
  async changesBehindRevision(known: Revision, max: number): Promise<CatalogueChanges | null> {
    return query
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (transaction) => {
        const revision = await itemRepository(transaction, safeNames).currentRevision()
        if (!(await isPast(transaction, revision, known))) return null
        const items: Item[] = []
        const removedIds: string[] = []
        let place = { revision: known.number, id: MAX_ID }
        for (;;) {
          const rows = await itemRows(transaction)
            .where(sql<boolean>`(revision, id) > (${place.revision}::bigint, ${place.id}::bigint)`)
            .orderBy('revision')
            .orderBy('id')
            .limit(PART_ROWS)
            .execute()
          if (items.length + removedIds.length + rows.length > max) return null
          const ids = rows.map(({ id }) => id)
          const probed =
            ids.length === 0
              ? []
              : await transaction
                  .selectFrom('feature_probe')
                  .select(['item_id', 'tool_names'])
                  .where('answered_at', 'is not', null)
                  .where('item_id', 'in', ids)
                  .execute()
          const toolNames = new Map(probed.map(({ item_id, tool_names }) => [item_id, tool_names]))
          for (const row of rows) {
            if (row.removed_at !== null) removedIds.push(row.id)
            else items.push(withToolNames(itemOf(row), toolNames.get(row.id), safeNames))
          }
          const last = rows.at(-1)
          if (!last || rows.length < PART_ROWS) return { revision, items, removedIds, counts: await countsOf(transaction) }
          place = { revision: last.revision, id: last.id }
        }
      })
  },

  /**
   * Whether this database had a revision, by its number and the beginning of its mark; also true for
   * one before the last 1,000, whose marks are deleted.
   */
  async hadRevision({ number, mark }: { readonly number: string; readonly mark: string }): Promise<boolean> {
    const [known, first] = await Promise.all([
      query.selectFrom('past_revision').select('mark').where('number', '=', number).executeTakeFirst(),
      query
        .selectFrom('past_revision')
        .select(({ fn }) => fn.min('number').as('number'))
        .executeTakeFirst(),
    ])
    return known ? known.mark.startsWith(mark) : first?.number != null && BigInt(number) < BigInt(first.number)
  },

  /** Where the values of items come from, as imports write it. */
  async provenanceOf(ids: readonly string[]): Promise<readonly ItemProvenance[]> {
    const rows = await query.selectFrom('item').select(['id', 'provenance']).where('id', 'in', ids).execute()
    // Imports write this type.
    return rows.map(({ id, provenance }) => ({ itemId: id, provenance: provenance as readonly Provenance[] }))
  },

  /** Changes behind a place in the history and up to a revision, oldest first, at most `limit`. */
  async changesBehind(
    place: { readonly revision: string; readonly id: string },
    upTo: string,
    limit: number,
  ): Promise<readonly ChangeRow[]> {
    const rows = await query
      .selectFrom('item')
      .select(['kind', 'id', 'key', 'revision', 'updated_at', 'removed_at'])
      .where(sql<boolean>`(revision, id) > (${place.revision}::bigint, ${place.id}::bigint)`)
      .where('revision', '<=', upTo)
      .where('kind', 'in', ['MCP_SERVER', 'PLUGIN', 'SKILL'])
      .orderBy('revision')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ kind, id, key, revision, updated_at, removed_at }) => ({
      // The query selects these kinds only.
      kind: kind as DirectoryKind,
      id,
      key,
      revision,
      changedAt: removed_at ?? updated_at,
    }))
  },
})

/** Whether the items of `known` became those of `current` by changes that the rows tell. */
async function isPast(query: Kysely<Tables>, current: Revision, known: Revision): Promise<boolean> {
  if (current.dataset !== known.dataset) return false
  const past = query
    .selectFrom('past_revision')
    .select('number')
    .where('number', '=', known.number)
    .where('mark', '=', known.mark)
  return (await past.executeTakeFirst()) !== undefined
}

/** Rows of one statement of a snapshot. */
const SNAPSHOT_ROWS = 1_000
/** Rows of one statement: their JSON is parsed at once, in some 5 ms. */
const PART_ROWS = 200
/** Largest bigint of PostgreSQL: behind all rows of a revision. */
const MAX_ID = '9223372036854775807'

const COLUMNS = [
  'id',
  'kind',
  'key',
  'name',
  'description',
  'category',
  'original_category',
  'tags',
  'popularity',
  'license',
  'created_at',
  'updated_at',
  'removed_at',
  'revision',
] as const

/**
 * Rows of searchable items. Schemas of tools and the sources of values stay in the database: they are
 * most of the bytes, and rarely wanted.
 */
const itemRows = (query: Kysely<Tables>) =>
  query
    .selectFrom('item')
    .select(COLUMNS)
    .select(sql<unknown>`detail - 'features'`.as('detail'))
    .where('kind', 'in', ['MCP_SERVER', 'PLUGIN', 'SKILL'])

/** Living records of the kinds that are counted only. */
async function countsOf(query: Kysely<Tables>): Promise<CatalogueSnapshot['counts']> {
  const counted = await query
    .selectFrom('item')
    .select(['kind', ({ fn }) => fn.countAll<string>().as('count')])
    .where('removed_at', 'is', null)
    .where('kind', 'in', ['PERSONA', 'BUNDLE', 'AGENT', 'GUIDE'])
    .groupBy('kind')
    .execute()
  const count = (kind: Kind) => Number(counted.find((row) => row.kind === kind)?.count ?? 0)
  return { PERSONA: count('PERSONA'), BUNDLE: count('BUNDLE'), AGENT: count('AGENT'), GUIDE: count('GUIDE') }
}

/** What a server answered itself replaces what sources list. */
function withToolNames(item: Item, probed: readonly string[] | undefined, safeNames: SafeNames): Item {
  if (item.kind !== 'MCP_SERVER') return item
  const toolNames = probed ?? item.toolNames
  return toolNames === undefined ? item : { ...item, toolNames: safeNames(toolNames) }
}

/** Names whose judgement is remembered while a snapshot is read: servers repeat `search` and `get_user`. */
const MAX_JUDGED_NAMES = 50_000

/** Judges each name once. */
function memoizedNames(safe: SafeNames): SafeNames {
  const isSafe = new Map<string, boolean>()
  const judge = (name: string): boolean => {
    const judged = safe([name]).length > 0
    if (isSafe.size < MAX_JUDGED_NAMES) isSafe.set(name, judged)
    return judged
  }
  return (names) => names.filter((name) => isSafe.get(name) ?? judge(name))
}

/**
 * The detail column holds exactly the fields that its kind adds: the import checks every row before
 * it writes.
 */
const itemOf = ({ detail, original_category, created_at, updated_at, removed_at, revision, ...common }: ItemRow): Item =>
  ({
    ...common,
    originalCategory: original_category,
    createdAt: created_at,
    updatedAt: updated_at,
    // A JSON object: the import checks it.
    ...(detail as object),
    // The kind decides the fields of `detail`, which the import checks.
  }) as unknown as Item
