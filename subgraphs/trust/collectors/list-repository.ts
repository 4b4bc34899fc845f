import { type Kysely, type Selectable, sql } from 'kysely'
import { batchWork } from '../../toolkit/batch-work.ts'
import type { FeedHit, UnixSeconds } from '../evidence.ts'
import type { Tables } from '../tables.ts'
import type { UrlKeys } from '../url-key.ts'

/** One line of a list, read. What a list does not have is null. */
export type ListEntry = {
  /** A host, an address, a domain or a top-level domain. */
  readonly key: string
  readonly scope: FeedHit['scope']
  readonly category: FeedHit['category'] | null
  /** As the list has it. */
  readonly indicator: string
  readonly firstSeenAt: UnixSeconds | null
  readonly lastSeenAt: UnixSeconds | null
  readonly state: FeedHit['state'] | null
  readonly rank: number | null
  /** Hashes of a listed URL and of its user (`url-key.ts`); null for everything else. */
  readonly urlKey: string | null
  readonly tenantKey: string | null
}

/** The current copy of a list. */
export type Edition = {
  readonly list: string
  /** SHA-256 of its bytes. */
  readonly version: string
  readonly entries: number
  readonly etag: string | null
  /** The list's own date where the server sends one, else that of the download. */
  readonly asOf: UnixSeconds
  /** Time of the last confirmation by the server that this is the newest. */
  readonly fetchedAt: UnixSeconds
}

export type ListState = {
  readonly list: string
  /** Null when it was never loaded. */
  readonly edition: Edition | null
  /** Why the last download failed; null when it did not. */
  readonly fault: string | null
  /** Earliest time of the next download; null before the first. */
  readonly dueAt: UnixSeconds | null
}

/**
 * Most entries of one list with one key that are read, the latest first: some platforms have
 * thousands.
 */
const MAX_ENTRIES_PER_KEY = 20
/** Targets that share a statement. */
const MAX_LOOKUPS_PER_STATEMENT = 100
/** Rows per statement: few enough to leave the event loop alone. */
const ROWS_PER_STATEMENT = 1_000

type Found = ListEntry & { readonly list: string }
type RankedName = { readonly name: string; readonly rank: number }
type ListLookup = { readonly lists: readonly string[]; readonly keys: readonly string[] }

/**
 * Lists in the database, shared by every process. Every target is looked up in each of them;
 * concurrent lookups share statements.
 */
export const listRepository = (database: Kysely<Tables>) => {
  const find = entryLookup(database, 'key')
  const findUrls = entryLookup(database, 'url_key')
  const findTenants = entryLookup(database, 'tenant_key')

  const states = batchWork(
    async (request: readonly (readonly string[])[]): Promise<readonly (readonly ListState[])[]> => {
      const names = [...new Set(request.flat())]
      const rows = await database.selectFrom('list').selectAll().where('name', 'in', names).execute()
      const known = new Map(rows.map((row) => [row.name, row]))
      return request.map((lists) =>
        lists.map((list) => {
          const row = known.get(list)
          return {
            list,
            edition: row ? editionOf(row) : null,
            fault: row?.fault ?? null,
            dueAt: row ? dueAtOf(row.next_attempt_at) : null,
          }
        }),
      )
    },
    { maxItems: MAX_LOOKUPS_PER_STATEMENT },
  )

  return {
    /** Entries of these lists about these keys, in any order. */
    find: (lists: readonly string[], keys: readonly string[]): Promise<readonly Found[]> => find({ lists, keys }),

    /** Those of these names that are in one of these popularity lists, with their best ranks; in any order. */
    rankedNames: async (lists: readonly string[], names: readonly string[]): Promise<readonly RankedName[]> => {
      const { rows } = await sql<RankedName>`
        SELECT list_entry.key AS name, min(list_entry.rank) AS rank FROM list_entry
        JOIN list ON list.name = list_entry.list AND list.edition = list_entry.edition
        WHERE list_entry.key = ANY(${names}::text[]) AND list_entry.list = ANY(${lists}::text[]) AND list_entry.rank IS NOT NULL
        GROUP BY list_entry.key`.execute(database)
      return rows
    },

    /** Entries of these lists with these hashes of URLs, or of this user of a host; in any order. */
    findUrls: async (lists: readonly string[], { keys, tenantKey }: UrlKeys): Promise<readonly Found[]> => {
      const found = await Promise.all([
        findUrls({ lists, keys }),
        tenantKey === null ? [] : findTenants({ lists, keys: [tenantKey] }),
      ])
      // A listed URL is also one of its user.
      return [...new Map(found.flat().map((entry) => [`${entry.list} ${entry.indicator}`, entry])).values()]
    },

    /** The copies of these lists; a list that was never loaded has none. */
    states: async (lists: readonly string[]): Promise<readonly ListState[]> => (lists.length === 0 ? [] : states(lists)),

    /** The copy of one list; null when it was never loaded. */
    edition: async (list: string): Promise<Edition | null> => (await states([list]))[0]?.edition ?? null,

    /**
     * Takes the task to download a list, until `retryAt`; false when it is not due or another
     * process has it.
     */
    async claim(list: string, { now, retryAt }: { readonly now: UnixSeconds; readonly retryAt: UnixSeconds }): Promise<boolean> {
      await database
        .insertInto('list')
        .values({ name: list })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const { numUpdatedRows } = await database
        .updateTable('list')
        .set({ next_attempt_at: dateOf(retryAt) })
        .where('name', '=', list)
        .where('next_attempt_at', '<=', dateOf(now))
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /**
     * Replaces the copy of a list in one transaction. `finish` gets the number of entries once all
     * are read, returns the metadata of the copy, and throws to reject it. Resolves to the number
     * of entries.
     */
    async replace(
      list: string,
      batches: AsyncIterable<readonly ListEntry[]>,
      finish: (entries: number) => {
        readonly version: string
        readonly etag: string | null
        readonly asOf: UnixSeconds
        readonly fetchedAt: UnixSeconds
        readonly refreshAt: UnixSeconds
      },
    ): Promise<number> {
      return database.transaction().execute(async (transaction) => {
        const { rows: numbers } = await sql<{ edition: string }>`SELECT nextval('list_edition') AS edition`.execute(transaction)
        const edition = numbers[0]?.edition ?? ''
        let entries = 0
        for await (const batch of batches) {
          for (let from = 0; from < batch.length; from += ROWS_PER_STATEMENT) {
            const rows = batch.slice(from, from + ROWS_PER_STATEMENT)
            await insert(transaction, list, edition, rows)
            entries += rows.length
          }
        }
        const { version, etag, asOf, fetchedAt, refreshAt } = finish(entries)
        await transaction
          .updateTable('list')
          .set({
            edition,
            version,
            entries,
            etag,
            as_of: dateOf(asOf),
            fetched_at: dateOf(fetchedAt),
            next_attempt_at: dateOf(refreshAt),
            fault: null,
          })
          .where('name', '=', list)
          .execute()
        await transaction.deleteFrom('list_entry').where('list', '=', list).where('edition', '!=', edition).execute()
        return entries
      })
    },

    /** The server has nothing newer. */
    async confirm(
      list: string,
      {
        asOf,
        fetchedAt,
        refreshAt,
      }: { readonly asOf: UnixSeconds; readonly fetchedAt: UnixSeconds; readonly refreshAt: UnixSeconds },
    ): Promise<void> {
      await database
        .updateTable('list')
        .set({ as_of: dateOf(asOf), fetched_at: dateOf(fetchedAt), next_attempt_at: dateOf(refreshAt), fault: null })
        .where('name', '=', list)
        .execute()
    },

    /** Notes why a download failed; the old copy stays. */
    async fail(list: string, fault: string): Promise<void> {
      await database.updateTable('list').set({ fault }).where('name', '=', list).execute()
    },
  }
}

/** Looks entries up by one column; lookups of one tick share a statement. */
const entryLookup = (database: Kysely<Tables>, column: 'key' | 'url_key' | 'tenant_key') =>
  batchWork(
    async (requested: readonly ListLookup[]): Promise<readonly (readonly Found[])[]> => {
      const pairs = new Map(
        requested.flatMap(({ lists, keys }) => lists.flatMap((list) => keys.map((key) => [`${list} ${key}`, { list, key }]))),
      )
      const [names, keys] = [[...pairs.values()].map(({ list }) => list), [...pairs.values()].map(({ key }) => key)]
      const { rows } = await sql<Selectable<Tables['list_entry']> & { readonly requested: string }>`
        SELECT found.*, requested.key AS requested FROM unnest(${names}::text[], ${keys}::text[]) AS requested (list, key)
        JOIN list ON list.name = requested.list
        CROSS JOIN LATERAL (
          SELECT * FROM list_entry
          WHERE list_entry.${sql.ref(column)} = requested.key AND list_entry.list = list.name AND list_entry.edition = list.edition
          ORDER BY last_seen_at DESC NULLS LAST, first_seen_at DESC NULLS LAST, indicator COLLATE "C" LIMIT ${MAX_ENTRIES_PER_KEY}
        ) AS found`.execute(database)
      const found = Map.groupBy(rows, ({ list, requested: key }) => `${list} ${key}`)
      return requested.map(({ lists, keys }) =>
        lists.flatMap((list) => keys.flatMap((key) => found.get(`${list} ${key}`)?.map(foundIn) ?? [])),
      )
    },
    { maxItems: MAX_LOOKUPS_PER_STATEMENT },
  )

const foundIn = (row: Selectable<Tables['list_entry']>): Found => ({
  list: row.list,
  key: row.key,
  // The column holds what this repository writes.
  scope: row.scope as ListEntry['scope'],
  category: row.category as ListEntry['category'],
  indicator: row.indicator ?? row.key,
  firstSeenAt: row.first_seen_at && secondsOf(row.first_seen_at),
  lastSeenAt: row.last_seen_at && secondsOf(row.last_seen_at),
  // The column holds what this repository writes.
  state: row.state as ListEntry['state'],
  rank: row.rank,
  urlKey: row.url_key,
  tenantKey: row.tenant_key,
})

export type ListRepository = ReturnType<typeof listRepository>

async function insert(database: Kysely<Tables>, list: string, edition: string, rows: readonly ListEntry[]): Promise<void> {
  const column = (name: keyof ListEntry) => rows.map((row) => row[name])
  await sql`
    INSERT INTO list_entry (list, edition, key, scope, category, indicator, first_seen_at, last_seen_at, state, rank, url_key, tenant_key)
    SELECT ${list}, ${edition}::bigint, key, scope, category, indicator, to_timestamp(first_seen), to_timestamp(last_seen), state, rank, url_key, tenant_key
    FROM unnest(${column('key')}::text[], ${column('scope')}::text[], ${column('category')}::text[], ${column('indicator')}::text[],
      ${column('firstSeenAt')}::bigint[], ${column('lastSeenAt')}::bigint[], ${column('state')}::text[], ${column('rank')}::integer[],
      ${column('urlKey')}::text[], ${column('tenantKey')}::text[])
      AS entry (key, scope, category, indicator, first_seen, last_seen, state, rank, url_key, tenant_key)`.execute(database)
}

function editionOf(row: Selectable<Tables['list']>): Edition | null {
  if (row.edition === null || row.version === null || row.as_of === null || row.fetched_at === null) return null
  return {
    list: row.name,
    version: row.version,
    entries: row.entries,
    etag: row.etag,
    asOf: secondsOf(row.as_of),
    fetchedAt: secondsOf(row.fetched_at),
  }
}

const dateOf = (seconds: UnixSeconds): Date => new Date(seconds * 1000)
const secondsOf = (date: Date): UnixSeconds => Math.floor(date.getTime() / 1000)

/** The column's default is -infinity, which pg reads as a number: due since always. */
const dueAtOf = (date: Date | number): UnixSeconds => (typeof date === 'number' ? 0 : secondsOf(date))
