import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { spanIn } from '../../platform/http/trace-parent.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { CheckedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'

/** Spans for OpenTelemetry: one for each operation, and one for each fetch within it. Subscriptions and their events have none. */
export type Tracing = {
  /** `run` of one document within a span that goes on from the client's `traceparent`. */
  readonly traceOperation: <Result>(
    checked: CheckedOperation,
    run: (...asked: Parameters<RunOperation>) => Promise<Result>,
    outcomeIn: (result: Result) => ExecutionResult,
  ) => (...asked: Parameters<RunOperation>) => Promise<Result>
  /** A link with a span for each fetch, which a subgraph over HTTP is told of. */
  readonly traceLink: (link: Link) => Link
  /** Sends what has not been sent. */
  readonly close: () => Promise<void>
}

/** Nobody waits longer for a collector at the end of the process. */
const LAST_MILLISECONDS = 5_000

/**
 * Sends spans to the collector at `endpoint`, in batches, as OTLP over HTTP with JSON. Nothing is registered globally. A trace that the client began is
 * sent or not as its `traceparent` says; of others, `ratio` are.
 */
export function createTracing({
  endpoint,
  serviceName,
  ratio,
}: {
  readonly endpoint: string
  readonly serviceName: string
  /** From 0 to 1. */
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
    traceOperation({ operation }, run, outcomeIn) {
      const [type, name] = [operation.operation, operation.name?.value]
      const options = {
        kind: SpanKind.SERVER,
        attributes: { 'graphql.operation.type': type, ...(name !== undefined && { 'graphql.operation.name': name }) },
      }
      const title = name === undefined ? type : `${type} ${name}`
      return async (variables, passage) => {
        const span = tracer.startSpan(title, options, contextOf(passage))
        span.setAttribute('atrium.request_id', passage.caller.requestId)
        return ending(span, async () => {
          const result = await run(variables, under(span, passage))
          const { errors, data } = outcomeIn(result)
          if (errors) span.setAttribute('atrium.errors', errors.length)
          if (errors && !data) span.setStatus({ code: SpanStatusCode.ERROR })
          return result
        })
      }
    },
    traceLink(link) {
      const title = `fetch ${link.name}`
      const options = { kind: SpanKind.CLIENT, attributes: { 'atrium.subgraph': link.name } }
      return {
        ...link,
        execute(request, passage) {
          const span = tracer.startSpan(title, options, contextOf(passage))
          return ending(span, async () => {
            // The passage stays the same object: by it a link knows what is asked for one operation.
            const answer = await link.execute({ ...request, traceparent: parentOf(span) }, passage)
            if (answer.errors && answer.errors.length > 0) span.setAttribute('atrium.errors', answer.errors.length)
            return answer
          })
        },
      }
    },
    async close() {
      await provider.forceFlush({ timeoutMillis: LAST_MILLISECONDS }).catch(() => {})
      await provider.shutdown().catch(() => {})
    },
  }
}

async function ending<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // Its message may hold what a client sent: the log has it.
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

function contextOf({ caller: { traceparent } }: RequestContext): Context {
  const parent = traceparent === undefined ? null : spanIn(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

/** The same passage, whose further ways are part of this span. */
const under = (span: Span, passage: RequestContext): RequestContext => ({
  ...passage,
  caller: { ...passage.caller, traceparent: parentOf(span) },
})

function parentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')
  return `00-${traceId}-${spanId}-${flags}`
}
