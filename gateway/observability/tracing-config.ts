import type { Tracing } from './tracing.ts'

/** Tracing by configuration; null without a collector, and then its modules are not imported. */
export async function configuredTracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  OTEL_SERVICE_NAME: serviceName,
  OTEL_TRACES_SAMPLER_ARG: ratio,
}: {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS: Readonly<Record<string, string>> | undefined
  readonly OTEL_SERVICE_NAME: string
  readonly OTEL_TRACES_SAMPLER_ARG: number
}): Promise<Tracing | null> {
  if (endpoint === undefined) return null
  const { createTracing } = await import('./tracing.ts')
  return createTracing({ endpoint, headers, serviceName, ratio })
}
