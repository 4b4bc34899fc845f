import type { Metrics, Series } from './metrics.ts'

/** How a process was doing between one look and the next. Rates are per second, times in seconds; null where nothing happened that could be measured. */
export type Sample = {
  readonly at: Date
  readonly operationsPerSecond: number
  /** Without data, or with errors beside it; refused ones are the client's. */
  readonly failuresPerSecond: number
  readonly medianSeconds: number | null
  /** 95 of 100 operations took no longer. */
  readonly slowSeconds: number | null
  /** 0 to 1. */
  readonly planCacheHits: number | null
  /** 0 to 1, of the questions whose answer may be kept. */
  readonly answerCacheHits: number | null
  readonly memoryBytes: number
  /** Processor time by wall time: 1 is one core. */
  readonly cpu: number
  readonly sockets: number
  readonly subscriptions: number
  readonly subgraphs: readonly SubgraphSample[]
  readonly queues: readonly QueueSample[]
}

/** The jobs of a queue, of all processes together, at that time. */
export type QueueSample = {
  readonly name: string
  /** Due, and not begun. */
  readonly waiting: number
  /** Not due yet. */
  readonly later: number
  readonly active: number
  /** Failed when they last ran, and to be run again. */
  readonly failed: number
  /** How long the one has waited that is due for longest. */
  readonly oldestSeconds: number
}

/** The fetches from one subgraph. */
export type SubgraphSample = {
  readonly name: string
  readonly fetchesPerSecond: number
  readonly failuresPerSecond: number
  readonly medianSeconds: number | null
}

/** The last quarter of an hour, oldest first. */
export type History = { readonly samples: () => readonly Sample[]; readonly close: () => Promise<void> }

/** Every five seconds: a look costs a few milliseconds, and a quarter of an hour fits into a small plot. */
const EVERY_MILLISECONDS = 5_000
const MOST_SAMPLES = 180

/** Looks at the metrics from now on. */
export function createHistory(metrics: Pick<Metrics, 'values'>, { everyMilliseconds = EVERY_MILLISECONDS } = {}): History {
  const samples: Sample[] = []
  let before: Look | null = null
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, everyMilliseconds)
  timer.unref()

  async function look(): Promise<void> {
    const now: Look = { at: new Date(), series: new Map((await metrics.values()).map((each) => [each.name, each])) }
    if (before) samples.push(sampleBetween(before, now))
    if (samples.length > MOST_SAMPLES) samples.shift()
    before = now
  }

  return {
    samples: () => [...samples],
    close: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

/** Everything that was counted at one time. */
type Look = { readonly at: Date; readonly series: ReadonlyMap<string, Series> }
type Labels = Readonly<Record<string, string>>

/** What happened between two looks at the same counters. */
export function sampleBetween(before: Look, now: Look): Sample {
  const seconds = Math.max(0.001, (now.at.getTime() - before.at.getTime()) / 1000)
  const grown = (name: string, labels: Labels = {}) => sumOf(now, name, labels) - sumOf(before, name, labels)
  const share = (name: string, hits: readonly string[]): number | null => {
    const all = grown(name)
    return all === 0 ? null : hits.reduce((sum, outcome) => sum + grown(name, { outcome }), 0) / all
  }
  const within = (name: string, labels: Labels, part: number) => quantile(bucketsBetween(before, now, name, labels), part)
  const failed = (name: string, outcomes: readonly string[], labels: Labels = {}) =>
    outcomes.reduce((sum, outcome) => sum + grown(name, { ...labels, outcome }), 0)
  const operationTime = 'atrium_operation_duration_seconds'

  return {
    at: now.at,
    operationsPerSecond: grown('atrium_operations_total') / seconds,
    failuresPerSecond: failed('atrium_operations_total', ['failed', 'partial']) / seconds,
    medianSeconds: within(operationTime, {}, 0.5),
    slowSeconds: within(operationTime, {}, 0.95),
    planCacheHits: share('atrium_plan_cache_lookups_total', ['hit']),
    answerCacheHits: share('atrium_response_cache_questions_total', ['hit', 'joined']),
    memoryBytes: sumOf(now, 'process_resident_memory_bytes'),
    cpu: grown('process_cpu_seconds_total') / seconds,
    sockets: sumOf(now, 'atrium_websockets_open'),
    subscriptions: sumOf(now, 'atrium_subscriptions_running'),
    subgraphs: labelsIn(now, 'atrium_subgraph_fetches_total', 'subgraph').map((subgraph) => ({
      name: subgraph,
      fetchesPerSecond: grown('atrium_subgraph_fetches_total', { subgraph }) / seconds,
      failuresPerSecond: failed('atrium_subgraph_fetches_total', ['errors', 'failed'], { subgraph }) / seconds,
      medianSeconds: within('atrium_subgraph_fetch_duration_seconds', { subgraph }, 0.5),
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

/** The values that a label has, in order. */
const labelsIn = ({ series }: Look, name: string, label: string): readonly string[] =>
  [...new Set(series.get(name)?.values.map(({ labels }) => labels[label] ?? '') ?? [])].sort()

function sumOf({ series }: Look, name: string, wanted: Labels = {}): number {
  let sum = 0
  for (const { labels, value } of series.get(name)?.values ?? []) {
    if (Object.entries(wanted).every(([label, each]) => labels[label] === each)) sum += value
  }
  return sum
}

/** How many measurements fell below each bound of a histogram, by bound. */
function bucketsBetween(
  before: Look,
  now: Look,
  name: string,
  wanted: Labels,
): readonly (readonly [bound: number, count: number])[] {
  const counts = new Map<number, number>()
  for (const [look, sign] of [
    [now, 1],
    [before, -1],
  ] as const) {
    for (const { labels, value, metricName } of look.series.get(name)?.values ?? []) {
      const isWanted = metricName === `${name}_bucket` && Object.entries(wanted).every(([label, each]) => labels[label] === each)
      if (!isWanted) continue
      const bound = labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le)
      counts.set(bound, (counts.get(bound) ?? 0) + sign * value)
    }
  }
  return [...counts].sort(([one], [other]) => one - other)
}

/** The value that `part` of the measurements do not exceed, between two bounds by straight line, as Prometheus does it; null without measurements. */
function quantile(buckets: readonly (readonly [bound: number, count: number])[], part: number): number | null {
  const total = buckets.at(-1)?.[1] ?? 0
  if (total === 0) return null
  const rank = part * total
  let [lower, below] = [0, 0]
  for (const [bound, count] of buckets) {
    if (count >= rank)
      return bound === Number.POSITIVE_INFINITY ? lower : lower + ((bound - lower) * (rank - below)) / (count - below || 1)
    ;[lower, below] = [bound, count]
  }
  return lower
}
