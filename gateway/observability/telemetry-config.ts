import type { LevelWithSilent, Logger } from 'pino'
import type { Config } from '../../platform/config/config.ts'
import type { Defer } from '../../platform/process/lifecycle.ts'
import { createLog } from '../../platform/process/log.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import type { Metrics } from './metrics.ts'
import type { LogExport } from './otlp-logs.ts'
import type { OtlpTarget } from './otlp-post.ts'
import type { telemetryVariables } from './variables.ts'

type TelemetryConfig = Config<typeof telemetryVariables>

/**
 * Creates the log of the process, with its export where the configuration has one. Rejects with an
 * `OperatorError` where there is no collector.
 */
export async function createExportedLog(
  config: TelemetryConfig & { readonly LOG_LEVEL: LevelWithSilent },
  defer: Defer,
): Promise<Logger> {
  const logExport = await configuredLogExport(config)
  if (logExport) defer(logExport.close)
  return createLog(config.LOG_LEVEL, logExport?.write)
}

async function configuredLogExport(config: TelemetryConfig): Promise<LogExport | null> {
  if (config.OTEL_LOGS_EXPORTER === 'none') return null
  const target = targetOf(config, 'OTEL_LOGS_EXPORTER')
  const { exportLogs } = await import('./otlp-logs.ts')
  return exportLogs(target)
}

/** Starts the export of metrics, if configured. Call it when all metrics are registered. */
export async function startMetricsExport(
  config: TelemetryConfig,
  metrics: Metrics | null,
  { log, defer }: { readonly log: Logger; readonly defer: Defer },
): Promise<void> {
  if (config.OTEL_METRICS_EXPORTER === 'none') return
  const target = targetOf(config, 'OTEL_METRICS_EXPORTER')
  if (!metrics) throw new OperatorError('Expected METRICS to be 1: OTEL_METRICS_EXPORTER needs it.')
  const { exportMetrics } = await import('./otlp-metrics.ts')
  defer(exportMetrics(metrics, { target, intervalMs: config.OTEL_METRIC_EXPORT_INTERVAL, log }).close)
}

function targetOf(config: TelemetryConfig, by: string): OtlpTarget {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: headers = {},
    OTEL_SERVICE_NAME: serviceName,
  } = config
  if (endpoint === undefined) throw new OperatorError(`Expected OTEL_EXPORTER_OTLP_ENDPOINT to be set: ${by} needs it.`)
  return { endpoint, headers, serviceName }
}
