import { Counter, Histogram, type Registry } from 'prom-client'

/** Histogram buckets: from an in-memory lookup to the operation timeout of 10 s. */
export const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics for Prometheus. Names and labels are a public contract. */
export type MetricTable = ReturnType<typeof createMetricTable>

export function createMetricTable(register: Registry) {
  const registers = [register]
  return {
    operations: new Counter({
      name: 'atrium_operations_total',
      help: 'Operations: ok, partial (data and errors), failed (no data) or refused (not begun).',
      labelNames: ['operation', 'kind', 'outcome'],
      registers,
    }),
    durations: new Histogram({
      name: 'atrium_operation_duration_seconds',
      help: 'Time of operations, without reading the request and writing the answer; of subscriptions, until they have begun.',
      labelNames: ['operation', 'kind'],
      buckets: BUCKETS_SECONDS,
      registers,
    }),
    fetches: new Counter({
      name: 'atrium_subgraph_fetches_total',
      help: 'Fetches from subgraphs: ok, errors, failed (no answer) or stopped (timeout, or the client left).',
      labelNames: ['subgraph', 'outcome'],
      registers,
    }),
    fetchDurations: new Histogram({
      name: 'atrium_subgraph_fetch_duration_seconds',
      help: 'Time of fetches from subgraphs.',
      labelNames: ['subgraph'],
      buckets: BUCKETS_SECONDS,
      registers,
    }),
    lookups: new Counter({
      name: 'atrium_plan_cache_lookups_total',
      help: 'Lookups of the document cache: hit (document and plan cached) or miss (parsed and planned).',
      labelNames: ['outcome'],
      registers,
    }),
    executions: new Counter({
      name: 'atrium_executions_total',
      help: 'Operations by executor.',
      labelNames: ['executor'],
      registers,
    }),
    cacheLookups: new Counter({
      name: 'atrium_response_cache_questions_total',
      help: 'Lookups of the response cache: hit, joined (shared an execution in flight) or miss.',
      labelNames: ['outcome'],
      registers,
    }),
    requests: new Counter({
      name: 'atrium_http_requests_total',
      help: 'Requests by route class (door) and status class, such as 4xx; not /health, /ready and /metrics.',
      labelNames: ['door', 'status'],
      registers,
    }),
    requestDurations: new Histogram({
      name: 'atrium_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer; of event streams, until they ended.',
      labelNames: ['door'],
      buckets: BUCKETS_SECONDS,
      registers,
    }),
    ...createCostMetrics(registers),
    ...createHookMetrics(registers),
    sheds: new Counter({
      name: 'atrium_overload_refusals_total',
      help: 'Requests, upgrades and WebSocket operations refused by load shedding, by route class (door).',
      labelNames: ['door'],
      registers,
    }),
    subscriptionRefusals: new Counter({
      name: 'atrium_subscription_refusals_total',
      help: 'Subscriptions that were refused, by the bound that was reached: address, credential or memory.',
      labelNames: ['bound'],
      registers,
    }),
  }
}

function createCostMetrics(registers: Registry[]) {
  return {
    costPoints: new Counter({
      name: 'atrium_operation_cost_points_total',
      help: 'Points of queries and mutations where cost is measured: estimated, and of what was returned (actual).',
      labelNames: ['kind'],
      registers,
    }),
    overCost: new Counter({
      name: 'atrium_operations_over_cost_limit_total',
      help: 'Operations that cost more than their limit, refused (enforce) or run all the same (measure).',
      labelNames: ['mode'],
      registers,
    }),
    subgraphCostPoints: new Counter({
      name: 'atrium_subgraph_cost_points_total',
      help: 'Estimated points that operations send to each subgraph, where subgraphs have a limit.',
      labelNames: ['subgraph'],
      registers,
    }),
    subgraphOverCost: new Counter({
      name: 'atrium_subgraph_over_cost_limit_total',
      help: 'Operations that cost a subgraph more than its limit, refused (enforce) or run all the same (measure).',
      labelNames: ['subgraph', 'mode'],
      registers,
    }),
  }
}

function createHookMetrics(registers: Registry[]) {
  return {
    hookCalls: new Counter({
      name: 'atrium_hook_calls_total',
      help: 'Calls of hooks (function) and of the coprocessor by stage: ok, refused, error, timeout or stopped.',
      labelNames: ['hook', 'stage', 'outcome'],
      registers,
    }),
    hookDurations: new Histogram({
      name: 'atrium_hook_duration_seconds',
      help: 'Time of calls of hooks (function) and of the coprocessor.',
      labelNames: ['hook', 'stage'],
      buckets: BUCKETS_SECONDS,
      registers,
    }),
  }
}
