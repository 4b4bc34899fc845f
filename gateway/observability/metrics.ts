import type { OperationTypeNode } from 'graphql'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RunOperation } from '../executor/run-operation.ts'
import type { SubscriptionBound } from '../limits/subscription-slots.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link } from '../subgraph-client/link.ts'

/** How an operation ended: `partial` has data and errors, `failed` has no data, `refused` was not begun. */
type Ending = 'ok' | 'partial' | 'failed' | 'refused'

/** How a fetch ended: `errors` came with the answer, `failed` is no answer, `stopped` is nobody waiting for it any more. */
type FetchEnding = 'ok' | 'errors' | 'failed' | 'stopped'

/** Which way an operation was executed. */
export type ExecutorName = 'introspection' | 'direct' | 'compiled'

/** The values of one metric, by their labels. Those of a histogram say in `metricName` which part they are. */
export type Series = {
  readonly name: string
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
    readonly metricName?: string
  }[]
}

/** Figures, each behind the values of its labels. */
type Figures = Iterable<readonly [values: readonly string[], figure: number]>

/** What a process counts about itself, for Prometheus. Nothing here outlives the object: every start has a registry of its own. */
export type Metrics = {
  /** Counts the runs of one document. The name becomes a label with the first run that is not refused. */
  readonly operation: (
    name: string | undefined,
    kind: OperationTypeNode,
  ) => (outcome: Pick<ExecutionResult, 'data' | 'errors'>, seconds: number) => void
  /** An operation whose text was refused; its name is not looked at. */
  readonly operationRefused: (kind: OperationTypeNode | undefined) => void
  /** Whether a text was known with its plan. */
  readonly planCacheLookup: (isKnown: boolean) => void
  /** An operation was given to this executor. */
  readonly executed: (executor: ExecutorName) => void
  /** How a question whose answer may be kept was answered. */
  readonly responseCacheLookup: (outcome: 'hit' | 'joined' | 'miss') => void
  /** A request was answered with this status. */
  readonly requested: (door: string, status: number, seconds: number) => void
  /** A request or an operation was refused because there was no room for it. */
  readonly shed: (door: string) => void
  /** A subscription was refused because this bound was reached. */
  readonly subscriptionRefused: (bound: SubscriptionBound) => void
  /** A figure that is asked for when somebody looks. */
  readonly gauge: (name: string, help: string, read: () => number) => void
  /** The same for several: a figure for each set of labels. What is not read any more is gone. `read` must not reject. */
  readonly gaugePer: (name: string, help: string, labels: readonly string[], read: () => Figures | Promise<Figures>) => void
  /** Counts the fetches of a link. */
  readonly measureLink: (link: Link) => Link
  /** Everything, as it is now. */
  readonly values: () => Promise<readonly Series[]>
  /** Everything, in Prometheus' text format, and its media type. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

/** Names of operations that get a label of their own: a client that invents names must not make a series of each. */
const MOST_NAMES = 100
/** The label of all others, and of operations without a name. */
const OTHER = 'other'

/** Seconds. From a lookup in memory to the 10 s that an operation has. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Counts from zero. `ofProcess` adds memory, CPU, event loop and garbage collection, which takes observers that live as long as the process. */
export function createMetrics({ ofProcess = false }: { readonly ofProcess?: boolean } = {}): Metrics {
  const register = new Registry()
  const registers = [register]
  if (ofProcess) collectDefaultMetrics({ register })

  const operations = new Counter({
    name: 'atrium_operations_total',
    help: 'Operations by name, kind and outcome.',
    labelNames: ['operation', 'kind', 'outcome'],
    registers,
  })
  const durations = new Histogram({
    name: 'atrium_operation_duration_seconds',
    help: 'Time of queries and mutations that were begun, without reading the request and writing the answer.',
    labelNames: ['operation', 'kind'],
    buckets: BUCKETS,
    registers,
  })
  const fetches = new Counter({
    name: 'atrium_subgraph_fetches_total',
    help: 'Fetches by subgraph and outcome.',
    labelNames: ['subgraph', 'outcome'],
    registers,
  })
  const fetchDurations = new Histogram({
    name: 'atrium_subgraph_fetch_duration_seconds',
    help: 'Time of fetches.',
    labelNames: ['subgraph'],
    buckets: BUCKETS,
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
  const questions = new Counter({
    name: 'atrium_response_cache_questions_total',
    help: 'Queries whose answer may be kept: told again (hit), told to several who asked at once (joined), or worked out (miss).',
    labelNames: ['outcome'],
    registers,
  })
  const requests = new Counter({
    name: 'atrium_http_requests_total',
    help: 'Requests by the door that they took and the class of the answer.',
    labelNames: ['door', 'status'],
    registers,
  })
  const requestDurations = new Histogram({
    name: 'atrium_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; of event streams, until they ended.',
    labelNames: ['door'],
    buckets: BUCKETS,
    registers,
  })
  const sheds = new Counter({
    name: 'atrium_overload_refusals_total',
    help: 'Requests, upgrades and operations of WebSockets that were refused because the process had too much to do, by door.',
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
    if (names.size >= MOST_NAMES) return OTHER
    names.add(name)
    return name
  }

  return {
    operation(name, kind) {
      const refusals = operations.labels(OTHER, kind, 'refused')
      let begun: ReturnType<typeof seriesOf> | null = null
      return (outcome, seconds) => {
        const ending = endingOf(outcome)
        if (ending === 'refused') return refusals.inc()
        begun ??= seriesOf(labelOf(name))
        begun[ending].inc()
        begun.duration.observe(seconds)
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
    planCacheLookup: (isKnown) => (isKnown ? hit : miss).inc(),
    executed: (executor) => executions.labels(executor).inc(),
    responseCacheLookup: (outcome) => questions.labels(outcome).inc(),
    requested(door, status, seconds) {
      requests.labels(door, `${Math.trunc(status / 100)}xx`).inc()
      requestDurations.labels(door).observe(seconds)
    },
    shed: (door) => sheds.labels(door).inc(),
    subscriptionRefused: (bound) => subscriptionRefusals.labels(bound.toLowerCase()).inc(),
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
          const figures = await read()
          this.reset()
          for (const [values, figure] of figures) this.labels(...values).set(figure)
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
      const noted = (ending: FetchEnding, began: number) => {
        count[ending].inc()
        duration.observe(secondsSince(began))
      }
      return {
        ...link,
        async execute(request, passage) {
          const began = performance.now()
          try {
            const answer = await link.execute(request, passage)
            noted(answer.errors && answer.errors.length > 0 ? 'errors' : 'ok', began)
            return answer
          } catch (error) {
            noted(passage.signal.aborted ? 'stopped' : 'failed', began)
            throw error
          }
        },
      }
    },
    // Labels are text; the bounds of buckets are numbers there.
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

/** `run` of one document, counted by the outcome in its result. */
export function countOperation<Result>(
  metrics: Metrics,
  { operation }: CheckedOperation,
  run: (...asked: Parameters<RunOperation>) => Promise<Result>,
  outcomeIn: (result: Result) => ExecutionResult,
): (...asked: Parameters<RunOperation>) => Promise<Result> {
  const count = metrics.operation(operation.name?.value, operation.operation)
  return async (variables, passage) => {
    const began = performance.now()
    let outcome = FAULT
    try {
      const result = await run(variables, passage)
      outcome = outcomeIn(result)
      return result
    } finally {
      count(outcome, secondsSince(began))
    }
  }
}

/** What a run that throws counts as. */
const FAULT: ExecutionResult = { data: null, errors: [{ message: '' }] }

/** Seconds since `performance.now()` said `began`. */
export const secondsSince = (began: number): number => (performance.now() - began) / 1000

function endingOf({ data, errors }: Pick<ExecutionResult, 'data' | 'errors'>): Ending {
  if (data === undefined) return 'refused'
  if (!errors || errors.length === 0) return 'ok'
  return data === null ? 'failed' : 'partial'
}
