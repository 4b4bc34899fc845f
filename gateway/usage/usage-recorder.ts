import { randomUUID } from 'node:crypto'
import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { ClientIdentity } from '../../platform/http/caller.ts'
import { type PeriodicJob, runPeriodically } from '../../platform/process/run-periodically.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { describeUsage } from './signature.ts'
import type { UsageBatch, UsageCount, UsageOperation, UsageSink } from './usage-batch.ts'

/** Usage counter of one graph. */
export type UsageCounter = {
  /** Wraps `run` of one operation with counting. */
  readonly watchOperation: <Result>(
    validated: ValidatedOperation,
    run: (...parameters: Parameters<RunOperation>) => Promise<Result>,
    resultOf: (result: Result) => Pick<ExecutionResult, 'errors'>,
  ) => (...parameters: Parameters<RunOperation>) => Promise<Result>
  /** Creates the counter of one operation. */
  readonly operation: (validated: ValidatedOperation) => CountUse
}

type CountUse = (client: ClientIdentity | undefined, hasErrors: boolean, milliseconds: number) => void

/** Counts operations by client, and reports them to a sink. */
export type UsageRecorder = {
  /** Creates a counter for `schema`; clients without a name count as `unnamed`. */
  readonly forGraph: (schema: GraphQLSchema, unnamed?: ClientIdentity) => UsageCounter
  /** Reports now. Never rejects: an unsent batch is kept. */
  readonly flush: () => Promise<void>
  /** Reports the rest within `CLOSE_TIMEOUT_MS`, and stops. */
  readonly close: () => Promise<void>
}

const FLUSH_INTERVAL_MS = 10_000
/** Timeout of the last report. */
const CLOSE_TIMEOUT_MS = 5_000
/** Upper bound of operations per batch; further ones count as one, named `other`. */
const MAX_BATCH_OPERATIONS = 2_000
/** Upper bound of counts per batch; further clients count as one per operation, named `other`. */
const MAX_BATCH_COUNTS = 10_000
/** Coordinate of an operation that could not be described, so it may use any. */
export const ANY_COORDINATE = '*'
/** Name of operations and clients above a bound. */
export const OTHER = 'other'

type Count = {
  readonly client: ClientIdentity
  requests: number
  errors: number
  milliseconds: number
  lastSeenMs: number
}

/** An operation in the current batch. */
type Entry = { operation: UsageOperation; readonly counts: Map<string, Count>; last: Count | null }
type Counted = { readonly entries: Map<string, Entry>; counts: number }

const UNNAMED: ClientIdentity = { name: '', version: '' }
const OTHER_CLIENT: ClientIdentity = { name: OTHER, version: '' }

/** Creates a recorder. After a failure the sink gets the same batch again. */
export function createUsageRecorder(
  sink: UsageSink,
  {
    log,
    flushIntervalMs = FLUSH_INTERVAL_MS,
    maxOperations = MAX_BATCH_OPERATIONS,
    maxCounts = MAX_BATCH_COUNTS,
  }: {
    readonly log: Logger
    readonly flushIntervalMs?: number
    readonly maxOperations?: number
    readonly maxCounts?: number
  },
): UsageRecorder {
  const counts = createCounts(maxOperations, maxCounts)
  let unsent: UsageBatch | null = null
  let sending = Promise.resolve()
  let hasFailed = false
  const job: PeriodicJob = runPeriodically(flushIntervalMs, flush, () => {})

  return { forGraph: (schema, unnamed = UNNAMED) => graphCounter(counts, schema, unnamed, log), flush, close }

  function flush(): Promise<void> {
    sending = sending.then(send)
    return sending
  }

  async function send(): Promise<void> {
    try {
      // At most two batches: a failed one, and the counts since.
      while (true) {
        unsent ??= counts.takeBatch()
        if (unsent === null) return
        await sink.record(unsent)
        unsent = null
        hasFailed = false
      }
    } catch (error) {
      if (!hasFailed) log.warn({ err: error }, 'the usage report could not be written; it is kept and tried again')
      hasFailed = true
    }
  }

  async function close(): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, CLOSE_TIMEOUT_MS)
    await Promise.race([
      job
        .stop()
        .then(flush)
        .then(() => sink.close?.()),
      timeout.promise,
    ])
    clearTimeout(timer)
  }
}

/** Counter of the operations on one schema. */
function graphCounter(
  counts: ReturnType<typeof createCounts>,
  schema: GraphQLSchema,
  unnamed: ClientIdentity,
  log: Logger,
): UsageCounter {
  function operation(validated: ValidatedOperation): CountUse {
    let described: UsageOperation | null = null
    let entry: Entry | null = null
    let countedIn = -1
    return (client = unnamed, hasErrors, milliseconds) => {
      if (entry === null || countedIn !== counts.batches()) {
        described ??= describe(validated, schema, log)
        entry = counts.entryOf(described)
        countedIn = counts.batches()
      }
      const count = counts.countOf(entry, client)
      count.requests++
      if (hasErrors) count.errors++
      count.milliseconds += milliseconds
      count.lastSeenMs = Date.now()
    }
  }
  return {
    operation,
    watchOperation(validated, run, resultOf) {
      // Introspection uses no coordinates.
      if (validated.isIntrospection) return run
      const count = operation(validated)
      return async (variables, context) => {
        const began = performance.now()
        let hasErrors = true
        try {
          const result = await run(variables, context)
          hasErrors = (resultOf(result).errors?.length ?? 0) > 0
          return result
        } finally {
          count(context.caller.client, hasErrors, performance.now() - began)
        }
      }
    },
  }
}

/** Never throws: a usage report must not fail a request. */
function describe(validated: ValidatedOperation, schema: GraphQLSchema, log: Logger): UsageOperation {
  try {
    return describeUsage(validated, schema)
  } catch (error) {
    log.error({ err: error, operation: validated.operation.name?.value }, 'an operation cannot be described in usage reports')
    return { ...OTHER_OPERATION, coordinates: [ANY_COORDINATE] }
  }
}

/** Counts of the current batch. */
function createCounts(maxOperations: number, maxCounts: number) {
  let counted: Counted = { entries: new Map(), counts: 0 }
  /** Number of batches taken, by which operations detect that their entry is outdated. */
  let batches = 0
  return { batches: () => batches, entryOf, countOf, takeBatch }

  function entryOf(operation: UsageOperation): Entry {
    const { entries } = counted
    if (operation.hash !== OTHER) {
      const known = entries.get(operation.hash)
      if (known) return known
      if (entries.size < maxOperations) return addEntry(operation)
    }
    const other = entries.get(OTHER) ?? addEntry(OTHER_OPERATION)
    other.operation = { ...OTHER_OPERATION, coordinates: union(other.operation.coordinates, operation.coordinates) }
    return other
  }

  function addEntry(operation: UsageOperation): Entry {
    const entry: Entry = { operation, counts: new Map(), last: null }
    counted.entries.set(operation.hash, entry)
    return entry
  }

  function countOf(entry: Entry, client: ClientIdentity): Count {
    const { last } = entry
    if (last !== null && last.client.name === client.name && last.client.version === client.version) return last
    const key = `${client.name}\n${client.version}`
    const known = entry.counts.get(key)
    if (known) {
      entry.last = known
      return known
    }
    if (counted.counts >= maxCounts && client !== OTHER_CLIENT) return countOf(entry, OTHER_CLIENT)
    const added: Count = { client, requests: 0, errors: 0, milliseconds: 0, lastSeenMs: 0 }
    counted.counts++
    entry.counts.set(key, added)
    entry.last = added
    return added
  }

  function takeBatch(): UsageBatch | null {
    if (counted.entries.size === 0) return null
    const entries = [...counted.entries.values()]
    counted = { entries: new Map(), counts: 0 }
    batches++
    const batch = {
      id: randomUUID(),
      operations: entries.map(({ operation }) => operation),
      counts: entries.flatMap(({ operation, counts }) => [...counts.values()].map((count) => usageCount(operation.hash, count))),
    }
    // Freed now, because prepared operations reference their entry until the next run.
    for (const entry of entries) {
      entry.counts.clear()
      entry.last = null
    }
    return batch
  }
}

const OTHER_OPERATION: UsageOperation = { hash: OTHER, name: null, kind: 'other', signature: null, coordinates: [] }

const union = (one: readonly string[], other: readonly string[]): readonly string[] => [...new Set([...one, ...other])].sort()

function usageCount(operation: string, { client, requests, errors, milliseconds, lastSeenMs }: Count): UsageCount {
  const lastSeenAt = new Date(lastSeenMs).toISOString()
  return {
    day: lastSeenAt.slice(0, 10),
    operation,
    clientName: client.name,
    clientVersion: client.version,
    requests,
    errors,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    lastSeenAt,
  }
}
