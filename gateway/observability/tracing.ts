import {
  ROOT_CONTEXT,
  type Span,
  type Context as SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { parseTraceparent } from '../../platform/http/trace-parent.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'

/**
 * OpenTelemetry spans: one per operation and one per fetch. Subscriptions and their events have
 * none.
 */
export type Tracing = {
  /** Wraps `run` of one document in a span, a child of the client's `traceparent`. */
  readonly traceOperation: <Result>(
    checked: ValidatedOperation,
    run: (...parameters: Parameters<RunOperation>) => Promise<Result>,
    resultIn: (result: Result) => ExecutionResult,
  ) => (...parameters: Parameters<RunOperation>) => Promise<Result>
  /** Wraps a link with a span per fetch; remote subgraphs get it as `traceparent`. */
  readonly traceLink: (link: Link) => Link
  /** Exports the remaining spans. */
  readonly close: () => Promise<void>
}

/** Timeout of the last export when the process ends. */
const FLUSH_TIMEOUT_MS = 5_000

/**
 * Exports spans in batches to the collector at `endpoint`, as OTLP over HTTP with JSON. Registers
 * nothing globally. Respects the sampled flag of a client's `traceparent`; samples the share
 * `ratio` of other traces.
 */
export function createTracing({
  endpoint,
  serviceName,
  ratio,
}: {
  readonly endpoint: string
  readonly serviceName: string
  /** Sampling ratio, 0 to 1. */
  readonly ratio: number
}): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('atrium')

  return {
    traceOperation({ operation }, run, resultIn) {
      const [type, name] = [operation.operation, operation.name?.value]
      const options = {
        kind: SpanKind.SERVER,
        attributes: { 'graphql.operation.type': type, ...(name !== undefined && { 'graphql.operation.name': name }) },
      }
      const spanName = name === undefined ? type : `${type} ${name}`
      return async (variables, context) => {
        const span = tracer.startSpan(spanName, options, parentContextOf(context))
        span.setAttribute('atrium.request_id', context.caller.requestId)
        return endAfter(span, async () => {
          const result = await run(variables, withParent(span, context))
          const { errors, data } = resultIn(result)
          if (errors) span.setAttribute('atrium.errors', errors.length)
          if (errors && !data) span.setStatus({ code: SpanStatusCode.ERROR })
          return result
        })
      }
    },
    traceLink(link) {
      const spanName = `fetch ${link.name}`
      const options = { kind: SpanKind.CLIENT, attributes: { 'atrium.subgraph': link.name } }
      return {
        ...link,
        execute(request, context) {
          const span = tracer.startSpan(spanName, options, parentContextOf(context))
          return endAfter(span, async () => {
            // Passes the same context object, by which links share state.
            const result = await link.execute({ ...request, traceparent: traceparentOf(span) }, context)
            if (result.errors && result.errors.length > 0) span.setAttribute('atrium.errors', result.errors.length)
            return result
          })
        },
      }
    },
    async close() {
      await provider.forceFlush({ timeoutMillis: FLUSH_TIMEOUT_MS }).catch(() => {})
      await provider.shutdown().catch(() => {})
    },
  }
}

async function endAfter<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // Without the message, which may quote client input; the log contains it.
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

function parentContextOf({ caller: { traceparent } }: RequestContext): SpanContext {
  const parent = traceparent === undefined ? null : parseTraceparent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

/** Copy of the context whose fetches are children of this span. */
const withParent = (span: Span, context: RequestContext): RequestContext => ({
  ...context,
  caller: { ...context.caller, traceparent: traceparentOf(span) },
})

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')
  return `00-${traceId}-${spanId}-${flags}`
}
