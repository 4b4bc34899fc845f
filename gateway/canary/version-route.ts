import type { GraphQLFormattedError } from 'graphql'
import type { Metrics } from '../observability/metrics.ts'
import type { SupergraphVersion, VersionRoute } from '../planning/routed-operation.ts'
import { type AssignmentRules, createAssignment } from './version-assignment.ts'
import type { VersionStatistics } from './version-statistics.ts'

/** When a candidate is rolled back by itself. */
type RollbackRule = {
  /** Error rate above that of the served supergraph, in percentage points. */
  readonly errorPercent: number
  /** Operations of the candidate in the window, below which nothing is judged. */
  readonly minRequests: number
  readonly windowMs: number
}

export type RouteRules = AssignmentRules & { readonly rollback: RollbackRule }

/** Not an error of a supergraph: the client then sends the document. */
const UNKNOWN_DOCUMENT = 'PERSISTED_QUERY_NOT_FOUND'

/** Chooses between the served supergraph and one candidate, and judges the candidate's errors. */
export function createVersionRoute(
  rules: RouteRules,
  {
    id,
    percent,
    counts,
    observed,
    onTooManyErrors,
  }: {
    readonly id: string
    /** Percentage of callers; null when the candidate has ended. */
    readonly percent: () => number | null
    readonly counts: VersionStatistics
    readonly observed: ReturnType<typeof versionMetrics> | null
    readonly onTooManyErrors: (reason: string) => void
  },
): VersionRoute {
  const isAssigned = createAssignment(rules, id)
  return {
    readsHeaders: rules.header !== undefined || rules.optIn !== undefined,
    versionFor(context) {
      const share = percent()
      return share !== null && isAssigned(context, share) ? 'candidate' : 'served'
    },
    began(version, { signal }) {
      const began = performance.now()
      return (errors) => {
        // The client is gone, so the errors are its own.
        if (signal.aborted || isUnknownDocument(errors)) return
        const milliseconds = performance.now() - began
        const isError = errors !== undefined && errors.length > 0
        counts.record(version, isError, milliseconds)
        observed?.(version, isError, milliseconds)
        if (version === 'candidate' && isError && percent() !== null) judge()
      }
    },
  }

  function judge(): void {
    const { errorPercent, minRequests } = rules.rollback
    const candidate = counts.inWindow('candidate')
    if (candidate.requests < minRequests) return
    const [rate, usual] = [percentOf(candidate), percentOf(counts.inWindow('served'))]
    if (rate - usual < errorPercent) return
    const rates = `${rate.toFixed(1)} % of ${candidate.requests} operations had errors, ${usual.toFixed(1)} %`
    onTooManyErrors(`${rates} of the served supergraph's`)
  }
}

const isUnknownDocument = (errors: readonly GraphQLFormattedError[] | undefined): boolean =>
  errors?.some(({ extensions }) => extensions?.code === UNKNOWN_DOCUMENT) === true

const percentOf = ({ requests, errors }: { readonly requests: number; readonly errors: number }): number =>
  requests === 0 ? 0 : (100 * errors) / requests

/** Metrics of both supergraphs while a candidate runs. */
export function versionMetrics(metrics: Metrics) {
  const operations = metrics.counter(
    'atrium_supergraph_operations_total',
    'Operations while a candidate supergraph runs, by version (served, candidate) and result.',
    ['version', 'outcome'],
  )
  const durations = metrics.histogram(
    'atrium_supergraph_operation_duration_seconds',
    'Time of operations while a candidate supergraph runs, by version.',
    ['version'],
  )
  return (version: SupergraphVersion, isError: boolean, milliseconds: number): void => {
    operations([version, isError ? 'errors' : 'ok'], 1)
    durations([version], milliseconds / 1_000)
  }
}
