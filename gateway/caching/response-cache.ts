import type { ExecutionResult } from '../operations/execution-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { Dependencies } from './dependencies.ts'
import { createResponseBytes, type ResponseBytes } from './response-bytes.ts'

/** Whoever asks the same question is told the same. */
export type CacheRequest = {
  readonly key: string
  /** Seconds for which an answer may be told again. */
  readonly maxAge: number
  readonly dependencies: Dependencies
}

/** An answer without errors and how many seconds ago it was asked for, or whatever else came of it. */
export type CachedResult = { readonly bytes: ResponseBytes; readonly ageSeconds: number } | { readonly outcome: ExecutionResult }

/** The answers of one graph. */
export type ResponseCache = {
  /** The answer to `question`, from `ask` where it is not known. */
  readonly getOrExecute: (
    question: CacheRequest,
    passage: RequestContext,
    ask: (passage: RequestContext) => Promise<ExecutionResult>,
  ) => Promise<CachedResult>
  /** Something has changed: no answer that was asked for before this moment and is made of it is told any more. */
  readonly invalidate: (what: Dependencies) => void
  /** Something may change within the next half minute, and nobody will say so: until then nothing that is made of it is kept. */
  readonly suspendWrites: (what: Dependencies) => void
  readonly entries: () => number
  readonly bytes: () => number
}

/** Answers that are held at most; an entry takes about a kilobyte beside its bytes. */
const MOST_ENTRIES = 10_000
/** What an entry counts beside its bytes. */
const ENTRY_BYTES = 1_000
/** How long a change that nobody waits for any longer may take: three times what an operation may. */
const DOUBT_MILLISECONDS = 30_000

type Entry = { readonly bytes: ResponseBytes; readonly began: number; readonly since: number; readonly expires: number }

/**
 * Holds at most `maxBytes`, those that were not asked for longest leave first; 0 holds nothing. Equal questions at the same time are asked once. An answer is told as long
 * as its age allows and nothing that it is made of has changed since before it was asked for: one rule for what is held and for what is still being worked out.
 */
export function responseCache({
  maxBytes,
  now = () => performance.now(),
  count = () => {},
}: {
  readonly maxBytes: number
  /** Milliseconds that never go back. */
  readonly now?: () => number
  /** Hears how each question was answered. */
  readonly count?: (outcome: 'hit' | 'joined' | 'miss') => void
}): ResponseCache {
  const entries = new Map<string, Entry>()
  const asked = new Map<string, { readonly since: number; readonly answer: Promise<ResponseBytes | null> }>()
  /** When each thing changed last, counted in changes; and until when it is in doubt, in milliseconds. */
  const changes = new Map<string, number>()
  const doubts = new Map<string, number>()
  let clock = 0
  let held = 0

  return {
    getOrExecute: told,
    invalidate(what) {
      clock++
      for (const name of what) changes.set(name, clock)
    },
    suspendWrites(what) {
      for (const name of what) doubts.set(name, now() + DOUBT_MILLISECONDS)
    },
    entries: () => entries.size,
    bytes: () => held,
  }

  async function told(
    question: CacheRequest,
    passage: RequestContext,
    ask: (passage: RequestContext) => Promise<ExecutionResult>,
  ): Promise<CachedResult> {
    if (maxBytes === 0) return toUncachedResult(await ask(passage))
    const { key, maxAge, dependencies } = question
    const known = entries.get(key)
    if (known) {
      entries.delete(key)
      if (now() < known.expires && isCurrent(known.since, dependencies)) {
        entries.set(key, known)
        count('hit')
        return { bytes: known.bytes, ageSeconds: Math.floor((now() - known.began) / 1000) }
      }
      held -= known.bytes.size() + ENTRY_BYTES
    }

    const running = asked.get(key)
    if (running && isCurrent(running.since, dependencies)) {
      const bytes = await running.answer
      count(bytes ? 'joined' : 'miss')
      // Errors belong to whoever asked: another may have more luck, and has a request id of its own.
      return bytes ? { bytes, ageSeconds: 0 } : toUncachedResult(await ask(passage))
    }

    count('miss')
    const [began, since] = [now(), clock]
    // Others may wait for it when this client is gone.
    const outcome = ask({ ...passage, signal: NEVER })
    const answer = outcome.then(toUncachedResult).then(
      (done) => ('bytes' in done ? done.bytes : null),
      () => null,
    )
    const own = { since, answer }
    asked.set(key, own)
    const bytes = await answer
    if (asked.get(key) === own) asked.delete(key)
    if (!bytes) return { outcome: await outcome }
    if (isCurrent(since, dependencies) && !isDoubtful(dependencies))
      hold(key, { bytes, began, since, expires: began + maxAge * 1000 })
    return { bytes, ageSeconds: 0 }
  }

  function isCurrent(since: number, dependencies: Dependencies): boolean {
    if (since === clock) return true
    for (const name of dependencies) if ((changes.get(name) ?? 0) > since) return false
    return true
  }

  function isDoubtful(dependencies: Dependencies): boolean {
    for (const name of dependencies) if ((doubts.get(name) ?? 0) > now()) return true
    return false
  }

  function hold(key: string, entry: Entry): void {
    forget(key)
    entries.set(key, entry)
    held += entry.bytes.size() + ENTRY_BYTES
    entry.bytes.onGrowth((bytes) => {
      if (entries.get(key) !== entry) return
      held += bytes
      makeRoom()
    })
    makeRoom()
  }

  function makeRoom(): void {
    for (const oldest of entries.keys()) {
      if (held <= maxBytes && entries.size <= MOST_ENTRIES) return
      forget(oldest)
    }
  }

  function forget(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    held -= entry.bytes.size() + ENTRY_BYTES
  }
}

/** An answer that nothing is known of. */
export function toUncachedResult(outcome: ExecutionResult): CachedResult {
  const { data, errors } = outcome
  return !data || errors ? { outcome } : { bytes: createResponseBytes(JSON.stringify({ data })), ageSeconds: 0 }
}

const NEVER = new AbortController().signal
