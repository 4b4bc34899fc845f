import { type Kysely, type Selectable, sql } from 'kysely'
import type { DirectorySourceKind, DirectorySourceProblem } from '#generated/directory/resolvers.ts'
import type { Tables } from '../tables.ts'
import type { PageStore } from './pages.ts'
import { MAX_DIRECTORY_SOURCES, type Source, type SourceCounts, type SourceSettings } from './source.ts'

type Row = Selectable<Tables['source']>

const asSource = (row: Row): Source => ({
  id: row.id,
  name: row.name,
  // Checked by the table.
  kind: row.kind as DirectorySourceKind,
  address: row.address,
  repository: row.repository,
  intervalMinutes: row.interval_minutes,
  enabled: row.enabled,
  nextRunAt: row.next_run_at,
  acceptsDrop: row.accepts_drop,
  lastAttemptAt: row.last_attempt_at,
  lastSuccessAt: row.last_success_at,
  lastCompleteAt: row.last_complete_at,
  // Runs write these words.
  problem: row.problem as DirectorySourceProblem | null,
  lastError: row.last_error,
  failures: row.failures,
  counts:
    row.added === null
      ? null
      : { added: row.added, updated: row.updated ?? 0, removed: row.removed ?? 0, rejected: row.rejected ?? 0 },
  etag: row.etag,
  lastModified: row.last_modified,
  requestsSince: row.requests_since,
  requests: row.requests,
  pagesSince: row.pages_since,
  arePagesComplete: row.pages_complete,
})

/** How a run ended. */
export type RunEnd = {
  /** Of a source that is enabled. */
  readonly nextRunAt: Date
  readonly requests: { readonly since: Date; readonly requests: number }
} & (
  | {
      readonly problem: null
      /** Beginning of what was read. */
      readonly asOf: Date
      readonly isComplete: boolean
      readonly counts: SourceCounts
      readonly etag: string | null
      readonly lastModified: string | null
    }
  | { readonly problem: DirectorySourceProblem; readonly error: string }
)

/** The next run goes on where this one stopped. */
const GOES_ON: ReadonlySet<DirectorySourceProblem> = new Set(['BUDGET_SPENT', 'RATE_LIMITED', 'TIMEOUT'])
/** Longest stored error, as the table has it. UTF-16 units. */
const MAX_ERROR_LENGTH = 500

export type SourceRepository = ReturnType<typeof sourceRepository>

/** Sources in the directory's tables. Every method rejects only when the database fails. */
export const sourceRepository = (query: Kysely<Tables>) => ({
  list: async (): Promise<readonly Source[]> =>
    (await query.selectFrom('source').selectAll().orderBy('name').limit(MAX_DIRECTORY_SOURCES).execute()).map(asSource),

  exists: async (): Promise<boolean> => (await query.selectFrom('source').select('id').limit(1).executeTakeFirst()) !== undefined,

  byId: (id: string): Promise<Source | null> => oneOf(query.selectFrom('source').selectAll().where('id', '=', id)),

  byName: (name: string): Promise<Source | null> => oneOf(query.selectFrom('source').selectAll().where('name', '=', name)),

  /** Enabled ones whose next run is due; the longest overdue first. */
  due: async (now: Date): Promise<readonly Source[]> =>
    (
      await query.selectFrom('source').selectAll().where('next_run_at', '<=', now).orderBy('next_run_at').orderBy('id').execute()
    ).map(asSource),

  /** Null: the name or address is in use, or there are as many as there may be. */
  async create(settings: SourceSettings, now: Date): Promise<Source | 'in-use' | 'too-many'> {
    return query.transaction().execute(async (transaction) => {
      // One at a time, so that their number is right.
      await sql`LOCK TABLE source IN SHARE ROW EXCLUSIVE MODE`.execute(transaction)
      const { count } = await transaction
        .selectFrom('source')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
      if (Number(count) >= MAX_DIRECTORY_SOURCES) return 'too-many'
      const row = await transaction
        .insertInto('source')
        .values({
          name: settings.name,
          kind: settings.kind,
          address: settings.address,
          repository: settings.repository,
          interval_minutes: settings.intervalMinutes,
          enabled: settings.enabled,
          created_at: now,
          next_run_at: settings.enabled ? now : null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst()
      return row ? asSource(row) : 'in-use'
    })
  },

  /** Null: there is none. A source that is enabled runs soon, and none waits longer than its interval. */
  async change(
    id: string,
    { enabled, intervalMinutes }: Partial<Pick<SourceSettings, 'enabled' | 'intervalMinutes'>>,
    now: Date,
  ): Promise<Source | null> {
    const latest = intervalMinutes === undefined ? null : new Date(now.getTime() + intervalMinutes * 60_000)
    // One that is not run by itself stays so: null is not later than anything.
    const planned = latest
      ? sql<Date>`CASE WHEN next_run_at > ${latest} THEN ${latest} ELSE next_run_at END`
      : sql<Date>`next_run_at`
    const row = await query
      .updateTable('source')
      .set({
        next_run_at: planned,
        ...(enabled !== undefined && {
          enabled,
          next_run_at: enabled ? sql<Date>`CASE WHEN enabled THEN ${planned} ELSE ${now} END` : null,
        }),
        ...(intervalMinutes !== undefined && { interval_minutes: intervalMinutes }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    return row ? asSource(row) : null
  },

  /** Makes the next run due. Null: there is none. */
  async requestRun(id: string, acceptsDrop: boolean, now: Date): Promise<Source | null> {
    const row = await query
      .updateTable('source')
      .set({ next_run_at: now, accepts_drop: acceptsDrop })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    return row ? asSource(row) : null
  },

  acceptDrop: async (id: string): Promise<void> => {
    await query.updateTable('source').set({ accepts_drop: true }).where('id', '=', id).execute()
  },

  remove: async (id: string): Promise<boolean> =>
    (await query.deleteFrom('source').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined,

  begin: async (id: string, now: Date): Promise<void> => {
    await query.updateTable('source').set({ last_attempt_at: now }).where('id', '=', id).execute()
  },

  beginPages: async (id: string, now: Date, isComplete: boolean): Promise<void> => {
    await query.updateTable('source').set({ pages_since: now, pages_complete: isComplete }).where('id', '=', id).execute()
  },

  /** Ends a run of a source, which is given as it was at its beginning. */
  async end({ id, nextRunAt }: Pick<Source, 'id' | 'nextRunAt'>, end: RunEnd): Promise<void> {
    // An administrator has requested a run, or has enabled or disabled the source since.
    const isReplanned = sql<boolean>`next_run_at IS DISTINCT FROM ${nextRunAt}`
    await query
      .updateTable('source')
      .set({
        next_run_at: sql<Date>`CASE WHEN ${isReplanned} THEN next_run_at WHEN enabled THEN ${end.nextRunAt} END`,
        ...((end.problem === null || !GOES_ON.has(end.problem)) && {
          accepts_drop: sql<boolean>`accepts_drop AND ${isReplanned} AND next_run_at IS NOT NULL`,
        }),
        requests_since: end.requests.since,
        requests: end.requests.requests,
        ...(end.problem === null
          ? {
              last_success_at: end.asOf,
              ...(end.isComplete && { last_complete_at: end.asOf }),
              problem: null,
              last_error: null,
              failures: 0,
              ...end.counts,
              etag: end.etag,
              last_modified: end.lastModified,
            }
          : {
              problem: end.problem,
              last_error: lineOf(end.error),
              failures: sql<number>`least(failures + 1, 1000)`,
            }),
      })
      .where('id', '=', id)
      .execute()
  },

  pageStore: (id: string): PageStore => pageStoreOf(query, id),
})

async function oneOf(select: { readonly executeTakeFirst: () => Promise<Row | undefined> }): Promise<Source | null> {
  const row = await select.executeTakeFirst()
  return row ? asSource(row) : null
}

/** Words of strangers, on one line. */
const lineOf = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Co}\s]+/gu, ' ')
    .slice(0, MAX_ERROR_LENGTH)
    .toWellFormed()

const pageStoreOf = (query: Kysely<Tables>, id: string): PageStore => ({
  pages: () =>
    query
      .selectFrom('source_page')
      .select(['position', 'next_cursor as nextCursor'])
      .select([sql<number>`json_array_length(rows::json)`.as('rowCount'), sql<number>`length(rows)`.as('characters')])
      .where('source_id', '=', id)
      .orderBy('position')
      .execute(),

  async add({ position, nextCursor, rows }) {
    await query.insertInto('source_page').values({ source_id: id, position, next_cursor: nextCursor, rows }).execute()
  },

  async rows(position) {
    const page = await query
      .selectFrom('source_page')
      .select('rows')
      .where('source_id', '=', id)
      .where('position', '=', position)
      .executeTakeFirst()
    // `add` gets lists as JSON.
    return page ? (JSON.parse(page.rows) as readonly unknown[]) : []
  },

  async clear() {
    await query.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('source_page').where('source_id', '=', id).execute()
      await transaction.updateTable('source').set({ pages_since: null }).where('id', '=', id).execute()
    })
  },
})
