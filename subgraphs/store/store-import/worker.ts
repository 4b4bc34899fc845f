import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type PeriodicJob, runPeriodically } from '../../../platform/process/run-periodically.ts'
import type { StoreQuotas } from '../quota/quota.ts'
import { FileFault, type FileObject, readObjects } from '../record-file/file-reader.ts'
import type { RecordResult, RowError } from '../record-file/record.ts'
import type { StoreQuery, UnitOfWork, write } from '../write.ts'
import { type StoreImportRepository, storeImportRepository, type TakenImport } from './repository.ts'
import { DEFAULT_SOURCE, type StoreImport } from './store-import.ts'

/** Between the ends of a run and the next, when nothing was due. Milliseconds. */
const INTERVAL_MS = 2_000
/** Between two deletions of what is old. */
const DELETION_INTERVAL_MS = 600_000
/** How long an import belongs to the process that took it: a chunk takes less. Milliseconds. */
const LEASE_MS = 60_000
/** Runs without progress after which an import has failed: its process died each time. */
const MAX_ATTEMPTS = 5
/** Objects and rows of a transaction: other changes of the store wait for locks no longer than for this. */
const [MAX_CHUNK_OBJECTS, MAX_CHUNK_ROWS] = [50, 1_000]
/** Characters after which a chunk is written: what they become takes some 50 bytes for each in the worst case. */
const MAX_CHUNK_LENGTH = 1_000_000
/** Ended imports, and files that nobody started, are deleted after this. Milliseconds. */
const [RETENTION_MS, ABANDONED_MS] = [30 * 86_400_000, 86_400_000]

export type StoreImportDeps = {
  readonly database: StoreQuery['query']
  readonly quotas: StoreQuotas
  /** Where a stored file is found by everybody. */
  readonly publicUrl: (key: string) => string
  readonly log: Logger
  readonly now: () => Date
  /** Runs a change of a store in a transaction, which a result without "Success" rolls back. */
  readonly writeStore: <Result extends { readonly __typename: string }>(
    storeId: number,
    change: (unit: UnitOfWork) => Promise<Result>,
  ) => ReturnType<typeof write<Result>>
}

/** Runs imports until it is stopped; several processes may, and each import is run by one. */
export function storeImportJobs(deps: StoreImportDeps): PeriodicJob {
  let deletedAt = 0
  return runPeriodically(
    INTERVAL_MS,
    async (signal) => {
      await runStoreImports(deps, signal)
      const at = deps.now().getTime()
      if (at - deletedAt < DELETION_INTERVAL_MS) return
      deletedAt = at
      await storeImportRepository(deps.database).deleteOld({
        ended: new Date(at - RETENTION_MS),
        abandoned: new Date(at - ABANDONED_MS),
      })
    },
    (error) => deps.log.warn({ err: error }, 'imports of stores could not be run'),
  )
}

/** Runs the imports that are due. */
export async function runStoreImports(deps: StoreImportDeps, signal: AbortSignal): Promise<void> {
  const imports = storeImportRepository(deps.database)
  while (!signal.aborted) {
    const at = deps.now()
    const taken = await imports.take(at, new Date(at.getTime() + LEASE_MS))
    if (!taken) return
    await runStoreImport(deps, taken, signal)
  }
}

/** Runs an import that this process has taken, until it ends or `signal` is aborted. */
export async function runStoreImport(deps: StoreImportDeps, taken: TakenImport, signal: AbortSignal): Promise<void> {
  const { storeId, id, attempts } = taken
  try {
    if (attempts > MAX_ATTEMPTS) throw new FileFault('The import did not get further in five attempts.')
    const isDone = await importChunks(deps, taken, signal)
    if (isDone) await finish(deps, taken, { status: 'COMPLETED' })
    // Otherwise it was canceled, or another process has it.
    else if (signal.aborted) await storeImportRepository(deps.database).release(storeId, id)
  } catch (error) {
    if (error instanceof FileFault) return finish(deps, taken, { status: 'FAILED', failure: error.message })
    // It is taken again when the lease ends. Other fields of errors of PostgreSQL show rows.
    const reason = error instanceof Error ? error.stack : String(error)
    deps.log.warn({ reason, storeId, import: id }, 'an import of a store could not be run')
  }
}

async function finish(
  { writeStore }: StoreImportDeps,
  { storeId, id }: TakenImport,
  end: Parameters<StoreImportRepository['finish']>[2],
): Promise<void> {
  await writeStore(storeId, async ({ query, now }) => {
    const imports = storeImportRepository(query)
    const row = await imports.lock(storeId, id)
    if (row?.status === 'RUNNING') await imports.finish(storeId, id, end, now)
    return { __typename: 'FinishSuccess' }
  })
}

/** False when it stopped before the end: it was canceled, or the process stops. */
async function importChunks(deps: StoreImportDeps, { storeId, id }: TakenImport, signal: AbortSignal): Promise<boolean> {
  const imports = storeImportRepository(deps.database)
  const [about] = await imports.findByIds(storeId, [id])
  if (!about) return false
  const { recordKind } = await import('./record-kinds.ts')
  const kind = recordKind(about.kind)
  const file = filePieces(imports, storeId, id)
  // By hash: a key may be as long as a row.
  const seen = new Map<string, number>()
  const { processed } = about
  let [position, chunk, weight, length]: [number, FileObject[], number, number] = [0, [], 0, 0]
  for await (const object of readObjects(file.pieces, { format: about.format, ...kind.reading })) {
    const key = kind.keyOf(object, about.source ?? DEFAULT_SOURCE)
    const hash = key === '' ? null : createHash('sha256').update(key).digest('base64')
    const first = hash === null ? undefined : seen.get(hash)
    if (hash !== null && first === undefined) seen.set(hash, object.row)
    position += 1
    // Done in a run before this one.
    if (position <= processed) continue
    chunk.push(first === undefined ? object : repeated(object, first))
    weight += object.format === 'CSV' ? object.rows.length : kind.weightOf(object)
    length += object.format === 'UNREADABLE' ? 0 : object.length
    if (chunk.length < MAX_CHUNK_OBJECTS && weight < MAX_CHUNK_ROWS && length < MAX_CHUNK_LENGTH) continue
    if (
      signal.aborted ||
      !(await importChunk(deps, storeId, about, { objects: chunk, end: position, bytesRead: file.bytesRead() }))
    )
      return false
    ;[chunk, weight, length] = [[], 0, 0]
  }
  if (file.bytesRead() !== about.byteCount) return false
  return chunk.length === 0 || importChunk(deps, storeId, about, { objects: chunk, end: position, bytesRead: file.bytesRead() })
}

const repeated = ({ row }: FileObject, first: number): FileObject => ({
  format: 'UNREADABLE',
  row,
  message: `Expected each object once, in rows that follow each other, got one of row ${first} again.`,
})

/** The pieces of a file, and how many bytes were read. */
function filePieces(imports: StoreImportRepository, storeId: number, id: number) {
  let bytesRead = 0
  return {
    bytesRead: () => bytesRead,
    pieces: (async function* () {
      for (let piece = await imports.piece(storeId, id, 0); piece; piece = await imports.piece(storeId, id, bytesRead)) {
        bytesRead += piece.length
        yield piece
      }
    })(),
  }
}

type Chunk = { readonly objects: readonly FileObject[]; readonly end: number; readonly bytesRead: number }

/** Writes a chunk and counts it in the same transaction; false when it is not this process's to write. */
async function importChunk(deps: StoreImportDeps, storeId: number, about: StoreImport, chunk: Chunk): Promise<boolean> {
  const { recordKind } = await import('./record-kinds.ts')
  const { overwrite, isDryRun, kind, takesStock, sendsEvents } = about
  const options = { ...deps, overwrite, takesStock, sendsEvents, source: about.source ?? DEFAULT_SOURCE }
  const write = (unit: UnitOfWork) => recordKind(kind).write(unit, chunk.objects, options)
  if (!isDryRun) {
    const done = await deps.writeStore(storeId, async (unit) => {
      if (!(await isNext(unit, about, chunk))) return { __typename: 'Lost' as const }
      await count(unit, about, chunk, await write(unit))
      return { __typename: 'ChunkSuccess' as const }
    })
    return done.__typename === 'ChunkSuccess'
  }
  // A result without "Success" rolls the chunk back.
  const tried = await deps.writeStore(storeId, async (unit) => ({ __typename: 'DryRun' as const, results: await write(unit) }))
  const results = 'results' in tried ? tried.results : []
  const done = await deps.writeStore(storeId, async (unit) => {
    if (!(await isNext(unit, about, chunk))) return { __typename: 'Lost' as const }
    await count(unit, about, chunk, results)
    return { __typename: 'ChunkSuccess' as const }
  })
  return done.__typename === 'ChunkSuccess'
}

/** Whether the import runs and this chunk is its next one; it stays locked until the commit. */
async function isNext({ query, storeId }: UnitOfWork, { id }: StoreImport, { objects, end }: Chunk): Promise<boolean> {
  const row = await storeImportRepository(query).lock(storeId, id)
  return row?.status === 'RUNNING' && row.processed === end - objects.length
}

async function count(
  { query, storeId, now }: UnitOfWork,
  { id }: StoreImport,
  { bytesRead }: Chunk,
  results: readonly RecordResult[],
): Promise<void> {
  const imports = storeImportRepository(query)
  const counted = { created: 0, updated: 0, skipped: 0, failed: 0 }
  const errors: RowError[] = []
  for (const result of results) {
    counted[result.kind] += 1
    if (result.kind === 'failed') errors.push(...result.errors)
  }
  await imports.addErrors(storeId, id, errors)
  await imports.progress(storeId, id, { ...counted, bytesRead }, new Date(now.getTime() + LEASE_MS))
}
