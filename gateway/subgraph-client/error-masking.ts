import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { isTransientError } from '../../platform/database/transient-error.ts'
import { fault, type GatewayCode, refusal } from '../operations/errors.ts'
import type { Link, Opened, Passage, Source } from './link.ts'

/**
 * A subgraph that could not be asked; `code` and `message` are for clients, `cause` is for the log. `isKnown` when the log has it already: one outage is not a
 * line per operation.
 */
export class LinkError extends Error {
  override readonly name = 'LinkError'
  readonly code: GatewayCode
  readonly isKnown: boolean
  constructor(code: GatewayCode, message: string, options: ErrorOptions & { readonly isKnown?: boolean } = {}) {
    super(message, options)
    this.code = code
    this.isKnown = options.isKnown ?? false
  }
}

/**
 * `link` as the gateway uses it: it never rejects, and every error it answers may be seen by clients.
 * One with a code was written for clients, and what graphql-js says about their input was, too. Anything else is a fault: it is logged with
 * all its detail, here and nowhere else, and answered with the request's id and no detail: UNAVAILABLE when it will pass, as when the database restarts.
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
    open: () => Promise<Opened<Source, GraphQLError>>,
    passage: Passage,
  ): Promise<Opened<Source, GraphQLError>> {
    let outcome: Opened<Source, GraphQLError>
    try {
      outcome = await open()
    } catch (error) {
      return { kind: 'refused', errors: [unasked(error, passage)] }
    }
    if (outcome.kind === 'refused') return { ...outcome, errors: outcome.errors.map((error) => visible(error, passage)) }
    return { kind: 'open', source: maskedSource(outcome.source, { caller: passage.caller, signal: NEVER }) }
  }

  /** A function of its own: closures above would keep the passage, and what links hold for it, as long as the subscription runs. */
  function maskedSource(source: Source, ended: Passage): Source {
    return {
      ...source,
      answer: (event, each) => answered(() => source.answer(event, each), each),
      fault: (error) => (error instanceof GraphQLError ? visible(error, ended) : unasked(error, ended)),
    }
  }

  function visible(error: GraphQLError, { caller }: Passage): GraphQLError {
    const { message, path, extensions } = error
    if (typeof extensions?.code === 'string') return shown(message, path, extensions)
    if (isAboutInput(error)) return shown(message, path, { code: 'BAD_USER_INPUT' })
    log.error(
      { err: error.originalError ?? error, path, subgraph: link.name, requestId: caller.requestId },
      'a field was not resolved',
    )
    const masked = maskOf(error.originalError ?? error, caller.requestId)
    return shown(masked.message, path, masked.extensions)
  }

  function unasked(error: unknown, { caller, signal }: Passage): GraphQLError {
    if (signal.aborted && error === signal.reason) {
      const { message, extensions } = refusal('TIMEOUT', 'The operation was stopped: its time was up, or its client was gone.')
      return shown(message, undefined, extensions)
    }
    const isKnown = error instanceof LinkError && error.isKnown
    log[isKnown ? 'debug' : 'error'](
      { err: error, subgraph: link.name, requestId: caller.requestId },
      'a subgraph could not be asked',
    )
    const { message, extensions } =
      error instanceof LinkError ? refusal(error.code, error.message) : maskOf(error, caller.requestId)
    return shown(message, undefined, { ...extensions, requestId: caller.requestId })
  }
}

/** When to come again after a fault that passes. Seconds, as the doors of REST say. */
const AGAIN_SECONDS = 2

const maskOf = (error: unknown, requestId: string): GraphQLFormattedError =>
  isTransientError(error)
    ? refusal(
        'UNAVAILABLE',
        'The service cannot do this right now. Try again in a few seconds; a change may have been made all the same.',
        {
          retryAfterSeconds: AGAIN_SECONDS,
          requestId,
        },
      )
    : fault(requestId)

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
