import type { OperationTypeNode } from 'graphql'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { isSerializedResult } from '../operations/serialized-result.ts'
import type { MetricTable } from './metric-table.ts'

/** `partial`: data and errors. `failed`: no data. `refused`: not executed. */
type OperationStatus = 'ok' | 'partial' | 'failed' | 'refused'

/** Upper bound of operation names used as labels, because clients choose them. */
const MAX_OPERATION_NAMES = 100
/** Label of all other operations, and of anonymous ones. */
const OTHER = 'other'

/** Counts one run of a document. */
type CountRun = (result: Pick<ExecutionResult, 'data' | 'errors'>, seconds: number) => void

export type OperationMetrics = {
  /**
   * Creates the counter of one document. Its name becomes a label with the first run that is not
   * refused.
   */
  readonly operation: (name: string | undefined, kind: OperationTypeNode) => CountRun
  /** Counts an operation refused for its text, without its name. */
  readonly operationRefused: (kind: OperationTypeNode | undefined) => void
}

export function createOperationMetrics({ operations, durations }: MetricTable): OperationMetrics {
  const names = new Set<string>()
  function labelOf(name: string | undefined): string {
    if (name === undefined || names.has(name)) return name ?? OTHER
    if (names.size >= MAX_OPERATION_NAMES) return OTHER
    names.add(name)
    return name
  }

  return {
    operation(name, kind) {
      const refusals = operations.labels(OTHER, kind, 'refused')
      let series: ReturnType<typeof seriesOf> | null = null
      return (result, seconds) => {
        const status = operationStatus(result)
        if (status === 'refused') return refusals.inc()
        series ??= seriesOf(labelOf(name))
        series[status].inc()
        series.duration.observe(seconds)
      }

      function seriesOf(label: string) {
        return {
          ok: operations.labels(label, kind, 'ok'),
          partial: operations.labels(label, kind, 'partial'),
          failed: operations.labels(label, kind, 'failed'),
          duration: durations.labels(label, kind),
        }
      }
    },
    operationRefused: (kind) => operations.labels(OTHER, kind ?? 'unknown', 'refused').inc(),
  }
}

function operationStatus(result: Pick<ExecutionResult, 'data' | 'errors'>): OperationStatus {
  if (isSerializedResult(result)) return 'ok'
  const { data, errors } = result
  if (data === undefined) return 'refused'
  if (!errors || errors.length === 0) return 'ok'
  return data === null ? 'failed' : 'partial'
}
