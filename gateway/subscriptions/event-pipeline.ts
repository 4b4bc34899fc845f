import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { runWithTimeout } from '../executor/executor.ts'
import type { TraceEventSource } from '../observability/tracing.ts'
import { withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventSource, RequestContext } from '../subgraph-client/link.ts'
import type { ExecuteEvent } from './event-execution.ts'
import type { EventPipeline } from './subscribe.ts'
import { anonymousCaller, viewerKeyOf } from './viewer-key.ts'

type Variables = Readonly<Record<string, unknown>>

/** Creates the pipeline of a source's events; `text` is the variables as JSON. */
type CreatePipeline = (
  source: EventSource,
  text: string,
  given: Variables,
  opener: Pick<RequestContext, 'caller' | 'hooks' | 'traceEvent'>,
) => EventPipeline

/**
 * Executes an operation per event: once per variables, and once per caller when fields are
 * viewer-dependent (`isPersonal`).
 */
export function createEventPipelines({
  executeEvent,
  isPersonal,
  log,
  afterEvent = null,
  traceSource = null,
}: {
  readonly executeEvent: ExecuteEvent
  readonly isPersonal: boolean
  readonly log: Logger
  /** Lets hooks change a result; null without hooks. */
  readonly afterEvent?: ((result: ExecutionResult, context: RequestContext) => Promise<ExecutionResult>) | null
  /** Spans of events; null for none. */
  readonly traceSource?: TraceEventSource | null
}): CreatePipeline {
  /** Results per event, by variables and viewer key. */
  const results = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>()
  return pipeline

  function pipeline(
    ...[source, text, given, { caller: opener, hooks, traceEvent: recordEvent }]: Parameters<CreatePipeline>
  ): EventPipeline {
    // Shared results must not depend on the first caller: executed anonymously, so that
    // viewer-dependent fields that are not declared as such fail.
    const isForOne = isPersonal || source.isPersonal
    // Spans of events are traces of their own. Without spans, the trace of the opener would grow for
    // as long as the subscription runs.
    const { traceparent, ...others } = opener
    const caller = isForOne ? others : anonymousCaller(opener)
    const key = `${text}${isPersonal ? viewerKeyOf(caller) : ''}`
    const traceEvent = traceSource?.(traceparent) ?? null
    const fault = (error: unknown) => formatError(source.maskError?.(error) ?? UNKNOWN)
    return { next: source.next, return: source.return, detach: source.detach, isPersonal: isForOne, execute: result, fault }

    function result(event: unknown): ExecutionResult | Promise<ExecutionResult> {
      // A trace is for one subscriber.
      if (recordEvent) return workedOut(event)
      // The cache key is object identity, which primitives lack.
      if (typeof event !== 'object' || event === null) return workedOut(event)
      const known = results.get(event) ?? new Map<string, ExecutionResult | Promise<ExecutionResult>>()
      if (known.size === 0) results.set(event, known)
      const delivered = known.get(key)
      if (delivered) return delivered
      const working = workedOut(event)
      known.set(key, working)
      void working.then((done) => known.set(key, done))
      return working
    }

    async function workedOut(event: unknown): Promise<ExecutionResult> {
      // Not aborted by one subscriber, because others share the result.
      const run = (context: RequestContext) =>
        runWithTimeout(context, log, (bounded) => {
          const executed = executeEvent((each) => source.resolve(event, each), given, bounded)
          return afterEvent ? executed.then((result) => afterEvent(result, bounded)) : executed
        })
      const recorded = recordEvent?.()
      const context = { caller, signal: NEVER, hooks, ...(recorded && { planTrace: recorded.planTrace }) }
      const answered = await (traceEvent ? traceEvent(context, run) : run(context))
      return withId(recorded ? recorded.addTo(answered) : answered, caller.requestId)
    }
  }
}

const UNKNOWN = new GraphQLError('The subscription ended unexpectedly.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
const NEVER = new AbortController().signal

const withId = (executed: ExecutionResult, requestId: string): ExecutionResult =>
  executed.errors ? { ...executed, errors: executed.errors.map((error) => withRequestId(error, requestId)) } : executed

/** Without locations, which refer to the fetch's text. */
export const formatError = ({ message, path, extensions }: GraphQLError): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions,
})
