import pg from 'pg'
import type { Logger } from 'pino'
import type { Connection } from '../../../platform/database/database.ts'
import type { HttpClient } from '../../../platform/outbound/http-client.ts'
import { DropRefused } from '../import/drop.ts'
import { storeFindings, withoutRepeats } from '../import/store-findings.ts'
import type { FetchedSource } from './fetched.ts'
import { fetchFiles } from './files.ts'
import { locationOf, type SourceLocation } from './location.ts'
import { neighbours } from './neighbours.ts'
import { fetchPages } from './pages.ts'
import type { SourceRepository } from './repository.ts'
import { budgetOf, RunFault, requester } from './request.ts'
import { retrySeconds, type Source, type SourceCounts } from './source.ts'

export type RunDeps = {
  readonly connection: Connection
  readonly sources: SourceRepository
  readonly http: HttpClient
  readonly requestsPerHour: number
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly log: Logger
  /** Waits before further tries of a request; absent: as usual. Milliseconds. */
  readonly pausesMs?: readonly number[]
}

/** What came of a run. */
export type RunReport =
  | { readonly kind: 'gone' }
  /** Another process runs it at the moment. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'done'; readonly source: Source; readonly isUnchanged: boolean; readonly isComplete: boolean }
  | { readonly kind: 'failed'; readonly source: Source }

/** Any fixed number: "sour" as ASCII in hexadecimal. */
const RUN_LOCK = 0x736f7572
/** A run that lasts longer stops; what it read of pages stays for the next one. */
const MAX_RUN_MS = 1_200_000
/** Between two runs of a registry that read everything, only changes are read. */
const COMPLETE_EVERY_MS = 86_400_000
/** A file that stays the same is read again after this: readers may have learned since. */
const REREAD_AFTER_MS = 7 * 86_400_000
/** Older pages of an unfinished run are read again: rows may have moved since. */
const MAX_PAGES_AGE_MS = 86_400_000
/** Changes are read from this much before the last run on: clocks differ. */
const OVERLAP_MS = 3_600_000

/** Runs a source, unless another process does. Rejects when the database fails or `signal` aborts. */
export async function runSource(id: string, deps: RunDeps): Promise<RunReport> {
  const client = new pg.Client({ ...deps.connection, application_name: 'atrium directory source' })
  client.on('error', () => {})
  await client.connect()
  try {
    // Belongs to this connection, so it ends with the process.
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS taken', [
      RUN_LOCK,
      Number(BigInt(id) % 2n ** 31n),
    ])
    if (rows[0]?.taken !== true) return { kind: 'busy' }
    const source = await deps.sources.byId(id)
    return source === null ? { kind: 'gone' } : await runLocked(source, deps)
  } finally {
    await client.end()
  }
}

async function runLocked(source: Source, deps: RunDeps): Promise<RunReport> {
  const { sources, now, signal, log } = deps
  const startedAt = now()
  await sources.begin(source.id, startedAt)
  const budget = budgetOf(source, deps.requestsPerHour, now)
  const time = AbortSignal.timeout(MAX_RUN_MS)
  const either = AbortSignal.any([signal, time])
  const { pausesMs } = deps
  const request = requester(deps.http, { budget, signal: either, ...(pausesMs && { pausesMs }) })
  try {
    const location = locationOf(source)
    const { fetched, isComplete, asOf } = await fetchSource(source, location, { ...deps, signal: either, request, startedAt })
    const counts = await storeFetched(fetched, source, location, { ...deps, signal: either })
    const { etag, lastModified } = fetched ?? source
    const nextRunAt = new Date(startedAt.getTime() + source.intervalMinutes * 60_000)
    const requests = budget.state()
    await sources.end(source, { problem: null, asOf, nextRunAt, requests, isComplete, counts, etag, lastModified })
    await sources.pageStore(source.id).clear()
    const { added, updated, removed } = counts
    if (added + updated + removed > 0) log.info({ source: source.name, ...counts }, 'a source changed the directory')
    return { kind: 'done', source: await reread(source, sources), isUnchanged: fetched === null, isComplete }
  } catch (error) {
    // The process ends: the next one goes on.
    if (signal.aborted) throw error
    const fault = time.aborted ? new RunFault('TIMEOUT', 'The run did not end in time.') : faultOf(error)
    if (fault.problem === 'INTERNAL') log.error({ err: error, source: source.name }, 'a source could not be run')
    else log.warn({ source: source.name, problem: fault.problem, reason: fault.message }, 'a source failed')
    // What was refused as a whole is read anew.
    if (fault.problem === 'DROP_REFUSED') await sources.pageStore(source.id).clear()
    const seconds = retrySeconds(source.failures, source.intervalMinutes, fault.retryAfterSeconds)
    const nextRunAt = new Date(now().getTime() + seconds * 1_000)
    const { problem, message } = fault
    await sources.end(source, { problem, error: message, nextRunAt, requests: budget.state() })
    return { kind: 'failed', source: await reread(source, sources) }
  }
}

const reread = async (source: Source, sources: SourceRepository): Promise<Source> => (await sources.byId(source.id)) ?? source

/** Requests throw RunFault: whatever else is thrown is a fault of ours. */
function faultOf(error: unknown): RunFault {
  if (error instanceof RunFault) return error
  const message = error instanceof Error ? error.message : String(error)
  return new RunFault(error instanceof DropRefused ? 'DROP_REFUSED' : 'INTERNAL', message)
}

type FetchDeps = Pick<RunDeps, 'sources' | 'signal'> & {
  readonly request: ReturnType<typeof requester>
  readonly startedAt: Date
}

/**
 * Reads the source, or what changed of it. `fetched` null: it is the same as before. `asOf`: the
 * beginning of the run, also where this one goes on with it.
 */
async function fetchSource(
  source: Source,
  location: SourceLocation,
  { sources, signal, request, startedAt }: FetchDeps,
): Promise<{ readonly fetched: FetchedSource | null; readonly isComplete: boolean; readonly asOf: Date }> {
  const age = (at: Date | null): number => (at === null ? Number.POSITIVE_INFINITY : startedAt.getTime() - at.getTime())
  if (location.protocol !== 'pages') {
    const isOld = age(source.lastCompleteAt) > REREAD_AFTER_MS
    const validators = isOld ? { etag: null, lastModified: null } : source
    const fetched = await fetchFiles(location, validators, { request, signal })
    return { fetched, isComplete: fetched !== null, asOf: startedAt }
  }
  const store = sources.pageStore(source.id)
  const isContinued = age(source.pagesSince) <= MAX_PAGES_AGE_MS
  const isComplete = isContinued ? source.arePagesComplete : source.acceptsDrop || age(source.lastCompleteAt) > COMPLETE_EVERY_MS
  if (!isContinued) {
    await store.clear()
    await sources.beginPages(source.id, startedAt, isComplete)
  }
  const since = isComplete || source.lastSuccessAt === null ? null : new Date(source.lastSuccessAt.getTime() - OVERLAP_MS)
  const asOf = (isContinued ? source.pagesSince : null) ?? startedAt
  return { fetched: await fetchPages(location, { request, store, since }), isComplete, asOf }
}

/** Stores what was read. Throws DropRefused. */
async function storeFetched(
  fetched: FetchedSource | null,
  source: Source,
  location: SourceLocation,
  { connection, log, now, signal }: RunDeps,
): Promise<SourceCounts> {
  if (fetched === null) return { added: 0, updated: 0, removed: 0, rejected: source.counts?.rejected ?? 0 }
  const { contributions, scope, unreadable, unreadableNames, unreadableRecords, withdrawn } = fetched
  const { acceptsDrop } = source
  const stored = await storeFindings(
    {
      contributions: withoutRepeats(contributions),
      scopes: scope === null ? [] : [scope],
      skipped: [],
      unreadable,
      counts: [],
      unattended: {
        source: source.id,
        neighbours: neighbours(source),
        root: location.root,
        acceptsDrop,
        withdrawn,
        unreadableRecords,
        unreadableNames,
      },
    },
    { connection, log, now: now(), signal },
  )
  const { imported: added, updated, removed, skipped } = stored
  return { added, updated, removed, rejected: fetched.rejected + skipped.length }
}
