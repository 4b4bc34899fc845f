import type { Metrics, Series } from './metrics.ts'

/** Metrics of a process between two snapshots; null without measurements. */
export type Sample = {
  readonly at: Date
  readonly operationsPerSecond: number
  /** Operations with errors, without refused ones, which are the client's fault. */
  readonly failuresPerSecond: number
  readonly medianSeconds: number | null
  /** The 95th percentile (p95). */
  readonly slowSeconds: number | null
  /** Hit rate, 0 to 1. */
  readonly planCacheHits: number | null
  /** Hit rate of cacheable queries, 0 to 1. */
  readonly answerCacheHits: number | null
  readonly memoryBytes: number
  /** CPU time per wall time: 1 is one core. */
  readonly cpu: number
  readonly sockets: number
  readonly subscriptions: number
  readonly subgraphs: readonly SubgraphSample[]
  readonly queues: readonly QueueSample[]
}

/** Jobs of a queue over all processes, at the time of the snapshot. */
export type QueueSample = {
  readonly name: string
  /** Due, but not started. */
  readonly waiting: number
  /** Scheduled for later. */
  readonly later: number
  readonly active: number
  /** Jobs whose last attempt failed, with a retry due. */
  readonly failed: number
  /** Age of the oldest due job. */
  readonly oldestSeconds: number
}

/** Fetches from one subgraph. */
export type SubgraphSample = {
  readonly name: string
  readonly fetchesPerSecond: number
  readonly failuresPerSecond: number
  readonly medianSeconds: number | null
}

/** The samples of the last 15 minutes, oldest first. */
export type History = { readonly samples: () => readonly Sample[]; readonly close: () => Promise<void> }

/** A snapshot costs a few milliseconds; 180 samples, 15 minutes, fit into a small plot. */
const SAMPLE_INTERVAL_MS = 5_000
const MAX_SAMPLES = 180

/** Takes samples until closed. */
export function createHistory(metrics: Pick<Metrics, 'values'>, { intervalMs = SAMPLE_INTERVAL_MS } = {}): History {
  const samples: Sample[] = []
  let before: Snapshot | null = null
  let sampling = sample()
  const timer = setInterval(() => {
    sampling = sampling.then(sample)
  }, intervalMs)
  timer.unref()

  async function sample(): Promise<void> {
    const now: Snapshot = { at: new Date(), series: new Map((await metrics.values()).map((each) => [each.name, each])) }
    if (before) samples.push(sampleBetween(before, now))
    if (samples.length > MAX_SAMPLES) samples.shift()
    before = now
  }

  return {
    samples: () => [...samples],
    close: async () => {
      clearInterval(timer)
      await sampling
    },
  }
}

/** All series at one point in time. */
type Snapshot = { readonly at: Date; readonly series: ReadonlyMap<string, Series> }
type Labels = Readonly<Record<string, string>>

/** Computes the sample between two snapshots of one process. */
export function sampleBetween(before: Snapshot, now: Snapshot): Sample {
  const seconds = Math.max(0.001, (now.at.getTime() - before.at.getTime()) / 1000)
  const increase = (name: string, labels: Labels = {}) => sumOf(now, name, labels) - sumOf(before, name, labels)
  const share = (name: string, hits: readonly string[]): number | null => {
    const all = increase(name)
    return all === 0 ? null : hits.reduce((sum, result) => sum + increase(name, { outcome: result }), 0) / all
  }
  const quantileOf = (name: string, labels: Labels, fraction: number) =>
    quantile(bucketsBetween(before, now, name, labels), fraction)
  const failed = (name: string, results: readonly string[], labels: Labels = {}) =>
    results.reduce((sum, executed) => sum + increase(name, { ...labels, outcome: executed }), 0)
  const operationTime = 'atrium_operation_duration_seconds'

  return {
    at: now.at,
    operationsPerSecond: increase('atrium_operations_total') / seconds,
    failuresPerSecond: failed('atrium_operations_total', ['failed', 'partial']) / seconds,
    medianSeconds: quantileOf(operationTime, {}, 0.5),
    slowSeconds: quantileOf(operationTime, {}, 0.95),
    planCacheHits: share('atrium_plan_cache_lookups_total', ['hit']),
    answerCacheHits: share('atrium_response_cache_questions_total', ['hit', 'joined']),
    memoryBytes: sumOf(now, 'process_resident_memory_bytes'),
    cpu: increase('process_cpu_seconds_total') / seconds,
    sockets: sumOf(now, 'atrium_websockets_open'),
    subscriptions: sumOf(now, 'atrium_subscriptions_running'),
    subgraphs: labelsIn(now, 'atrium_subgraph_fetches_total', 'subgraph').map((subgraph) => ({
      name: subgraph,
      fetchesPerSecond: increase('atrium_subgraph_fetches_total', { subgraph }) / seconds,
      failuresPerSecond: failed('atrium_subgraph_fetches_total', ['errors', 'failed'], { subgraph }) / seconds,
      medianSeconds: quantileOf('atrium_subgraph_fetch_duration_seconds', { subgraph }, 0.5),
    })),
    queues: labelsIn(now, 'atrium_jobs_oldest_seconds', 'queue').map((queue) => ({
      name: queue,
      waiting: sumOf(now, 'atrium_jobs', { queue, state: 'waiting' }),
      later: sumOf(now, 'atrium_jobs', { queue, state: 'later' }),
      active: sumOf(now, 'atrium_jobs', { queue, state: 'active' }),
      failed: sumOf(now, 'atrium_jobs', { queue, state: 'failed' }),
      oldestSeconds: sumOf(now, 'atrium_jobs_oldest_seconds', { queue }),
    })),
  }
}

/** Distinct values of a label, sorted. */
const labelsIn = ({ series }: Snapshot, name: string, label: string): readonly string[] =>
  [...new Set(series.get(name)?.values.map(({ labels }) => labels[label] ?? '') ?? [])].sort()

function sumOf({ series }: Snapshot, name: string, filter: Labels = {}): number {
  let sum = 0
  for (const { labels, value } of series.get(name)?.values ?? []) {
    if (Object.entries(filter).every(([label, each]) => labels[label] === each)) sum += value
  }
  return sum
}

/** Cumulative counts of histogram buckets, by upper bound. */
function bucketsBetween(
  before: Snapshot,
  now: Snapshot,
  name: string,
  filter: Labels,
): readonly (readonly [bound: number, count: number])[] {
  const counts = new Map<number, number>()
  for (const [snapshot, sign] of [
    [now, 1],
    [before, -1],
  ] as const) {
    for (const { labels, value, metricName } of snapshot.series.get(name)?.values ?? []) {
      const matches = metricName === `${name}_bucket` && Object.entries(filter).every(([label, each]) => labels[label] === each)
      if (!matches) continue
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
      counts.set(bound, (counts.get(bound) ?? 0) + sign * value)
    }
  }
  return [...counts].sort(([one], [other]) => one - other)
}

/** A quantile, interpolated within its bucket as Prometheus does; null without measurements. */
function quantile(buckets: readonly (readonly [bound: number, count: number])[], fraction: number): number | null {
  const total = buckets.at(-1)?.[1] ?? 0
  if (total === 0) return null
  const rank = fraction * total
  let [lower, below] = [0, 0]
  for (const [bound, count] of buckets) {
    if (count >= rank)
      return bound === Number.POSITIVE_INFINITY ? lower : lower + ((bound - lower) * (rank - below)) / (count - below || 1)
    ;[lower, below] = [bound, count]
  }
  return lower
}
