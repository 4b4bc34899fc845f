import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../subgraphs/runtime/caller.ts'
import { fault, type GatewayCode, refusal } from './errors.ts'
import type { Link, Opened, Passage, SourceEvent } from './link.ts'

/** A subgraph that could not be asked; `code` and `message` are for clients, `cause` is for the log. */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly code: GatewayCode
  constructor(code: GatewayCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * `link` as the gateway uses it: it never rejects, and every error it answers may be seen by clients.
 * One with a code was written for clients, and what graphql-js says about their input was, too. Anything else is a fault: it is logged with
 * all its detail, here and nowhere else, and answered with the request's id and no detail.
 */
export function maskedLink(link: Link, log: Logger): Link {
  const begin = link.subscribe?.bind(link)
  return {
    ...link,
    execute: (request, passage) => answered(() => link.execute(request, passage), passage),
    ...(begin && { subscribe: (request, passage) => opened(() => begin(request, passage), passage) }),
  }

  async function answered(ask: () => Promise<ExecutionResult>, passage: Passage): Promise<ExecutionResult> {
    try {
      const answer = await ask()
      if (!answer.errors || answer.errors.length === 0) return answer
      return { ...answer, errors: answer.errors.map((error) => visible(error, passage)) }
    } catch (error) {
      return { data: null, errors: [unasked(error, passage)] }
    }
  }

  async function opened(
    open: () => Promise<Opened<SourceEvent, GraphQLError>>,
    passage: Passage,
  ): Promise<Opened<SourceEvent, GraphQLError>> {
    let outcome: Opened<SourceEvent, GraphQLError>
    try {
      outcome = await open()
    } catch (error) {
      return { kind: 'refused', errors: [unasked(error, passage)] }
    }
    if (outcome.kind === 'refused') return { ...outcome, errors: outcome.errors.map((error) => visible(error, passage)) }
    const { events } = outcome
    const { caller } = passage
    return {
      kind: 'open',
      events: {
        return: events.return,
        next: () => events.next().then(maskedEvent, (error: unknown) => Promise.reject(ended(error, caller))),
      },
    }
  }

  function maskedEvent(result: IteratorResult<SourceEvent, unknown>): IteratorResult<SourceEvent, unknown> {
    if (result.done) return result
    const { value } = result
    return { done: false, value: { ...value, answer: (passage) => answered(() => value.answer(passage), passage) } }
  }

  /** Why a source of events failed: `unasked`, unless it says so itself. */
  function ended(error: unknown, caller: Caller): GraphQLError {
    const passage = { caller, signal: NEVER }
    return error instanceof GraphQLError ? visible(error, passage) : unasked(error, passage)
  }

  function visible(error: GraphQLError, { caller }: Passage): GraphQLError {
    const { message, path, extensions } = error
    if (typeof extensions?.code === 'string') return shown(message, path, extensions)
    if (isAboutInput(error)) return shown(message, path, { code: 'BAD_USER_INPUT' })
    log.error(
      { err: error.originalError ?? error, path, subgraph: link.name, requestId: caller.requestId },
      'a field was not resolved',
    )
    const masked = fault(caller.requestId)
    return shown(masked.message, path, masked.extensions)
  }

  function unasked(error: unknown, { caller, signal }: Passage): GraphQLError {
    if (signal.aborted && error === signal.reason) {
      const { message, extensions } = refusal('TIMEOUT', 'The operation was stopped: its time was up, or its client was gone.')
      return shown(message, undefined, extensions)
    }
    log.error({ err: error, subgraph: link.name, requestId: caller.requestId }, 'a subgraph could not be asked')
    const { message, extensions } = error instanceof LinkError ? refusal(error.code, error.message) : fault(caller.requestId)
    return shown(message, undefined, { ...extensions, requestId: caller.requestId })
  }
}

/** For what nobody waits for in particular. */
const NEVER = new AbortController().signal

/** Without nodes: they belong to the fetch, whose text is not the client's. */
const shown = (message: string, path: GraphQLError['path'], extensions: GraphQLErrorExtensions | undefined): GraphQLError =>
  new GraphQLError(message, { path, extensions })

/** graphql-js gives no codes: what has no path was refused before execution began; arguments are coerced when their field is reached. */
function isAboutInput({ originalError, path, message }: GraphQLError): boolean {
  const isOfGraphql = originalError === undefined || originalError instanceof GraphQLError
  return isOfGraphql && (path === undefined || message.startsWith('Argument "'))
}
