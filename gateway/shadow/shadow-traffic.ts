import { hash } from 'node:crypto'
import { print, visit } from 'graphql'
import type { Logger } from 'pino'
import type { RunOperation } from '../executor/run-operation.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { keepResult } from '../operations/serialized-result.ts'
import type { RequestContext } from '../subgraph-client/link.ts'
import { compareResults } from './compare-results.ts'
import { createDifferenceLog, type RecordedDifference } from './difference-log.ts'

export type ShadowOptions = {
  /** Percentage of queries that also run on the candidate. */
  readonly percent: number
  /** Whether results are compared. */
  readonly isCompared: boolean
  /** Maximum concurrent queries on the candidate; others are dropped. */
  readonly maxConcurrency: number
  /** Whether recorded differences contain values of responses. */
  readonly withValues: boolean
  /** Whether the wrapped queries are those of a candidate, and the copies run on the served graph. */
  readonly isReversed?: boolean
  /** Random numbers from 0 to 1 for sampling; tests replace it. */
  readonly random?: () => number
}

/**
 * Result of a sampled query. `same`, `different`: compared; `run`: not compared; `refused`: the
 * candidate rejects it; `dropped`: too many were running.
 */
export type ShadowVerdict = 'same' | 'different' | 'run' | 'refused' | 'dropped' | 'failed'

/** Results so far. */
export type ShadowReport = {
  /** Number of queries by verdict. */
  readonly verdicts: Readonly<Record<ShadowVerdict, number>>
  /** Distinct differences, least recently seen first. */
  readonly differences: readonly RecordedDifference[]
}

/** Runs a sample of queries on a candidate as well, after their own result. */
export type ShadowTraffic = {
  /**
   * Wraps `run` of a query, after checks and response cache, so that refused, aborted and cached
   * queries are not sampled. Returns `run` for other operations.
   */
  readonly watch: (validated: ValidatedOperation, once: ReadonlySet<string>, run: RunOperation) => RunOperation
  readonly report: () => ShadowReport
  /** Resolves when nothing is running on the candidate. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

/** A gateway for the candidate supergraph. */
export type Candidate = {
  readonly prepareText: (text: string, operationName: string | undefined) => PreparedOperation
  readonly close: () => Promise<void>
}

/**
 * Shadows queries to `candidate`, which has separate connections, and neither caches nor hooks.
 * Failures are counted and never reach clients. Mutations, subscriptions, introspection and queries
 * with side effects are never sampled.
 */
export function createShadowTraffic(
  candidate: Candidate,
  { percent, isCompared, maxConcurrency, withValues, isReversed = false, random = Math.random }: ShadowOptions,
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics | null },
): ShadowTraffic {
  const verdicts: Record<ShadowVerdict, number> = { same: 0, different: 0, run: 0, refused: 0, dropped: 0, failed: 0 }
  const counter = isReversed
    ? metrics?.counter('atrium_canary_comparisons_total', 'Queries of the candidate supergraph compared with the served one.', [
        'outcome',
      ])
    : metrics?.counter('atrium_shadow_operations_total', 'Queries for the candidate supergraph by outcome.', ['outcome'])
  const recorded = createDifferenceLog(log)
  const closing = new AbortController()
  const running = new Set<Promise<void>>()

  return {
    watch,
    report: () => ({ verdicts: { ...verdicts }, differences: recorded.entries() }),
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
    async close() {
      closing.abort()
      await Promise.all(running)
      await candidate.close()
    },
  }

  function watch(validated: ValidatedOperation, once: ReadonlySet<string>, run: RunOperation): RunOperation {
    const { operation } = validated.operation
    if (operation !== 'query' || validated.isIntrospection || selectsAny(validated, once)) return run
    const described = describe(validated)
    return async (variables, context) => {
      const result = await run(variables, context)
      // The content of a file goes by once.
      const isSampled = !context.uploads && !context.signal.aborted && random() * 100 < percent
      if (isSampled) begin(described(), variables, context, result)
      return result
    }
  }

  function begin(
    described: Described,
    variables: Parameters<RunOperation>[0],
    { caller }: RequestContext,
    served: ExecutionResult,
  ): void {
    if (closing.signal.aborted) return
    if (running.size >= maxConcurrency) {
      count('dropped')
      return
    }
    keepResult(served)
    const shadowed = new Promise((resolve) => setImmediate(resolve))
      // A new context, because link state, headers and hooks belong to the client's operation.
      .then(() => runOn(described, variables, { caller, signal: closing.signal }, served))
      .catch((error: unknown) => {
        log.error({ err: error, ...identityOf(described) }, 'a query failed on the other supergraph')
        return 'failed' as const
      })
      .then(count)
      .finally(() => running.delete(shadowed))
    running.add(shadowed)
  }

  async function runOn(
    described: Described,
    variables: Parameters<RunOperation>[0],
    context: RequestContext,
    served: ExecutionResult,
  ): Promise<ShadowVerdict> {
    const prepared = candidate.prepareText(described.text, described.operationName ?? undefined)
    // A rejection is a difference: the candidate lacks a field, or forbids an allowed operation.
    const result = prepared.kind === 'rejected' ? { errors: prepared.errors } : await prepared.run(variables, context)
    if (!isCompared) return prepared.kind === 'rejected' ? 'refused' : 'run'
    if (closing.signal.aborted) return 'failed'
    const [one, other] = isReversed ? [result, served] : [served, result]
    const differences = compareResults(one, other, { withValues })
    if (differences.length === 0) return 'same'
    // A candidate may have fields that the served graph lacks.
    if (isReversed && prepared.kind === 'rejected') return 'refused'
    recorded.record(identityOf(described), differences)
    return prepared.kind === 'rejected' ? 'refused' : 'different'
  }

  function count(verdict: ShadowVerdict): void {
    verdicts[verdict]++
    counter?.([verdict], 1)
  }
}

type Described = { readonly text: string; readonly operationName: string | null; readonly signature: string }

const identityOf = ({ signature, operationName }: Described) => ({ signature, operationName })

/** Prints an operation when it is first sampled. */
function describe({ document, operation }: ValidatedOperation): () => Described {
  let described: Described | null = null
  return () => {
    if (!described) {
      const text = print(document)
      described = { text, operationName: operation.name?.value ?? null, signature: hash('sha256', text).slice(0, 12) }
    }
    return described
  }
}

function selectsAny({ document }: ValidatedOperation, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false
  let isFound = false
  visit(document, {
    Field({ name }) {
      if (names.has(name.value)) isFound = true
    },
  })
  return isFound
}
