import type { OperationTypeNode } from 'graphql'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RunOperation } from '../executor/run-operation.ts'
import type { SubscriptionBound } from '../limits/subscription-slots.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link } from '../subgraph-client/link.ts'

/** `partial`: data and errors. `failed`: no data. `refused`: not executed. */
type OperationStatus = 'ok' | 'partial' | 'failed' | 'refused'

/** `errors`: a response with errors. `failed`: no response. `stopped`: aborted. */
type FetchStatus = 'ok' | 'errors' | 'failed' | 'stopped'

/** The executor of an operation. */
export type ExecutorName = 'introspection' | 'direct' | 'compiled'

/** The values of one metric by labels; those of a histogram have a `metricName` per part. */
export type Series = {
  readonly name: string
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
    readonly metricName?: string
  }[]
}

/** Values of a gauge, each with its label values. */
type GaugeValues = Iterable<readonly [labels: readonly string[], value: number]>

/** The metrics of a process, for Prometheus, in a registry of its own. */
export type Metrics = {
  /** Counts the runs of one document. The name becomes a label at the first run not refused. */
  readonly operation: (
    name: string | undefined,
    kind: OperationTypeNode,
  ) => (result: Pick<ExecutionResult, 'data' | 'errors'>, seconds: number) => void
  /** Counts an operation refused by its text, without its name. */
  readonly operationRefused: (kind: OperationTypeNode | undefined) => void
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
  /** Counts a subscription refused by this bound. */
  readonly subscriptionRefused: (bound: SubscriptionBound) => void
  /** Adds a counter; the returned function adds to the series of these label values. */
  readonly counter: (name: string, help: string, labels: readonly string[]) => (values: readonly string[], by: number) => void
  /** Adds a gauge that is read at each scrape. */
  readonly gauge: (name: string, help: string, read: () => number) => void
  /** The same with labels. Label values that `read` omits disappear. `read` must not reject. */
  readonly gaugePer: (
    name: string,
    help: string,
    labels: readonly string[],
    read: () => GaugeValues | Promise<GaugeValues>,
  ) => void
  /** Counts the fetches of a link. */
  readonly measureLink: (link: Link) => Link
  /** All series. */
  readonly values: () => Promise<readonly Series[]>
  /** All series in Prometheus' text format. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

/** Bound of operation names that become labels: clients choose them. */
const MAX_OPERATION_NAMES = 100
/** The label of all other operations, and of those without a name. */
const OTHER = 'other'

/** From a lookup in memory to the timeout of an operation, 10 s. */
const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counts from zero. `ofProcess` adds memory, CPU, event loop and garbage collection; their
 * observers live as long as the process.
 */
export function createMetrics({ ofProcess = false }: { readonly ofProcess?: boolean } = {}): Metrics {
  const register = new Registry()
  const registers = [register]
  if (ofProcess) collectDefaultMetrics({ register })

  const operations = new Counter({
    name: 'atrium_operations_total',
    help: 'Operations by name, kind and result.',
    labelNames: ['operation', 'kind', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'atrium_operation_duration_seconds',
    help: 'Time of queries and mutations that were begun, without reading the request and writing the answer.',
    labelNames: ['operation', 'kind'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const fetches = new Counter({
    name: 'atrium_subgraph_fetches_total',
    help: 'Fetches by subgraph and result.',
    labelNames: ['subgraph', 'outcome'],
    registers,
  })
  const fetchDurations = new Histogram({
    name: 'atrium_subgraph_fetch_duration_seconds',
    help: 'Time of fetches.',
    labelNames: ['subgraph'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const lookups = new Counter({
    name: 'atrium_plan_cache_lookups_total',
    help: 'Texts of operations that were known with their plan (hit) or had to be read and planned (miss).',
    labelNames: ['outcome'],
    registers,
  })
  const executions = new Counter({
    name: 'atrium_executions_total',
    help: 'Operations by the executor that they were given to.',
    labelNames: ['executor'],
    registers,
  })
  const cacheLookups = new Counter({
    name: 'atrium_response_cache_questions_total',
    help: 'Lookups of the response cache: hit, joined (shared an execution in flight) or miss.',
    labelNames: ['outcome'],
    registers,
  })
  const requests = new Counter({
    name: 'atrium_http_requests_total',
    help: 'Requests by route class (door) and status class.',
    labelNames: ['door', 'status'],
    registers,
  })
  const requestDurations = new Histogram({
    name: 'atrium_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; of event streams, until they ended.',
    labelNames: ['door'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  const sheds = new Counter({
    name: 'atrium_overload_refusals_total',
    help: 'Requests, upgrades and WebSocket operations refused by load shedding, by route class (door).',
    labelNames: ['door'],
    registers,
  })
  const subscriptionRefusals = new Counter({
    name: 'atrium_subscription_refusals_total',
    help: 'Subscriptions that were refused, by the bound that was reached: address, credential or memory.',
    labelNames: ['bound'],
    registers,
  })
  const [hit, miss] = [lookups.labels('hit'), lookups.labels('miss')]

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
    planCacheLookup: (isHit) => (isHit ? hit : miss).inc(),
    executed: (executor) => executions.labels(executor).inc(),
    responseCacheLookup: (lookup) => cacheLookups.labels(lookup).inc(),
    requested(routeClass, status, seconds) {
      requests.labels(routeClass, `${Math.trunc(status / 100)}xx`).inc()
      requestDurations.labels(routeClass).observe(seconds)
    },
    shed: (routeClass) => sheds.labels(routeClass).inc(),
    subscriptionRefused: (bound) => subscriptionRefusals.labels(bound.toLowerCase()).inc(),
    counter(name, help, labelNames) {
      const counter = new Counter({ name, help, labelNames: [...labelNames], registers })
      return (values, by) => counter.labels(...values).inc(by)
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
    measureLink(link) {
      const duration = fetchDurations.labels(link.name)
      const count = {
        ok: fetches.labels(link.name, 'ok'),
        errors: fetches.labels(link.name, 'errors'),
        failed: fetches.labels(link.name, 'failed'),
        stopped: fetches.labels(link.name, 'stopped'),
      }
      const record = (status: FetchStatus, began: number) => {
        count[status].inc()
        duration.observe(secondsSince(began))
      }
      return {
        ...link,
        async execute(request, context) {
          const began = performance.now()
          try {
            const result = await link.execute(request, context)
            record(result.errors && result.errors.length > 0 ? 'errors' : 'ok', began)
            return result
          } catch (error) {
            record(context.signal.aborted ? 'stopped' : 'failed', began)
            throw error
          }
        },
      }
    },
    // prom-client has numbers as the bounds of buckets; labels are strings.
    values: async () =>
      (await register.getMetricsAsJSON()).map(({ name, values }) => ({
        name,
        values: values.map((each) => ({
          ...each,
          labels: Object.fromEntries(Object.entries(each.labels).map(([label, value]) => [label, String(value)])),
        })),
      })),
    text: () => register.metrics(),
    contentType: register.contentType,
  }
}

/** `run` of one document, counted by its result. */
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

/** The result that a thrown error counts as. */
const FAULT: ExecutionResult = { data: null, errors: [{ message: '' }] }

/** Seconds since `began`, of `performance.now()`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000

function operationStatus({ data, errors }: Pick<ExecutionResult, 'data' | 'errors'>): OperationStatus {
  if (data === undefined) return 'refused'
  if (!errors || errors.length === 0) return 'ok'
  return data === null ? 'failed' : 'partial'
}
