import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { DirectoryKind, Item, Kind, Provenance } from './item.ts'

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
        const rows = await itemRows(transaction).where('removed_at', 'is', null).execute()
        const probed = await transaction
          .selectFrom('feature_probe')
          .select(['item_id', 'tool_names'])
          .where('answered_at', 'is not', null)
          .execute()
        const toolNames = new Map(probed.map(({ item_id, tool_names }) => [item_id, tool_names]))
        const share = sharedValues()
        return {
          revision,
          items: rows.map((row) => share(withToolNames(itemOf(row), toolNames.get(row.id), safeNames))),
          counts: await countsOf(transaction),
        }
      })
  },

  /**
   * What changed behind a revision, in one consistent state, read in parts; null when it is not among the
   * last 1,000 of this database: older, of another database, or of one that was restored since.
   */
  async changesBehindRevision(known: Revision): Promise<CatalogueChanges | null> {
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

/** Fields in which items repeat what others, or they themselves, have. */
const SHARED_FIELDS = ['owner', 'marketplaceSlug', 'docsUrl', 'repoUrl', 'sourceUrl'] as const

/**
 * Puts one value in the place of equal ones: each row brings its own copies of categories, tags and
 * times, which a few hundred items have in common.
 */
function sharedValues(): (item: Item) => Item {
  const [texts, times] = [new Map<string, string>(), new Map<number, Date>()]
  const text = <Value extends string | null>(value: Value): Value => {
    if (value === null) return value
    const known = texts.get(value)
    if (known === undefined) texts.set(value, value)
    // Equal, so of the same type.
    return (known ?? value) as Value
  }
  const time = (value: Date): Date => {
    const known = times.get(value.getTime())
    if (known === undefined) times.set(value.getTime(), value)
    return known ?? value
  }
  return (item) => {
    // Of this row alone until now.
    const own = item as { -readonly [Field in keyof Item]: Item[Field] }
    own.kind = text(own.kind)
    own.category = text(own.category)
    own.originalCategory = text(own.originalCategory)
    own.tags = own.tags.map(text)
    own.createdAt = time(own.createdAt)
    own.updatedAt = time(own.updatedAt)
    for (const field of SHARED_FIELDS) {
      // Texts of the kinds that have them.
      const fields = item as unknown as Record<(typeof SHARED_FIELDS)[number], string | null | undefined>
      const value = fields[field]
      if (typeof value === 'string') fields[field] = text(value)
    }
    return item
  }
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
