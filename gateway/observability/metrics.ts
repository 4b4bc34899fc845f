import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RunOperation } from '../executor/run-operation.ts'
import type { MeasureHookCall } from '../hooks/hook-stages.ts'
import type { SubscriptionBound } from '../limits/subscription-slots.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link } from '../subgraph-client/link.ts'
import { secondsSince } from './elapsed.ts'
import { measureLink } from './link-metrics.ts'
import { BUCKETS_SECONDS, createMetricTable } from './metric-table.ts'
import { createOperationMetrics, type OperationMetrics } from './operation-metrics.ts'

/** Executor of an operation. */
export type ExecutorName = 'introspection' | 'direct' | 'compiled'

/** Values of one metric by labels; parts of a histogram have their own `metricName`. */
export type Series = {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
    readonly metricName?: string
  }[]
}

/** Gauge values with their label values. */
type GaugeValues = Iterable<readonly [labels: readonly string[], value: number]>

/** Metrics of a process for Prometheus, in a separate registry. */
export type Metrics = OperationMetrics & {
  /** Counts a lookup in the plan cache. */
  readonly planCacheLookup: (isHit: boolean) => void
  /** Counts an operation by its executor. */
  readonly executed: (executor: ExecutorName) => void
  /** Counts a lookup in the response cache. */
  readonly responseCacheLookup: (lookup: 'hit' | 'joined' | 'miss') => void
  /** Counts a response with this status. */
  readonly requested: (routeClass: string, status: number, seconds: number) => void
  /** Counts a request or an operation refused by load shedding. */
  readonly shed: (routeClass: string) => void
  /** Adds the points of one operation. */
  readonly costMeasured: (estimated: number, actual: number) => void
  /** Counts an operation that costs more than its limit. */
  readonly costLimitExceeded: (mode: 'enforce' | 'measure') => void
  /** Adds the estimated points that one operation sends to a subgraph. */
  readonly subgraphCost: (subgraph: string, points: number) => void
  /** Counts an operation that costs a subgraph more than its limit. */
  readonly subgraphCostLimitExceeded: (subgraph: string, mode: 'enforce' | 'measure') => void
  /** Measures a call of a hook. */
  readonly hookCalled: MeasureHookCall
  /** Counts a subscription refused by this bound. */
  readonly subscriptionRefused: (bound: SubscriptionBound) => void
  /** Adds a counter; the returned function increments the series of these label values. */
  readonly counter: (name: string, help: string, labels: readonly string[]) => (values: readonly string[], by: number) => void
  /** Adds a histogram of durations; the returned function observes seconds for these label values. */
  readonly histogram: (
    name: string,
    help: string,
    labels: readonly string[],
  ) => (values: readonly string[], seconds: number) => void
  /** Adds a gauge, read per scrape. */
  readonly gauge: (name: string, help: string, read: () => number) => void
  /** Adds a gauge with labels. Series that `read` omits disappear. `read` must not reject. */
  readonly gaugePer: (
    name: string,
    help: string,
    labels: readonly string[],
    read: () => GaugeValues | Promise<GaugeValues>,
  ) => void
  /** Adds metrics to a link's fetches. */
  readonly measureLink: (link: Link) => Link
  /** Current values of all metrics. */
  readonly values: () => Promise<readonly Series[]>
  /** All metrics in Prometheus's text format. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

/**
 * Creates a registry. `ofProcess` adds memory, CPU, event loop and garbage collection metrics,
 * whose observers live as long as the process.
 */
export function createMetrics({ ofProcess = false }: { readonly ofProcess?: boolean } = {}): Metrics {
  const register = new Registry()
  const registers = [register]
  if (ofProcess) collectDefaultMetrics({ register })

  const table = createMetricTable(register)
  const [hit, miss] = [table.lookups.labels('hit'), table.lookups.labels('miss')]

  return {
    ...createOperationMetrics(table),
    planCacheLookup: (isHit) => (isHit ? hit : miss).inc(),
    executed: (executor) => table.executions.labels(executor).inc(),
    responseCacheLookup: (lookup) => table.cacheLookups.labels(lookup).inc(),
    requested(routeClass, status, seconds) {
      table.requests.labels(routeClass, `${Math.trunc(status / 100)}xx`).inc()
      table.requestDurations.labels(routeClass).observe(seconds)
    },
    shed: (routeClass) => table.sheds.labels(routeClass).inc(),
    costMeasured(estimated, actual) {
      table.costPoints.labels('estimated').inc(estimated)
      table.costPoints.labels('actual').inc(actual)
    },
    costLimitExceeded: (mode) => table.overCost.labels(mode).inc(),
    subgraphCost: (subgraph, points) => table.subgraphCostPoints.labels(subgraph).inc(points),
    subgraphCostLimitExceeded: (subgraph, mode) => table.subgraphOverCost.labels(subgraph, mode).inc(),
    hookCalled(name, stage) {
      const began = performance.now()
      return (status) => {
        table.hookCalls.labels(name, stage, status).inc()
        table.hookDurations.labels(name, stage).observe(secondsSince(began))
      }
    },
    subscriptionRefused: (bound) => table.subscriptionRefusals.labels(bound.toLowerCase()).inc(),
    counter(name, help, labelNames) {
      const counter = new Counter({ name, help, labelNames: [...labelNames], registers })
      return (values, by) => counter.labels(...values).inc(by)
    },
    histogram(name, help, labelNames) {
      const histogram = new Histogram({ name, help, labelNames: [...labelNames], buckets: BUCKETS_SECONDS, registers })
      return (values, seconds) => histogram.labels(...values).observe(seconds)
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    gaugePer(name, help, labelNames, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        async collect() {
          const gauges = await read()
          this.reset()
          for (const [labels, value] of gauges) this.labels(...labels).set(value)
        },
      })
    },
    measureLink: (link) => measureLink(link, table),
    // prom-client has numeric bucket bounds; labels here are strings.
    values: async () =>
      (await register.getMetricsAsJSON()).map(({ name, help, type, values }) => ({
        name,
        help,
        // prom-client says the name of the kind, though its type is a number.
        kind: type as unknown as Series['kind'],
        values: values.map((each) => ({
          ...each,
          labels: Object.fromEntries(Object.entries(each.labels).map(([label, value]) => [label, String(value)])),
        })),
      })),
    text: () => register.metrics(),
    contentType: register.contentType,
  }
}

/** Wraps `run` of one document with a counter by result. */
export function countOperation<Result>(
  metrics: Metrics,
  { operation }: ValidatedOperation,
  run: (...parameters: Parameters<RunOperation>) => Promise<Result>,
  resultIn: (result: Result) => ExecutionResult,
): (...parameters: Parameters<RunOperation>) => Promise<Result> {
  const count = metrics.operation(operation.name?.value, operation.operation)
  return async (variables, context) => {
    const began = performance.now()
    let finished = FAULT
    try {
      const result = await run(variables, context)
      finished = resultIn(result)
      return result
    } finally {
      count(finished, secondsSince(began))
    }
  }
}

/** Result by which a thrown error is counted. */
const FAULT: ExecutionResult = { data: null, errors: [{ message: '' }] }
