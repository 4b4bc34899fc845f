import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { runWithTimeout } from '../executor/executor.ts'
import { withRequestId } from '../operations/errors.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import type { EventSource, RequestContext } from '../subgraph-client/link.ts'
import type { ExecuteEvent } from './event-execution.ts'
import type { EventPipeline } from './subscribe.ts'
import { anonymousCaller, viewerKeyOf } from './viewer-key.ts'

type Variables = Readonly<Record<string, unknown>>

/** The results of a source's events; `text` is the variables as JSON. */
type CreatePipeline = (
  source: EventSource,
  text: string,
  given: Variables,
  opener: Pick<RequestContext, 'caller' | 'hooks'>,
) => EventPipeline

/**
 * Executes one operation for its events: once per event and variables, and once per caller where
 * fields depend on the viewer (`isPersonal`).
 */
export function createEventPipelines({
  executeEvent,
  isPersonal,
  log,
  afterEvent = null,
}: {
  readonly executeEvent: ExecuteEvent
  readonly isPersonal: boolean
  readonly log: Logger
  /** What hooks make of a result; null: no hooks. */
  readonly afterEvent?: ((result: ExecutionResult, context: RequestContext) => Promise<ExecutionResult>) | null
}): CreatePipeline {
  /** The result of each event, by variables and viewer. */
  const results = new WeakMap<object, Map<string, ExecutionResult | Promise<ExecutionResult>>>()
  return pipeline

  function pipeline(...[source, text, given, { caller: opener, hooks }]: Parameters<CreatePipeline>): EventPipeline {
    // A shared result must not depend on the first caller: it is executed anonymously, so a
    // viewer-dependent field that is not declared as such refuses.
    const isForOne = isPersonal || source.isPersonal
    const caller = isForOne ? opener : anonymousCaller(opener)
    const key = `${text}${isPersonal ? viewerKeyOf(caller) : ''}`
    const fault = (error: unknown) => formatError(source.maskError?.(error) ?? UNKNOWN)
    return { next: source.next, return: source.return, detach: source.detach, isPersonal: isForOne, execute: result, fault }

    function result(event: unknown): ExecutionResult | Promise<ExecutionResult> {
      // Results are keyed by object identity, which a primitive does not have.
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
      // The signal of one subscriber must not stop the execution for the others.
      const answered = await runWithTimeout({ caller, signal: NEVER, hooks }, log, (bounded) => {
        const executed = executeEvent((each) => source.resolve(event, each), given, bounded)
        return afterEvent ? executed.then((result) => afterEvent(result, bounded)) : executed
      })
      return withId(answered, caller.requestId)
    }
  }
}

const UNKNOWN = new GraphQLError('The subscription ended unexpectedly.', { extensions: { code: 'INTERNAL_SERVER_ERROR' } })
const NEVER = new AbortController().signal

const withId = (executed: ExecutionResult, requestId: string): ExecutionResult =>
  executed.errors ? { ...executed, errors: executed.errors.map((error) => withRequestId(error, requestId)) } : executed

/** Without locations: they belong to the fetch, whose text is not the client's. */
export const formatError = ({ message, path, extensions }: GraphQLError): GraphQLFormattedError => ({
  message,
  ...(path && { path }),
  extensions,
})
