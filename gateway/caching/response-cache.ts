import type { ExecutionResult } from '../operations/execution-result.ts'
import { serializedBytes } from '../operations/serialized-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { Dependencies } from './dependencies.ts'
import { createResponseBytes, type ResponseBytes } from './response-bytes.ts'

/** Cache request of a query: equal keys have equal responses. */
export type CacheRequest = {
  readonly key: string
  /** Seconds for which the response may be reused. */
  readonly maxAge: number
  readonly dependencies: Dependencies
  /** Called with the response at hand: whether other callers may get it too. Absent: yes. */
  readonly isShareable?: () => boolean
}

/** A response without errors with its age, or any other result. */
export type CachedResult = { readonly bytes: ResponseBytes; readonly ageSeconds: number } | { readonly result: ExecutionResult }

/** The cached responses of one graph. */
export type ResponseCache = {
  /** Returns the cached response, joins an equal request in flight, or runs `execute`. */
  readonly getOrExecute: (
    request: CacheRequest,
    context: RequestContext,
    execute: (context: RequestContext) => Promise<ExecutionResult>,
  ) => Promise<CachedResult>
  /** Invalidates responses that depend on any of these and were requested before this call. */
  readonly invalidate: (changed: Dependencies) => void
  /** Stores no response that depends on any of these for the next 30 s. */
  readonly suspendWrites: (uncertain: Dependencies) => void
  readonly entries: () => number
  readonly bytes: () => number
}

/** Bound of cached responses. */
const MAX_ENTRIES = 10_000
/** Estimated memory of an entry in addition to its body. */
const ENTRY_OVERHEAD_BYTES = 1_000
/** A timed-out mutation may still run: three times the timeout of an operation. */
const SUSPENSION_MS = 30_000

type Entry = {
  readonly bytes: ResponseBytes
  /** Times of the request and of expiry, on the clock of `now`. */
  readonly requestedAt: number
  readonly expiresAt: number
  /** Data version at the time of the request. */
  readonly version: number
}

type InFlight = { readonly version: number; readonly bytes: Promise<ResponseBytes | null> }

/**
 * LRU cache of at most `maxBytes`; 0 disables it. Equal requests in flight are executed once. A
 * response is valid until its age ends or a dependency changes after its request; the same rule
 * applies to responses in flight.
 */
export function responseCache({
  maxBytes,
  now = () => performance.now(),
  count = () => {},
}: {
  readonly maxBytes: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Metrics callback, called per lookup. */
  readonly count?: (lookup: 'hit' | 'joined' | 'miss') => void
}): ResponseCache {
  const entries = lruEntries(maxBytes)
  const inFlight = new Map<string, InFlight>()
  const { version, isCurrent, isSuspended, invalidate, suspendWrites } = dependencyChanges(now)

  return { getOrExecute, invalidate, suspendWrites, entries: entries.count, bytes: entries.bytes }

  async function getOrExecute(
    request: CacheRequest,
    context: RequestContext,
    execute: (context: RequestContext) => Promise<ExecutionResult>,
  ): Promise<CachedResult> {
    if (maxBytes === 0) return toUncachedResult(await execute(context))
    const { key, dependencies } = request
    const entry = lookup(key, dependencies)
    if (entry) {
      count('hit')
      return { bytes: entry.bytes, ageSeconds: Math.floor((now() - entry.requestedAt) / 1000) }
    }
    const running = inFlight.get(key)
    if (!running || !isCurrent(running.version, dependencies)) return executeAndCache(request, context, execute)
    const bytes = await running.bytes
    count(bytes ? 'joined' : 'miss')
    // Errors are not shared, because they contain a request id, and a retry may succeed.
    return bytes ? { bytes, ageSeconds: 0 } : toUncachedResult(await execute(context))
  }

  /** Returns a valid entry and marks it as most recently used; deletes an invalid one. */
  function lookup(key: string, dependencies: Dependencies): Entry | null {
    const entry = entries.get(key)
    if (!entry) return null
    if (now() < entry.expiresAt && isCurrent(entry.version, dependencies)) {
      entries.markUsed(key, entry)
      return entry
    }
    entries.remove(key)
    return null
  }

  async function executeAndCache(
    { key, maxAge, dependencies, isShareable }: CacheRequest,
    context: RequestContext,
    execute: (context: RequestContext) => Promise<ExecutionResult>,
  ): Promise<CachedResult> {
    count('miss')
    const [requestedAt, requestedVersion] = [now(), version()]
    // Never aborted by the first client, because others may join.
    const executing = execute({ ...context, signal: NEVER })
    const body = executing.then(toUncachedResult).then(
      (done) => ('bytes' in done && isShareable?.() !== false ? done.bytes : null),
      () => null,
    )
    const running: InFlight = { version: requestedVersion, bytes: body }
    inFlight.set(key, running)
    const bytes = await body
    if (inFlight.get(key) === running) inFlight.delete(key)
    if (!bytes) return { result: await executing }
    if (isCurrent(requestedVersion, dependencies) && !isSuspended(dependencies)) {
      entries.add(key, { bytes, requestedAt, version: requestedVersion, expiresAt: requestedAt + maxAge * 1000 })
    }
    return { bytes, ageSeconds: 0 }
  }
}

/**
 * Data versions: each invalidation increments the version. A response is valid when no dependency
 * changed after the version of its request.
 */
function dependencyChanges(now: () => number) {
  /** By dependency: version of the last change, and end of the write suspension in ms. */
  const changedAt = new Map<string, number>()
  const suspendedUntil = new Map<string, number>()
  let version = 0

  return {
    version: () => version,
    isCurrent(since: number, dependencies: Dependencies): boolean {
      if (since === version) return true
      for (const name of dependencies) if ((changedAt.get(name) ?? 0) > since) return false
      return true
    },
    isSuspended(dependencies: Dependencies): boolean {
      for (const name of dependencies) if ((suspendedUntil.get(name) ?? 0) > now()) return true
      return false
    },
    invalidate(changed: Dependencies): void {
      version++
      for (const name of changed) changedAt.set(name, version)
    },
    suspendWrites(uncertain: Dependencies): void {
      for (const name of uncertain) suspendedUntil.set(name, now() + SUSPENSION_MS)
    },
  }
}

/** Entries in LRU order, oldest first; bounded by `maxBytes` and MAX_ENTRIES. */
function lruEntries(maxBytes: number) {
  const entries = new Map<string, Entry>()
  let heldBytes = 0

  return {
    get: (key: string): Entry | undefined => entries.get(key),
    markUsed(key: string, entry: Entry): void {
      entries.delete(key)
      entries.set(key, entry)
    },
    add,
    remove,
    count: () => entries.size,
    bytes: () => heldBytes,
  }

  function add(key: string, entry: Entry): void {
    remove(key)
    entries.set(key, entry)
    heldBytes += entry.bytes.size() + ENTRY_OVERHEAD_BYTES
    entry.bytes.onGrowth((bytes) => {
      if (entries.get(key) !== entry) return
      heldBytes += bytes
      evict()
    })
    evict()
  }

  function evict(): void {
    for (const oldest of entries.keys()) {
      if (heldBytes <= maxBytes && entries.size <= MAX_ENTRIES) return
      remove(oldest)
    }
  }

  function remove(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    heldBytes -= entry.bytes.size() + ENTRY_OVERHEAD_BYTES
  }
}

/** Converts an uncached result: bytes when it has data and no errors. */
export function toUncachedResult(result: ExecutionResult): CachedResult {
  const bytes = serializedBytes(result)
  // Copied, because small bodies are parts of a larger buffer of their connection.
  if (bytes) return { bytes: createResponseBytes(Buffer.from(bytes)), ageSeconds: 0 }
  const { data, errors } = result
  return !data || errors ? { result } : { bytes: createResponseBytes(JSON.stringify({ data })), ageSeconds: 0 }
}

const NEVER = new AbortController().signal
