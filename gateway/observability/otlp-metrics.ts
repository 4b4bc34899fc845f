import type { Logger } from 'pino'
import { runPeriodically } from '../../platform/process/run-periodically.ts'
import type { Metrics, Series } from './metrics.ts'
import { type OtlpTarget, otlpAttributes, otlpResource, otlpTime, postOtlp } from './otlp-post.ts'

/** OTLP's AGGREGATION_TEMPORALITY_CUMULATIVE: values count from the start of the process. */
const CUMULATIVE = { aggregationTemporality: 2 } as const

/**
 * Sends all metrics to `/v1/metrics` of the collector every `intervalMs`, and once more at the end.
 * Names and labels are those for Prometheus. An export that fails is logged once, and the next one
 * has its counts as well.
 */
export function exportMetrics(
  metrics: Pick<Metrics, 'values'>,
  { target, intervalMs, log }: { readonly target: OtlpTarget; readonly intervalMs: number; readonly log: Logger },
): { readonly close: () => Promise<void> } {
  const startedAt = Date.now()
  let isFailing = false
  const send = async () => {
    const message = metricsMessage(await metrics.values(), { target, startedAt, now: Date.now() })
    await postOtlp(target, '/v1/metrics', message)
    if (isFailing) log.info('metrics are exported again')
    isFailing = false
  }
  const exporting = runPeriodically(intervalMs, send, (error) => {
    if (!isFailing) log.warn({ reason: reasonOf(error) }, 'metrics could not be exported; the next export has them')
    isFailing = true
  })
  return {
    async close() {
      await exporting.stop()
      if (!isFailing) await send().catch(() => {})
    },
  }
}

type Times = { readonly startedAt: number; readonly now: number }

/** ExportMetricsServiceRequest of OTLP 1 in JSON. */
function metricsMessage(series: readonly Series[], { target, startedAt, now }: Times & { readonly target: OtlpTarget }): object {
  const metrics = series.flatMap((each) => metricOf(each, { startedAt, now }) ?? [])
  return { resourceMetrics: [{ resource: otlpResource(target), scopeMetrics: [{ scope: { name: 'atrium' }, metrics }] }] }
}

/** Null for a series without values, or of a kind that OTLP lacks. */
function metricOf(series: Series, times: Times): object | null {
  const { name, help: description, kind } = series
  const described = { name, description, ...unitOf(name) }
  if (kind === 'histogram') {
    const dataPoints = histogramPoints(series, times)
    return dataPoints.length === 0 ? null : { ...described, histogram: { dataPoints, ...CUMULATIVE } }
  }
  const dataPoints = series.values
    // JSON has no other numbers.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...pointOf(labels, times), asDouble: value }))
  if (dataPoints.length === 0) return null
  if (kind === 'gauge') return { ...described, gauge: { dataPoints } }
  if (kind === 'counter') return { ...described, sum: { dataPoints, ...CUMULATIVE, isMonotonic: true } }
  return null
}

const pointOf = (labels: Readonly<Record<string, string>>, { startedAt, now }: Times) => ({
  attributes: otlpAttributes(labels),
  startTimeUnixNano: otlpTime(startedAt),
  timeUnixNano: otlpTime(now),
})

/** One point for each set of labels; Prometheus counts a bucket with all below it, OTLP alone. */
function histogramPoints({ name, values }: Series, times: Times): readonly object[] {
  const byLabels = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  return [...byLabels].flatMap(([labels, parts]) => {
    const partOf = (part: string) => parts.find(({ metricName }) => metricName === `${name}_${part}`)?.value
    const buckets = parts
      .filter(({ metricName, labels: { le } }) => metricName === `${name}_bucket` && le !== undefined && le !== '+Inf')
      .map(({ labels: { le }, value }) => ({ bound: Number(le), value }))
      .sort((one, other) => one.bound - other.bound)
    const [count, sum] = [partOf('count'), partOf('sum')]
    if (count === undefined || sum === undefined) return []
    const cumulative = [...buckets.map(({ value }) => value), count]
    return [
      {
        ...pointOf(JSON.parse(labels), times),
        count: String(count),
        sum,
        bucketCounts: cumulative.map((value, index) => String(value - (cumulative[index - 1] ?? 0))),
        explicitBounds: buckets.map(({ bound }) => bound),
      },
    ]
  })
}

/** Unit by the last word of the name, in UCUM, as OpenTelemetry has it. */
function unitOf(name: string): { readonly unit?: string } {
  if (/_seconds(_total)?$/.test(name)) return { unit: 's' }
  return /_bytes(_total)?$/.test(name) ? { unit: 'By' } : {}
}

const reasonOf = (error: unknown): string => {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return inner instanceof Error ? inner.message : String(inner)
}
