import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions, type GraphQLFormattedError } from 'graphql'
import type { Logger } from 'pino'
import { isTransientError } from '../../platform/database/transient-error.ts'
import { fault, type GatewayCode, refusal } from '../operations/errors.ts'
import { UploadError } from '../uploads/upload-error.ts'
import type { EventSource, Link, RequestContext, SubscribeResult } from './link.ts'

/**
 * A failed fetch. `code` and `message` are for clients, `cause` is for the log. `isAlreadyLogged`:
 * logged at debug level, so that an outage does not log every operation.
 */
export class SubgraphError extends Error {
  override readonly name = 'SubgraphError'
  readonly code: GatewayCode
  readonly isAlreadyLogged: boolean
  constructor(code: GatewayCode, message: string, options: ErrorOptions & { readonly isAlreadyLogged?: boolean } = {}) {
    super(message, options)
    this.code = code
    this.isAlreadyLogged = options.isAlreadyLogged ?? false
  }
}

/**
 * Masks internal errors of a link, which then never rejects. Keeps errors with a code, and
 * graphql-js errors about client input. Logs every other error with its cause (the only place that
 * does), and replaces it by one with the request id: UNAVAILABLE for transient faults, such as a
 * database restart, otherwise INTERNAL_SERVER_ERROR.
 */
export function maskErrors(link: Link, log: Logger): Link {
  const subscribe = link.subscribe?.bind(link)
  return {
    ...link,
    execute: (request, context) => maskResult(() => link.execute(request, context), context),
    ...(subscribe && { subscribe: (request, context) => maskSubscribe(() => subscribe(request, context), context) }),
  }

  async function maskResult(fetch: () => Promise<ExecutionResult>, context: RequestContext): Promise<ExecutionResult> {
    try {
      const result = await fetch()
      if (!result.errors || result.errors.length === 0) return result
      return { ...result, errors: result.errors.map((error) => maskFieldError(error, context)) }
    } catch (error) {
      return { data: null, errors: [maskFetchError(error, context)] }
    }
  }

  async function maskSubscribe(
    open: () => Promise<SubscribeResult<EventSource, GraphQLError>>,
    context: RequestContext,
  ): Promise<SubscribeResult<EventSource, GraphQLError>> {
    let result: SubscribeResult<EventSource, GraphQLError>
    try {
      result = await open()
    } catch (error) {
      return { kind: 'refused', errors: [maskFetchError(error, context)] }
    }
    if (result.kind === 'refused') {
      return { ...result, errors: result.errors.map((error) => maskFieldError(error, context)) }
    }
    return { kind: 'open', source: maskSource(result.source, withoutCredentials(context)) }
  }

  /**
   * Separate, so that its closures do not retain the request context while the subscription runs.
   */
  function maskSource(source: EventSource, ended: RequestContext): EventSource {
    return {
      ...source,
      resolve: (event, each) => maskResult(() => source.resolve(event, each), each),
      maskError: (error) => (error instanceof GraphQLError ? maskFieldError(error, ended) : maskFetchError(error, ended)),
    }
  }

  function maskFieldError(error: GraphQLError, { caller }: RequestContext): GraphQLError {
    const { message, path, extensions } = error
    if (typeof extensions?.code === 'string') return withoutNodes(message, path, extensions)
    if (isAboutInput(error)) return withoutNodes(message, path, { code: 'BAD_USER_INPUT' })
    log.error(
      { err: error.originalError ?? error, path, subgraph: link.name, requestId: caller.requestId },
      'a field was not resolved',
    )
    const masked = maskOf(error.originalError ?? error, caller.requestId)
    return withoutNodes(masked.message, path, masked.extensions)
  }

  function maskFetchError(error: unknown, { caller, signal }: RequestContext): GraphQLError {
    if (signal.aborted && error === signal.reason) {
      const { message, extensions } = refusal('TIMEOUT', 'The operation was stopped: its time was up, or its client was gone.')
      return withoutNodes(message, undefined, extensions)
    }
    if (error instanceof UploadError) return error.toGraphQL()
    const isLogged = error instanceof SubgraphError && error.isAlreadyLogged
    log[isLogged ? 'debug' : 'error'](
      { err: error, subgraph: link.name, requestId: caller.requestId },
      'a fetch from a subgraph failed',
    )
    const { message, extensions } =
      error instanceof SubgraphError ? refusal(error.code, error.message) : maskOf(error, caller.requestId)
    return withoutNodes(message, undefined, { ...extensions, requestId: caller.requestId })
  }
}

/**
 * Context of later events without the first caller's credentials: the source may serve other
 * callers after the first has left.
 */
const withoutCredentials = ({ caller: { requestId, address } }: RequestContext): RequestContext => ({
  caller: { requestId, address, credentials: {} },
  signal: NEVER,
})

/** `retryAfterSeconds` of a transient fault; the `Retry-After` of REST has the same value. */
const RETRY_AFTER_SECONDS = 2

const maskOf = (error: unknown, requestId: string): GraphQLFormattedError =>
  isTransientError(error)
    ? refusal(
        'UNAVAILABLE',
        'The service cannot do this right now. Try again in a few seconds; a change may have been made all the same.',
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
          requestId,
        },
      )
    : fault(requestId)

/** Never aborted: events are not bound to one request. */
const NEVER = new AbortController().signal

/** Drops AST nodes, which belong to the fetch's document and not to the client's. */
const withoutNodes = (
  message: string,
  path: GraphQLError['path'],
  extensions: GraphQLErrorExtensions | undefined,
): GraphQLError => new GraphQLError(message, { path, extensions })

/**
 * Whether a graphql-js error is about client input; graphql-js sets no codes. Errors without a path
 * come from before execution; argument errors have the path of their field.
 */
function isAboutInput({ originalError, path, message }: GraphQLError): boolean {
  const isFromGraphql = originalError === undefined || originalError instanceof GraphQLError
  return isFromGraphql && (path === undefined || message.startsWith('Argument "'))
}
