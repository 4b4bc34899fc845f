import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type Link as SpanLink,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { parseTraceparent } from '../../platform/http/trace-parent.ts'
import { withoutTrailingSlashes } from '../../platform/text/without-trailing-slashes.ts'
import type { RunOperation } from '../executor/run-operation.ts'
import type { ValidatedOperation } from '../operations/document-cache.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { IncrementalPayloads } from '../operations/incremental-result.ts'
import type { Link, RequestContext } from '../subgraph-client/link.ts'
import { SERVICE_INSTANCE_ID } from './otlp-post.ts'

/**
 * OpenTelemetry spans: one per operation, per fetch, per start of a subscription and per event.
 */
export type Tracing = {
  /**
   * Wraps `run` of one document in a span, a child of the client's `traceparent`. It ends with the
   * last of the payloads in `restIn`, if any.
   */
  readonly traceOperation: <Result>(
    checked: ValidatedOperation,
    run: (...parameters: Parameters<RunOperation>) => Promise<Result>,
    resultIn: (result: Result) => ExecutionResult,
    restIn?: (result: Result) => IncrementalPayloads | null,
  ) => (...parameters: Parameters<RunOperation>) => Promise<Result>
  /** Spans of the events of a subscription. */
  readonly traceEvents: (checked: ValidatedOperation) => TraceEventSource
  /** Wraps a link with a span per request; remote subgraphs get it as `traceparent`. */
  readonly traceLink: (link: Link) => Link
  /** Exports the remaining spans. */
  readonly close: () => Promise<void>
}

/** Spans of one event source; `opener` is the `traceparent` of the span that opened it. */
export type TraceEventSource = (opener: string | undefined) => TraceEvent

/** Runs the work of one event in a span. */
export type TraceEvent = (
  context: RequestContext,
  run: (context: RequestContext) => Promise<ExecutionResult>,
) => Promise<ExecutionResult>

/**
 * Events of one source that have spans, per minute: a busy source would fill the export queue, from
 * which spans of other operations are then dropped.
 */
export const MAX_TRACED_EVENTS = 100
const EVENT_WINDOW_MS = 60_000
/**
 * Spans of the events of all sources and of their fetches, per second: together they would fill it as
 * well. It has room for 2,048 spans.
 */
export const MAX_EVENT_SPANS_PER_SECOND = 500
const EVENT_SPANS_WINDOW_MS = 1_000

/** Timeout of the last export when the process ends. */
const FLUSH_TIMEOUT_MS = 5_000

/**
 * Exports spans in batches to the collector at `endpoint`, as OTLP over HTTP with JSON. Registers
 * nothing globally. Respects the sampled flag of a client's `traceparent`; samples the share
 * `ratio` of other traces.
 */
export function createTracing({
  endpoint,
  headers,
  serviceName,
  ratio,
}: {
  readonly endpoint: string
  /** Headers for the collector. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly serviceName: string
  /** Sampling ratio, 0 to 1. */
  readonly ratio: number
}): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${withoutTrailingSlashes(endpoint)}/v1/traces`, ...(headers && { headers }) })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.instance.id': SERVICE_INSTANCE_ID }),
    sampler: new ParentBasedSampler({ root: rootSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('atrium')
  const eventSpans = createEventSpans()

  return {
    traceOperation(checked, run, resultIn, restIn = () => null) {
      const { spanName, attributes } = describeOperation(checked)
      const options = { kind: SpanKind.SERVER, attributes }
      return async (variables, context) => {
        const span = tracer.startSpan(spanName, options, parentContextOf(context))
        span.setAttribute('atrium.request_id', context.caller.requestId)
        return endAfter(
          span,
          async () => {
            const result = await run(variables, withParent(span, context))
            setErrors(span, resultIn(result))
            return result
          },
          (result) => watchParts(span, resultIn(result), restIn(result)),
        )
      }
    },
    traceEvents(checked) {
      const { spanName, attributes } = describeOperation(checked)
      const begin: BeginEventSpan = (context, links, untraced) => {
        const untracedBefore = untraced > 0 ? { 'atrium.untraced_events': untraced } : {}
        const given = { ...attributes, 'atrium.request_id': context.caller.requestId, ...untracedBefore }
        return tracer.startSpan(
          `${spanName} event`,
          { kind: SpanKind.CONSUMER, root: true, links, attributes: given },
          ROOT_CONTEXT,
        )
      }
      return (opener) => traceSource(opener, eventSpans, begin)
    },
    traceLink(link) {
      const { subscribe } = link
      const spanName = `fetch ${link.name}`
      const options = { kind: SpanKind.CLIENT, attributes: { 'atrium.subgraph': link.name } }
      return {
        ...link,
        execute(request, context) {
          const untraced = eventSpans.addFetch(context)
          if (untraced !== null) return link.execute({ ...request, traceparent: untraced }, context)
          const span = tracer.startSpan(spanName, options, parentContextOf(context))
          return endAfter(span, async () => {
            // Passes the same context object, by which links share state.
            const result = await link.execute({ ...request, traceparent: traceparentOf(span) }, context)
            if (result.errors && result.errors.length > 0) span.setAttribute('atrium.errors', result.errors.length)
            return result
          })
        },
        ...(subscribe && {
          subscribe(request, context) {
            const span = tracer.startSpan(`subscribe ${link.name}`, options, parentContextOf(context))
            return endAfter(span, async () => {
              const opened = await subscribe(request, withParent(span, context))
              if (opened.kind === 'refused') span.setAttribute('atrium.errors', opened.errors.length)
              return opened
            })
          },
        }),
      } satisfies Link
    },
    async close() {
      await provider.forceFlush({ timeoutMillis: FLUSH_TIMEOUT_MS }).catch(() => {})
      await provider.shutdown().catch(() => {})
    },
  }
}

/** Name and attributes of an operation's spans, by the conventions for GraphQL servers. */
function describeOperation({ operation }: ValidatedOperation): { readonly spanName: string; readonly attributes: Attributes } {
  const [type, name] = [operation.operation, operation.name?.value]
  const attributes = { 'graphql.operation.type': type, ...(name !== undefined && { 'graphql.operation.name': name }) }
  return { spanName: name === undefined ? type : `${type} ${name}`, attributes }
}

/** Samples by `ratio`; a span with a link is sampled when the linked one is. */
function rootSampler(ratio: number): Sampler {
  const byRatio = new TraceIdRatioBasedSampler(ratio)
  return {
    shouldSample(context, traceId, ...[, , , [link]]) {
      if (!link) return byRatio.shouldSample(context, traceId)
      return { decision: isSampled(link.context) ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
    },
    toString: () => `Linked{${byRatio}}`,
  }
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED

/** Starts the span of an event; `untraced`: events of its source before it that have none. */
type BeginEventSpan = (context: RequestContext, links: SpanLink[], untraced: number) => Span

/**
 * Events are traces of their own with a link to the span that opened the source: one trace for all
 * of them would grow for as long as the subscription runs.
 */
function traceSource(opener: string | undefined, eventSpans: EventSpans, begin: BeginEventSpan): TraceEvent {
  const parsed = opener === undefined ? null : parseTraceparent(opener)
  const links = parsed ? [{ context: { ...parsed, isRemote: false } }] : []
  // Fetches of an event without a span are parts of no trace.
  const unsampled = opener === undefined ? undefined : unsampledOf(opener)
  const ownEvents = createWindow(MAX_TRACED_EVENTS, EVENT_WINDOW_MS)
  let untraced = 0

  return (context, run) => {
    const now = performance.now()
    if (ownEvents.isFull(now) || eventSpans.isFull(now)) {
      untraced++
      return run(unsampled === undefined ? context : withTraceparent(unsampled, context))
    }
    const span = begin(context, links, untraced)
    ownEvents.add()
    untraced = 0
    return endAfter(span, async () => {
      const untracedFetches = eventSpans.begin(span)
      try {
        const result = await run(withParent(span, context))
        setErrors(span, result)
        return result
      } finally {
        const fetches = untracedFetches()
        if (fetches > 0) span.setAttribute('atrium.untraced_fetches', fetches)
      }
    })
  }
}

/** Counts the spans of events of all sources and of their fetches. */
type EventSpans = {
  readonly isFull: (now: number) => boolean
  /** Counts the span of an event; the result ends it and returns its number of fetches without a span. */
  readonly begin: (span: Span) => () => number
  /**
   * Counts a fetch, if it is one of an event with a span. At the bound: the `traceparent` for a fetch
   * without one.
   */
  readonly addFetch: (context: RequestContext) => string | null
}

function createEventSpans(): EventSpans {
  const all = createWindow(MAX_EVENT_SPANS_PER_SECOND, EVENT_SPANS_WINDOW_MS)
  // Events that run, by trace: each event is a trace of its own.
  const running = new Map<string, { untracedFetches: number }>()
  return {
    isFull: all.isFull,
    begin(span) {
      // One that is not sampled is not exported, and neither are its fetches.
      if (!span.isRecording()) return () => 0
      all.add()
      const { traceId } = span.spanContext()
      const event = { untracedFetches: 0 }
      running.set(traceId, event)
      return () => {
        running.delete(traceId)
        return event.untracedFetches
      }
    },
    addFetch({ caller: { traceparent } }) {
      const parent = running.size > 0 && traceparent !== undefined ? parseTraceparent(traceparent) : null
      const event = parent && running.get(parent.traceId)
      if (!event || traceparent === undefined) return null
      if (!all.isFull(performance.now())) {
        all.add()
        return null
      }
      event.untracedFetches++
      return unsampledOf(traceparent)
    },
  }
}

/** The same parent without the sampled flag. */
const unsampledOf = (traceparent: string): string => `${traceparent.slice(0, -2)}00`

/** Counts events of a window of time, which begins with the first event after the last one. */
type EventWindow = {
  /** Begins a new window when the last one is over at `now`, in ms of `performance`. */
  readonly isFull: (now: number) => boolean
  readonly add: () => void
}

function createWindow(maxEvents: number, milliseconds: number): EventWindow {
  let start = Number.NEGATIVE_INFINITY
  let events = 0
  return {
    isFull(now) {
      if (now - start >= milliseconds) {
        start = now
        events = 0
      }
      return events >= maxEvents
    },
    add() {
      events++
    },
  }
}

function setErrors(span: Span, { data, errors }: ExecutionResult): void {
  if (errors) span.setAttribute('atrium.errors', errors.length)
  if (errors && !data) span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Ends a span with the last deferred part; false when there are none. */
function watchParts(span: Span, { errors: initialErrors = [] }: ExecutionResult, rest: IncrementalPayloads | null): boolean {
  if (!rest) return false
  let errors = initialErrors.length
  let parts = 0
  span.addEvent('initial result')
  rest.watch((payload) => {
    for (const part of payload?.incremental ?? []) {
      parts++
      errors += part.errors?.length ?? 0
    }
    if (payload !== null) return void span.addEvent('deferred parts')
    span.setAttribute('atrium.deferred_parts', parts)
    if (errors > 0) span.setAttribute('atrium.errors', errors)
    span.end()
  })
  return true
}

/** Ends the span after `work`, unless `endsLater` will. */
async function endAfter<Result>(
  span: Span,
  work: () => Promise<Result>,
  endsLater: (result: Result) => boolean = () => false,
): Promise<Result> {
  try {
    const result = await work()
    if (!endsLater(result)) span.end()
    return result
  } catch (error) {
    // Without the message, which may quote client input; the log contains it.
    span.setStatus({ code: SpanStatusCode.ERROR }).end()
    throw error
  }
}

function parentContextOf({ caller: { traceparent } }: RequestContext): Context {
  const parent = traceparent === undefined ? null : parseTraceparent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

/** Copy of the context whose fetches are children of this span. */
const withParent = (span: Span, context: RequestContext): RequestContext => withTraceparent(traceparentOf(span), context)

const withTraceparent = (traceparent: string, context: RequestContext): RequestContext => ({
  ...context,
  caller: { ...context.caller, traceparent },
})

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')
  return `00-${traceId}-${spanId}-${flags}`
}
