import { type Kysely, sql } from 'kysely'
import { anyOf } from '../../../platform/database/any-of.ts'
import type { KeysetRange } from '../../toolkit/keyset.ts'
import type { RowError } from '../record-file/record.ts'
import type { Tables } from '../tables.ts'
import { MAX_STORED_ERRORS, type StoreImport } from './store-import.ts'

const COLUMNS = [
  'id',
  'kind',
  'format',
  'status',
  'dry_run as isDryRun',
  'overwrite',
  'source',
  'takes_stock as takesStock',
  'sends_events as sendsEvents',
  'file_name as fileName',
  'byte_count as byteCount',
  'bytes_read as bytesRead',
  'position as processed',
  'created',
  'updated',
  'skipped',
  'failed',
  'failure',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
] as const

/** A stored error with its place in the list. */
export type StoredRowError = RowError & { readonly id: number }

/** Progress of one chunk of a file. */
type ChunkCounts = Pick<StoreImport, 'created' | 'updated' | 'skipped' | 'failed'> & { readonly bytesRead: number }

/** An import without a file. */
export type NewStoreImport = Pick<
  StoreImport,
  'kind' | 'format' | 'isDryRun' | 'overwrite' | 'source' | 'takesStock' | 'sendsEvents' | 'fileName'
>

/** An import that this process runs. */
export type TakenImport = { readonly storeId: number; readonly id: number; readonly attempts: number }

export type StoreImportRepository = ReturnType<typeof storeImportRepository>

/** Imports in the database. */
export const storeImportRepository = (database: Kysely<Tables>) => ({
  /** In any order, without those that do not exist. */
  findByIds: (storeId: number, ids: readonly number[]): Promise<StoreImport[]> =>
    imports(database, storeId).where('id', '=', anyOf(ids)).execute(),

  /** Newest first, one more than requested. */
  list: (storeId: number, { size, after, offset }: KeysetRange): Promise<StoreImport[]> =>
    imports(database, storeId)
      .$if(after !== null, (query) => query.where('id', '<', Number(after?.[0])))
      .orderBy('id', 'desc')
      .limit(size + 1)
      .offset(offset)
      .execute(),

  async count(storeId: number): Promise<number> {
    const { count } = await database
      .selectFrom('store_import')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  /** Errors of imports, oldest first, of each one more than requested. */
  async errorsOf(
    storeId: number,
    importIds: readonly number[],
    { size, after, offset }: KeysetRange,
  ): Promise<readonly (StoredRowError & { readonly importId: number })[]> {
    const { rows } = await sql<StoredRowError & { readonly importId: number }>`
      SELECT error.id, requested.id AS "importId", error.row, error."column", error.message
      FROM unnest(${importIds}::integer[]) AS requested (id)
      CROSS JOIN LATERAL (
        SELECT id, row, "column", message FROM store_import_error
        WHERE store_id = ${storeId} AND import_id = requested.id AND id > ${after === null ? 0 : Number(after[0])}
        ORDER BY id LIMIT ${size + 1} OFFSET ${offset}
      ) AS error
      ORDER BY error.id`.execute(database)
    return rows
  },

  errorCounts: (
    storeId: number,
    importIds: readonly number[],
  ): Promise<{ readonly importId: number; readonly count: string }[]> =>
    database
      .selectFrom('store_import_error')
      .select(({ fn }) => ['import_id as importId', fn.countAll<string>().as('count')])
      .where('store_id', '=', storeId)
      .where('import_id', 'in', importIds)
      .groupBy('import_id')
      .execute(),

  /** Imports that have not ended; others of the store wait until the transaction ends. */
  async countOpen(storeId: number): Promise<number> {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`store imports ${storeId}`}, 0))`.execute(database)
    const { count } = await database
      .selectFrom('store_import')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('store_id', '=', storeId)
      .where('status', 'in', ['RECEIVING', 'QUEUED', 'RUNNING'])
      .executeTakeFirstOrThrow()
    return Number(count)
  },

  async insert(
    storeId: number,
    { kind, format, isDryRun, overwrite, source, takesStock, sendsEvents, fileName }: NewStoreImport,
    at: Date,
  ): Promise<number> {
    const { id } = await database
      .insertInto('store_import')
      .values({
        ...{ store_id: storeId, kind, format, dry_run: isDryRun, overwrite, source, file_name: fileName, created_at: at },
        ...{ takes_stock: takesStock, sends_events: sendsEvents },
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },

  /** The row until the transaction ends; null when there is none. */
  async lock(storeId: number, id: number): Promise<StoreImport | null> {
    return (await imports(database, storeId).where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
  },

  /** Adds a piece at the end of the file; the import is locked. */
  async append(storeId: number, id: number, start: number, bytes: Buffer): Promise<void> {
    await database.insertInto('store_import_piece').values({ store_id: storeId, import_id: id, start, bytes }).execute()
    await database
      .updateTable('store_import')
      .set({ byte_count: start + bytes.length })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** The piece that begins behind so many bytes; null at the end. */
  async piece(storeId: number, id: number, start: number): Promise<Buffer | null> {
    const found = await database
      .selectFrom('store_import_piece')
      .select('bytes')
      .where('store_id', '=', storeId)
      .where('import_id', '=', id)
      .where('start', '=', start)
      .executeTakeFirst()
    return found?.bytes ?? null
  },

  /** Lets it be taken at once. */
  async queue(storeId: number, id: number): Promise<void> {
    await database
      .updateTable('store_import')
      .set({ status: 'QUEUED' })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /** Ends it, and deletes its file. */
  async finish(
    storeId: number,
    id: number,
    end: { readonly status: 'COMPLETED' | 'CANCELED' } | { readonly status: 'FAILED'; readonly failure: string },
    at: Date,
  ): Promise<void> {
    await database.deleteFrom('store_import_piece').where('store_id', '=', storeId).where('import_id', '=', id).execute()
    await database
      .updateTable('store_import')
      .set((set) => ({
        ...end,
        finished_at: at,
        leased_until: null,
        ...(end.status === 'COMPLETED' && { bytes_read: set.ref('byte_count') }),
      }))
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .execute()
  },

  /**
   * Takes the import that waits longest, also one whose process has died; null when none is due.
   * `only`: that one alone.
   */
  async take(at: Date, until: Date, only: Pick<TakenImport, 'storeId' | 'id'> | null = null): Promise<TakenImport | null> {
    const isWanted = only === null ? sql`true` : sql`store_id = ${only.storeId} AND id = ${only.id}`
    const { rows } = await sql<TakenImport>`
      UPDATE store_import SET status = 'RUNNING', leased_until = ${until}, attempts = attempts + 1,
        started_at = coalesce(started_at, ${at})
      WHERE (store_id, id) IN (
        SELECT store_id, id FROM store_import
        WHERE finished_at IS NULL AND status IN ('QUEUED', 'RUNNING') AND (leased_until IS NULL OR leased_until < ${at})
          AND ${isWanted}
        ORDER BY leased_until NULLS FIRST, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING store_id AS "storeId", id, attempts`.execute(database)
    return rows[0] ?? null
  },

  /** Counts a chunk behind `processed` objects, and prolongs the lease; the import is locked. */
  async progress(
    storeId: number,
    id: number,
    { created, updated, skipped, failed, bytesRead }: ChunkCounts,
    until: Date,
  ): Promise<void> {
    await sql`
      UPDATE store_import SET position = position + ${created + updated + skipped + failed}::integer,
        created = created + ${created}::integer, updated = updated + ${updated}::integer,
        skipped = skipped + ${skipped}::integer, failed = failed + ${failed}::integer,
        bytes_read = least(byte_count, greatest(bytes_read, ${bytesRead}::integer)), attempts = 1, leased_until = ${until}
      WHERE store_id = ${storeId} AND id = ${id}`.execute(database)
  },

  /** Stores errors until there are too many; the import is locked. */
  async addErrors(storeId: number, importId: number, errors: readonly RowError[]): Promise<void> {
    if (errors.length === 0) return
    await sql`
      INSERT INTO store_import_error (store_id, import_id, row, "column", message)
      SELECT ${storeId}, ${importId}, found.* FROM unnest(${errors.map(({ row }) => row)}::integer[],
        ${errors.map(({ column }) => column)}::text[], ${errors.map(({ message }) => message)}::text[]) AS found
      LIMIT greatest(0, ${MAX_STORED_ERRORS} - (SELECT count(*) FROM store_import_error
        WHERE store_id = ${storeId} AND import_id = ${importId}))`.execute(database)
  },

  /** Gives a running import back, so that another process goes on with it. */
  async release(storeId: number, id: number): Promise<void> {
    await database
      .updateTable('store_import')
      .set({ leased_until: null })
      .where('store_id', '=', storeId)
      .where('id', '=', id)
      .where('status', '=', 'RUNNING')
      .execute()
  },

  /** Deletes ended imports of before `ended`, and files of before `abandoned` that nobody started. */
  async deleteOld({ ended, abandoned }: { readonly ended: Date; readonly abandoned: Date }): Promise<void> {
    await sql`
      DELETE FROM store_import WHERE (created_at < ${ended} AND finished_at IS NOT NULL)
        OR (created_at < ${abandoned} AND status = 'RECEIVING')`.execute(database)
  },
})

const imports = (database: Kysely<Tables>, storeId: number) =>
  database.selectFrom('store_import').select(COLUMNS).where('store_id', '=', storeId)
